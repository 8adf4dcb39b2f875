state_work.o: analyzer/state_work.h analyzer/policy/policy.h \
 analyzer/snapshot.h schema/status.h schema/status.def schema/words.h \
 recorder/pool/settings.h analyzer/state.h analyzer/state_map.h \
 analyzer/state_places.h
analyzer/policy/policy.h:
analyzer/snapshot.h:
schema/status.h:
schema/status.def:
schema/words.h:
recorder/pool/settings.h:
analyzer/state.h:
analyzer/state_map.h:
analyzer/state_places.h:
