signal.o: recorder/signal.h schema/status.h schema/status.def
schema/status.h:
schema/status.def:
