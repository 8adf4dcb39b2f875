pickle_text.o: analyzer/read/pickle_text.h analyzer/read/torch.h \
 analyzer/snapshot.h schema/status.h schema/status.def schema/words.h \
 analyzer/read/torch_keys.def
analyzer/read/torch.h:
analyzer/snapshot.h:
schema/status.h:
schema/status.def:
schema/words.h:
analyzer/read/torch_keys.def:
