source.o: analyzer/read/source.h schema/status.h schema/status.def
schema/status.h:
schema/status.def:
