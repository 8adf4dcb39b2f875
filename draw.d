draw.o: analyzer/draw/draw.h
