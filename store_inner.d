store_inner.o: analyzer/store_inner.h analyzer/db.h schema/status.h \
 schema/status.def analyzer/state.h analyzer/snapshot.h schema/words.h \
 analyzer/store.h analyzer/store_rows.h
analyzer/db.h:
schema/status.h:
schema/status.def:
analyzer/state.h:
analyzer/snapshot.h:
schema/words.h:
analyzer/store.h:
analyzer/store_rows.h:
