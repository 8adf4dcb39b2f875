pickle_write.o: analyzer/pickle_write.h schema/gsnap_write.h \
 schema/gsnap_format.h schema/gsnap_rows.h schema/words.h schema/status.h \
 schema/status.def
schema/gsnap_write.h:
schema/gsnap_format.h:
schema/gsnap_rows.h:
schema/words.h:
schema/status.h:
schema/status.def:
