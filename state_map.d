state_map.o: analyzer/state_map.h analyzer/snapshot.h schema/status.h \
 schema/status.def schema/words.h analyzer/state_places.h
analyzer/snapshot.h:
schema/status.h:
schema/status.def:
schema/words.h:
analyzer/state_places.h:
