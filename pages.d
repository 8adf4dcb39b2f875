pages.o: recorder/pages.h
