words.o: schema/words.h
