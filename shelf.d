shelf.o: recorder/pool/shelf.h recorder/pool/memory.h recorder/pool/set.h
recorder/pool/memory.h:
recorder/pool/set.h:
