pass.o: recorder/preload/pass.h recorder/unwind.h recorder/cfi.h
recorder/unwind.h:
recorder/cfi.h:
