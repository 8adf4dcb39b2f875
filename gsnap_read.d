gsnap_read.o: schema/gsnap_read.h schema/gsnap_format.h \
 schema/gsnap_unpack.h schema/gsnap_columns.h schema/gsnap_rows.h \
 schema/words.h schema/status.h schema/status.def
schema/gsnap_format.h:
schema/gsnap_unpack.h:
schema/gsnap_columns.h:
schema/gsnap_rows.h:
schema/words.h:
schema/status.h:
schema/status.def:
