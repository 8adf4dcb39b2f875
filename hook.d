hook.o: recorder/preload/hook.h recorder/preload/hooks.def
recorder/preload/hooks.def:
