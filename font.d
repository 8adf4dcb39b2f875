font.o: analyzer/draw/font.h schema/status.h schema/status.def
schema/status.h:
schema/status.def:
