dump_file.o: recorder/dump_file.h schema/status.h schema/status.def
schema/status.h:
schema/status.def:
