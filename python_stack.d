python_stack.o: recorder/python_stack.h
