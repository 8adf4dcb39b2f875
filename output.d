output.o: tools/output.h analyzer/emit.h schema/status.h \
 schema/status.def
analyzer/emit.h:
schema/status.h:
schema/status.def:
