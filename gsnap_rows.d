gsnap_rows.o: schema/gsnap_rows.h schema/words.h
schema/words.h:
