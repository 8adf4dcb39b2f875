# Programs that use libgpusnap as users' programs do.
RECORDER_DIR   := $(B)/recorder-check
RECORDER_FLAGS := -std=gnu11 -O2 -g -Wall -Wextra -I. -pthread $(SANFLAGS)
RECORDER_PROGRAMS := quiet cuda soak long
$(RECORDER_DIR)/%: tests/recorder/%.c $(B)/libgpusnap.a recorder/gpusnap.h
	@mkdir -p $(@D)
	@echo "  LD   $@"
	$(Q)$(CC) $(RECORDER_FLAGS) -o $@ $< $(B)/libgpusnap.a $(call pkg,libs,$(PKG_schema)) -lm -ldl
# the pretend CUDA without its PyTorch part
$(RECORDER_DIR)/libcuda.so.1: tests/torch/pretend-cuda/fakecuda.c
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -fPIC -O1 -w -Wl,-soname,libcuda.so.1 -I$(CUDA_INC) -o $@ $< -ldl
$(RECORDER_DIR)/libnvidia-ml.so.1: tests/torch/pretend-cuda/fakenvml.c
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -fPIC -O1 -w -Wl,-soname,libnvidia-ml.so.1 -o $@ $< -ldl
.PHONY: check-recorder check-threads soak
CHECKS += check-recorder check-threads
check-recorder: $(RECORDER_PROGRAMS:%=$(RECORDER_DIR)/%) $(if $(CUDA_INC),$(RECORDER_DIR)/libcuda.so.1 $(RECORDER_DIR)/libnvidia-ml.so.1) all ## programs that use the library: no heap at a failure, CUDA, installed example, threads
	$(Q)CC="$(CC)" CUDA_INC="$(CUDA_INC)" MAKE="$(MAKE) --no-print-directory" sh tests/recorder/check.sh $(B) $(RECORDER_DIR)
SECONDS_OF_SOAK ?= 60
soak: ## sixteen threads on one recorder, their run streamed, under ThreadSanitizer, for SECONDS_OF_SOAK (60)
	$(Q)$(MAKE) --no-print-directory B=$(B)-tsan SAN=thread CFLAGS="-O1 -g" $(B)-tsan/recorder-check/soak
	$(Q)TSAN_OPTIONS=halt_on_error=1 $(B)-tsan/recorder-check/soak $(SECONDS_OF_SOAK)
check-threads: ## the same for five seconds
	$(Q)if $(MAKE) --no-print-directory soak SECONDS_OF_SOAK=5; then echo "threads: 1 passed, 0 failed"; else echo "threads: 0 passed, 1 failed"; exit 1; fi

# A stream's program killed at random moments, its file held against the run that was not.
$(B)/recorder-check/killed: $(B)/obj/tests/recorder/killed.o $(LIBS_all)
	@mkdir -p $(@D)
	@echo "  LD   $@"
	$(Q)$(call link,$^,$(PKG_analyzer) $(PKG_recorder))
.PHONY: check-killed
TIMES ?= 200
check-killed: $(B)/recorder-check/killed ## kill -9 at TIMES (200) random moments of a streamed run: what is in the file is right
	$(Q)$(B)/recorder-check/killed $(TIMES)
