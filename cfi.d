cfi.o: recorder/cfi.h
