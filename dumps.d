dumps.o: tools/dumps.h
