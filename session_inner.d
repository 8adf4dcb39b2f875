session_inner.o: analyzer/session_inner.h analyzer/guard.h \
 schema/status.h schema/status.def analyzer/session.h analyzer/input.h \
 analyzer/read/reader.h analyzer/read/source.h analyzer/snapshot.h \
 schema/words.h analyzer/store.h
analyzer/guard.h:
schema/status.h:
schema/status.def:
analyzer/session.h:
analyzer/input.h:
analyzer/read/reader.h:
analyzer/read/source.h:
analyzer/snapshot.h:
schema/words.h:
analyzer/store.h:
