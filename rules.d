rules.o: recorder/pool/rules.h recorder/pool/settings.h schema/status.h \
 schema/status.def schema/words.h
recorder/pool/settings.h:
schema/status.h:
schema/status.def:
schema/words.h:
