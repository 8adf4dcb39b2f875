memory_summary.o: analyzer/read/memory_summary.h \
 analyzer/read/text_window.h analyzer/read/source.h schema/status.h \
 schema/status.def analyzer/snapshot.h schema/words.h
analyzer/read/text_window.h:
analyzer/read/source.h:
schema/status.h:
schema/status.def:
analyzer/snapshot.h:
schema/words.h:
