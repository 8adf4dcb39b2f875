store_rows.o: analyzer/store_rows.h analyzer/snapshot.h schema/status.h \
 schema/status.def schema/words.h
analyzer/snapshot.h:
schema/status.h:
schema/status.def:
schema/words.h:
