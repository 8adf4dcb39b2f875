recorder.o: recorder/recorder.h recorder/clock.h recorder/config.h \
 schema/status.h schema/status.def recorder/dump.h recorder/encode.h \
 recorder/stage.h recorder/pages.h recorder/pool/pool.h \
 recorder/pool/device.h recorder/pool/memory.h recorder/pool/rules.h \
 recorder/pool/settings.h schema/words.h recorder/ring.h \
 recorder/tables.h recorder/modules.h schema/gsnap_write.h \
 schema/gsnap_format.h schema/gsnap_rows.h recorder/heap.h \
 recorder/thread.h recorder/unwind.h recorder/cfi.h
recorder/clock.h:
recorder/config.h:
schema/status.h:
schema/status.def:
recorder/dump.h:
recorder/encode.h:
recorder/stage.h:
recorder/pages.h:
recorder/pool/pool.h:
recorder/pool/device.h:
recorder/pool/memory.h:
recorder/pool/rules.h:
recorder/pool/settings.h:
schema/words.h:
recorder/ring.h:
recorder/tables.h:
recorder/modules.h:
schema/gsnap_write.h:
schema/gsnap_format.h:
schema/gsnap_rows.h:
recorder/heap.h:
recorder/thread.h:
recorder/unwind.h:
recorder/cfi.h:
