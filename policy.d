policy.o: analyzer/policy/policy.h analyzer/snapshot.h schema/status.h \
 schema/status.def schema/words.h recorder/pool/settings.h
analyzer/snapshot.h:
schema/status.h:
schema/status.def:
schema/words.h:
recorder/pool/settings.h:
