clock.o: recorder/clock.h
