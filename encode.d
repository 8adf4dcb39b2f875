encode.o: recorder/encode.h recorder/clock.h recorder/config.h \
 schema/status.h schema/status.def recorder/encode_tables.h \
 recorder/tables.h recorder/modules.h recorder/pages.h schema/words.h \
 schema/gsnap_write.h schema/gsnap_format.h schema/gsnap_rows.h \
 recorder/stage.h recorder/pool/pool.h recorder/pool/device.h \
 recorder/pool/memory.h recorder/pool/rules.h recorder/pool/settings.h \
 recorder/ring.h
recorder/clock.h:
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
recorder/stage.h:
recorder/pool/pool.h:
recorder/pool/device.h:
recorder/pool/memory.h:
recorder/pool/rules.h:
recorder/pool/settings.h:
recorder/ring.h:
