map_palette.o: analyzer/map_palette.h analyzer/map.h analyzer/draw/draw.h \
 analyzer/snapshot.h schema/status.h schema/status.def schema/words.h
analyzer/map.h:
analyzer/draw/draw.h:
analyzer/snapshot.h:
schema/status.h:
schema/status.def:
schema/words.h:
