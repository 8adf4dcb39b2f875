crc32.o: schema/crc32.h
