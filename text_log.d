text_log.o: analyzer/read/text_log.h analyzer/read/source.h \
 schema/status.h schema/status.def analyzer/snapshot.h schema/words.h
analyzer/read/source.h:
schema/status.h:
schema/status.def:
analyzer/snapshot.h:
schema/words.h:
