text_figure.o: analyzer/read/text_figure.h analyzer/read/text_window.h \
 analyzer/read/source.h schema/status.h schema/status.def
analyzer/read/text_window.h:
analyzer/read/source.h:
schema/status.h:
schema/status.def:
