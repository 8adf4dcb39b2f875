# The library that `gpusnap run` preloads. Always optimised: its dlsym must end in a jump.
SRC_preload := $(sort $(wildcard recorder/preload/*.c))
$(B)/obj/recorder/preload/%.o: CFLAGS += -O2
$(B)/libgpusnap-preload.so: $(call obj,$(SRC_preload)) $(B)/librecorder.a $(B)/libpool.a $(B)/libschema.a
	@echo "  LD   $@"
	$(Q)$(CC) $(SANFLAGS) $(CFLAGS) $(LDFLAGS) -shared -pthread -Wl,--exclude-libs,ALL -o $@ $^ $(call pkg,libs,libzstd) -ldl
all: $(B)/libgpusnap-preload.so
