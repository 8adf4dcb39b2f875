canvas.o: analyzer/draw/canvas.h analyzer/draw/draw.h schema/status.h \
 schema/status.def
analyzer/draw/draw.h:
schema/status.h:
schema/status.def:
