export_pytorch.o: analyzer/export_pytorch.h analyzer/snapshot.h \
 schema/status.h schema/status.def schema/words.h schema/gsnap_write.h \
 schema/gsnap_format.h schema/gsnap_rows.h
analyzer/snapshot.h:
schema/status.h:
schema/status.def:
schema/words.h:
schema/gsnap_write.h:
schema/gsnap_format.h:
schema/gsnap_rows.h:
