store_reading.o: analyzer/store_reading.h analyzer/read/reader.h \
 analyzer/read/source.h schema/status.h schema/status.def \
 analyzer/snapshot.h schema/words.h analyzer/store_inner.h analyzer/db.h \
 analyzer/state.h analyzer/store.h analyzer/store_rows.h
analyzer/read/reader.h:
analyzer/read/source.h:
schema/status.h:
schema/status.def:
analyzer/snapshot.h:
schema/words.h:
analyzer/store_inner.h:
analyzer/db.h:
analyzer/state.h:
analyzer/store.h:
analyzer/store_rows.h:
