bytes.o: schema/bytes.h
