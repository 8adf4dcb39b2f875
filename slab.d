slab.o: recorder/pool/slab.h recorder/pool/memory.h
recorder/pool/memory.h:
