state_places.o: analyzer/state_places.h schema/status.h schema/status.def
schema/status.h:
schema/status.def:
