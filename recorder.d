recorder.o: recorder/recorder.h recorder/clock.h recorder/config.h \
 schema/status.h schema/status.def recorder/dump.h recorder/dump_file.h \
 recorder/encode.h recorder/encode_tables.h recorder/tables.h \
 recorder/modules.h recorder/pages.h schema/words.h schema/gsnap_write.h \
 schema/gsnap_format.h schema/gsnap_rows.h recorder/stage.h \
 recorder/pool/pool.h recorder/pool/device.h recorder/pool/memory.h \
 recorder/pool/rules.h recorder/pool/settings.h recorder/ring.h \
 recorder/heap.h recorder/log.h recorder/thread.h recorder/unwind.h \
 recorder/cfi.h
recorder/clock.h:
recorder/config.h:
schema/status.h:
schema/status.def:
recorder/dump.h:
recorder/dump_file.h:
recorder/encode.h:
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
recorder/heap.h:
recorder/log.h:
recorder/thread.h:
recorder/unwind.h:
recorder/cfi.h:
