memory.o: recorder/pool/memory.h
