message.o: tools/message.h schema/status.h schema/status.def
schema/status.h:
schema/status.def:
