text_window.o: analyzer/read/text_window.h analyzer/read/source.h \
 schema/status.h schema/status.def
analyzer/read/source.h:
schema/status.h:
schema/status.def:
