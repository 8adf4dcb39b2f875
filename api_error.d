api_error.o: recorder/api_error.h recorder/gpusnap.h recorder/pool/pool.h \
 recorder/pool/device.h schema/status.h schema/status.def \
 recorder/pool/memory.h recorder/pool/rules.h recorder/pool/settings.h \
 schema/words.h
recorder/gpusnap.h:
recorder/pool/pool.h:
recorder/pool/device.h:
schema/status.h:
schema/status.def:
recorder/pool/memory.h:
recorder/pool/rules.h:
recorder/pool/settings.h:
schema/words.h:
