sha256.o: analyzer/sha256.h
