text.o: recorder/text.h
