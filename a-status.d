status.o: schema/status.h schema/status.def
schema/status.def:
