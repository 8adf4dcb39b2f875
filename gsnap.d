gsnap.o: analyzer/read/gsnap.h analyzer/read/reader.h \
 analyzer/read/source.h schema/status.h schema/status.def \
 analyzer/snapshot.h schema/words.h analyzer/symbols.h \
 schema/gsnap_read.h schema/gsnap_format.h schema/gsnap_unpack.h \
 schema/gsnap_columns.h schema/gsnap_rows.h
analyzer/read/reader.h:
analyzer/read/source.h:
schema/status.h:
schema/status.def:
analyzer/snapshot.h:
schema/words.h:
analyzer/symbols.h:
schema/gsnap_read.h:
schema/gsnap_format.h:
schema/gsnap_unpack.h:
schema/gsnap_columns.h:
schema/gsnap_rows.h:
