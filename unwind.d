unwind.o: recorder/unwind.h recorder/cfi.h
recorder/cfi.h:
