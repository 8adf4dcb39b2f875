state.o: recorder/pool/state.h recorder/pool/index.h \
 recorder/pool/memory.h recorder/pool/order.h recorder/pool/pool.h \
 recorder/pool/device.h schema/status.h schema/status.def \
 recorder/pool/rules.h recorder/pool/settings.h schema/words.h \
 recorder/pool/set.h recorder/pool/shelf.h recorder/pool/slab.h
recorder/pool/index.h:
recorder/pool/memory.h:
recorder/pool/order.h:
recorder/pool/pool.h:
recorder/pool/device.h:
schema/status.h:
schema/status.def:
recorder/pool/rules.h:
recorder/pool/settings.h:
schema/words.h:
recorder/pool/set.h:
recorder/pool/shelf.h:
recorder/pool/slab.h:
