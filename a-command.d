command.o: tools/command.h
