reader.o: analyzer/read/reader.h analyzer/read/source.h schema/status.h \
 schema/status.def analyzer/snapshot.h
analyzer/read/source.h:
schema/status.h:
schema/status.def:
analyzer/snapshot.h:
