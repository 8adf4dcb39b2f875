order.o: recorder/pool/order.h recorder/pool/memory.h
recorder/pool/memory.h:
