encode_tables.o: recorder/encode_tables.h recorder/tables.h \
 recorder/modules.h recorder/pages.h schema/status.h schema/status.def \
 schema/words.h schema/gsnap_write.h schema/gsnap_format.h \
 schema/gsnap_rows.h
recorder/tables.h:
recorder/modules.h:
recorder/pages.h:
schema/status.h:
schema/status.def:
schema/words.h:
schema/gsnap_write.h:
schema/gsnap_format.h:
schema/gsnap_rows.h:
