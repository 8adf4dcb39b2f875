python_hook.o: recorder/python_hook.h
