emit_inner.o: analyzer/emit_inner.h analyzer/emit.h schema/status.h \
 schema/status.def
analyzer/emit.h:
schema/status.h:
schema/status.def:
