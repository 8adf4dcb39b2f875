tables.o: recorder/tables.h recorder/modules.h recorder/pages.h \
 schema/status.h schema/status.def schema/words.h
recorder/modules.h:
recorder/pages.h:
schema/status.h:
schema/status.def:
schema/words.h:
