device.o: recorder/pool/device.h schema/status.h schema/status.def
schema/status.h:
schema/status.def:
