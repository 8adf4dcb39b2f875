blame.o: analyzer/blame.h analyzer/policy/policy.h analyzer/snapshot.h \
 schema/status.h schema/status.def schema/words.h \
 recorder/pool/settings.h analyzer/state.h
analyzer/policy/policy.h:
analyzer/snapshot.h:
schema/status.h:
schema/status.def:
schema/words.h:
recorder/pool/settings.h:
analyzer/state.h:
