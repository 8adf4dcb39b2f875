options.o: tools/options.h
