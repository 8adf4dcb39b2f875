store.o: analyzer/store.h analyzer/snapshot.h schema/status.h \
 schema/status.def schema/words.h
analyzer/snapshot.h:
schema/status.h:
schema/status.def:
schema/words.h:
