verify.o: analyzer/verify.h schema/status.h schema/status.def
schema/status.h:
schema/status.def:
