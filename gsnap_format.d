gsnap_format.o: schema/gsnap_format.h
