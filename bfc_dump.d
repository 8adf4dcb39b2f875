bfc_dump.o: analyzer/read/bfc_dump.h analyzer/read/oom_text.h \
 analyzer/read/text_window.h analyzer/read/source.h schema/status.h \
 schema/status.def analyzer/snapshot.h schema/words.h
analyzer/read/oom_text.h:
analyzer/read/text_window.h:
analyzer/read/source.h:
schema/status.h:
schema/status.def:
analyzer/snapshot.h:
schema/words.h:
