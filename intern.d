intern.o: analyzer/intern.h analyzer/snapshot.h schema/status.h \
 schema/status.def
analyzer/snapshot.h:
schema/status.h:
schema/status.def:
