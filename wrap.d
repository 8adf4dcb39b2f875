wrap.o: recorder/preload/wrap.h recorder/preload/hook.h \
 recorder/preload/hooks.def recorder/preload/pass.h recorder/unwind.h \
 recorder/cfi.h recorder/preload/serve.h
recorder/preload/hook.h:
recorder/preload/hooks.def:
recorder/preload/pass.h:
recorder/unwind.h:
recorder/cfi.h:
recorder/preload/serve.h:
