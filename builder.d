builder.o: recorder/builder.h recorder/config.h schema/status.h \
 schema/status.def recorder/encode_tables.h recorder/tables.h \
 recorder/modules.h recorder/pages.h schema/words.h schema/gsnap_write.h \
 schema/gsnap_format.h schema/gsnap_rows.h recorder/gpusnap.h
recorder/config.h:
schema/status.h:
schema/status.def:
recorder/encode_tables.h:
recorder/tables.h:
recorder/modules.h:
recorder/pages.h:
schema/words.h:
schema/gsnap_write.h:
schema/gsnap_format.h:
schema/gsnap_rows.h:
recorder/gpusnap.h:
