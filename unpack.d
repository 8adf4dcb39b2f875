unpack.o: analyzer/read/unpack.h schema/status.h schema/status.def
schema/status.h:
schema/status.def:
