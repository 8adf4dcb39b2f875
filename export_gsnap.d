export_gsnap.o: analyzer/export_gsnap.h analyzer/snapshot.h \
 schema/status.h schema/status.def schema/words.h schema/gsnap_write.h \
 schema/gsnap_format.h schema/gsnap_rows.h
analyzer/snapshot.h:
schema/status.h:
schema/status.def:
schema/words.h:
schema/gsnap_write.h:
schema/gsnap_format.h:
schema/gsnap_rows.h:
