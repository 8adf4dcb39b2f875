pickle.o: analyzer/read/pickle.h analyzer/read/source.h schema/status.h \
 schema/status.def schema/gsnap_write.h schema/gsnap_format.h \
 schema/gsnap_rows.h schema/words.h
analyzer/read/source.h:
schema/status.h:
schema/status.def:
schema/gsnap_write.h:
schema/gsnap_format.h:
schema/gsnap_rows.h:
schema/words.h:
