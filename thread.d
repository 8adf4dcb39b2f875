thread.o: recorder/thread.h recorder/unwind.h recorder/cfi.h
recorder/unwind.h:
recorder/cfi.h:
