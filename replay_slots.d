replay_slots.o: analyzer/replay_slots.h schema/status.h schema/status.def
schema/status.h:
schema/status.def:
