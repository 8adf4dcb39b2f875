outfile.o: tools/outfile.h schema/status.h schema/status.def
schema/status.h:
schema/status.def:
