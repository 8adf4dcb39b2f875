gsnap_columns.o: schema/gsnap_columns.h schema/gsnap_rows.h \
 schema/words.h
schema/gsnap_rows.h:
schema/words.h:
