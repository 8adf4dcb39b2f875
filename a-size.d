size.o: schema/size.h schema/status.h schema/status.def
schema/status.h:
schema/status.def:
