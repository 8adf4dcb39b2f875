db.o: analyzer/db.h schema/status.h schema/status.def
schema/status.h:
schema/status.def:
