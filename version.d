version.o: schema/version.h
