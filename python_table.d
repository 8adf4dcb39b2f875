python_table.o: recorder/python_table.h
