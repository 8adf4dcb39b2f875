replay_play.o: analyzer/replay_play.h analyzer/replay.h \
 analyzer/replay_pools.h analyzer/snapshot.h schema/status.h \
 schema/status.def schema/words.h analyzer/state.h recorder/pool/pool.h \
 recorder/pool/device.h recorder/pool/memory.h recorder/pool/rules.h \
 recorder/pool/settings.h
analyzer/replay.h:
analyzer/replay_pools.h:
analyzer/snapshot.h:
schema/status.h:
schema/status.def:
schema/words.h:
analyzer/state.h:
recorder/pool/pool.h:
recorder/pool/device.h:
recorder/pool/memory.h:
recorder/pool/rules.h:
recorder/pool/settings.h:
