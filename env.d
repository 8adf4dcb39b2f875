env.o: recorder/env.h recorder/env.def
recorder/env.def:
