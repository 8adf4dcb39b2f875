modules.o: recorder/modules.h recorder/pages.h schema/status.h \
 schema/status.def
recorder/pages.h:
schema/status.h:
schema/status.def:
