column.o: schema/column.h
