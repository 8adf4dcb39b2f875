input.o: analyzer/input.h analyzer/read/reader.h analyzer/read/source.h \
 schema/status.h schema/status.def analyzer/snapshot.h schema/words.h
analyzer/read/reader.h:
analyzer/read/source.h:
schema/status.h:
schema/status.def:
analyzer/snapshot.h:
schema/words.h:
