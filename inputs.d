inputs.o: tools/inputs.h analyzer/input.h analyzer/read/reader.h \
 analyzer/read/source.h schema/status.h schema/status.def \
 analyzer/snapshot.h schema/words.h tools/options.h
analyzer/input.h:
analyzer/read/reader.h:
analyzer/read/source.h:
schema/status.h:
schema/status.def:
analyzer/snapshot.h:
schema/words.h:
tools/options.h:
