set.o: recorder/pool/set.h
