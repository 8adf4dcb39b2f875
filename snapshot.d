snapshot.o: analyzer/snapshot.h schema/status.h schema/status.def \
 schema/words.h
schema/status.h:
schema/status.def:
schema/words.h:
