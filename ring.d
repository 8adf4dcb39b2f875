ring.o: recorder/ring.h recorder/pages.h schema/status.h \
 schema/status.def schema/words.h
recorder/pages.h:
schema/status.h:
schema/status.def:
schema/words.h:
