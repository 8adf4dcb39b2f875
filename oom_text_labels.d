oom_text_labels.o: analyzer/read/oom_text_labels.h \
 analyzer/read/oom_text.h analyzer/read/text_window.h \
 analyzer/read/source.h schema/status.h schema/status.def \
 analyzer/snapshot.h schema/words.h
analyzer/read/oom_text.h:
analyzer/read/text_window.h:
analyzer/read/source.h:
schema/status.h:
schema/status.def:
analyzer/snapshot.h:
schema/words.h:
