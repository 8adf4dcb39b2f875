json_stream.o: analyzer/read/json_stream.h analyzer/read/source.h \
 schema/status.h schema/status.def
analyzer/read/source.h:
schema/status.h:
schema/status.def:
