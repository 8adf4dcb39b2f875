config.o: recorder/config.h schema/status.h schema/status.def
schema/status.h:
schema/status.def:
