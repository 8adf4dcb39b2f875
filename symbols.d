symbols.o: analyzer/symbols.h
