map_plan.o: analyzer/map_plan.h analyzer/snapshot.h schema/status.h \
 schema/status.def schema/words.h
analyzer/snapshot.h:
schema/status.h:
schema/status.def:
schema/words.h:
