torch.o: analyzer/read/torch.h analyzer/snapshot.h schema/status.h \
 schema/status.def schema/words.h analyzer/read/torch_keys.def
analyzer/snapshot.h:
schema/status.h:
schema/status.def:
schema/words.h:
analyzer/read/torch_keys.def:
