# The library that `gpusnap run` preloads. Always optimised: its dlsym must end in a jump.
SRC_preload := $(sort $(wildcard recorder/preload/*.c))
$(B)/obj/recorder/preload/%.o: CFLAGS += -O2
# The hooks are seen from outside; the recorder's own functions must not take the place of a libgpusnap that the program brings.
$(B)/gen/preload.map: $(B)/librecorder.a
	@mkdir -p $(@D)
	$(Q){ echo '{ local: ZSTD_*; XXH_*;'; nm -g --defined-only $< | sed -n 's/.* \(gpusnap_[a-z_0-9]*\)$$/\1;/p'; echo '};'; } > $@
$(B)/libgpusnap-preload.so: $(call obj,$(SRC_preload)) $(B)/librecorder.a $(B)/libpool.a $(B)/libschema.a $(B)/gen/preload.map
	@echo "  LD   $@"
	$(Q)$(CC) $(SANFLAGS) $(CFLAGS) $(LDFLAGS) -shared -pthread -Wl,--version-script=$(B)/gen/preload.map -o $@ $(filter-out %.map,$^) $(call pkg,libs,libzstd) -ldl
all: $(B)/libgpusnap-preload.so
