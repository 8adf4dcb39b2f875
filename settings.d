settings.o: recorder/pool/settings.h schema/status.h schema/status.def
schema/status.h:
schema/status.def:
