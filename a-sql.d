sql.o: schema/sql.h
