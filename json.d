json.o: schema/json.h
