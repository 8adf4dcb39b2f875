guard.o: analyzer/guard.h schema/status.h schema/status.def
schema/status.h:
schema/status.def:
