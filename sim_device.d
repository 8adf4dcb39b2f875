sim_device.o: recorder/pool/sim_device.h recorder/pool/device.h \
 schema/status.h schema/status.def
recorder/pool/device.h:
schema/status.h:
schema/status.def:
