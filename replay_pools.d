replay_pools.o: analyzer/replay_pools.h analyzer/snapshot.h \
 schema/status.h schema/status.def schema/words.h
analyzer/snapshot.h:
schema/status.h:
schema/status.def:
schema/words.h:
