snapshot.o: analyzer/snapshot.h schema/status.h schema/status.def
schema/status.h:
schema/status.def:
