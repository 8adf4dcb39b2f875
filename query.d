query.o: analyzer/query.h analyzer/emit.h schema/status.h \
 schema/status.def analyzer/session.h analyzer/input.h \
 analyzer/read/reader.h analyzer/read/source.h analyzer/snapshot.h \
 schema/words.h
analyzer/emit.h:
schema/status.h:
schema/status.def:
analyzer/session.h:
analyzer/input.h:
analyzer/read/reader.h:
analyzer/read/source.h:
analyzer/snapshot.h:
schema/words.h:
