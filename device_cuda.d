device_cuda.o: recorder/device_cuda.h recorder/pool/device.h \
 schema/status.h schema/status.def
recorder/pool/device.h:
schema/status.h:
schema/status.def:
