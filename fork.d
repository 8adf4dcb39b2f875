fork.o: recorder/fork.h
