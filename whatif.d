whatif.o: analyzer/whatif.h analyzer/replay.h analyzer/replay_pools.h \
 analyzer/snapshot.h schema/status.h schema/status.def schema/words.h \
 analyzer/state.h
analyzer/replay.h:
analyzer/replay_pools.h:
analyzer/snapshot.h:
schema/status.h:
schema/status.def:
schema/words.h:
analyzer/state.h:
