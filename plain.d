plain.o: schema/plain.h
