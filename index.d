index.o: recorder/pool/index.h recorder/pool/memory.h
recorder/pool/memory.h:
