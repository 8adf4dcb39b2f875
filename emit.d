emit.o: analyzer/emit.h schema/status.h schema/status.def
schema/status.h:
schema/status.def:
