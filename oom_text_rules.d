oom_text_rules.o: analyzer/read/oom_text_rules.h analyzer/read/oom_text.h \
 analyzer/read/text_window.h analyzer/read/source.h schema/status.h \
 schema/status.def analyzer/snapshot.h schema/words.h
analyzer/read/oom_text.h:
analyzer/read/text_window.h:
analyzer/read/source.h:
schema/status.h:
schema/status.def:
analyzer/snapshot.h:
schema/words.h:
