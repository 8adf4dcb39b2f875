text_prefix.o: analyzer/read/text_prefix.h
