serve.o: recorder/preload/serve.h recorder/unwind.h recorder/cfi.h
recorder/unwind.h:
recorder/cfi.h:
