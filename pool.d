pool.o: recorder/pool/pool.h recorder/pool/device.h schema/status.h \
 schema/status.def recorder/pool/memory.h recorder/pool/rules.h \
 recorder/pool/settings.h schema/words.h
recorder/pool/device.h:
schema/status.h:
schema/status.def:
recorder/pool/memory.h:
recorder/pool/rules.h:
recorder/pool/settings.h:
schema/words.h:
