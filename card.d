card.o: recorder/preload/card.h
