# The preload against stub CUDA libraries.
PRELOAD_DIR := $(B)/preload
STUB_FLAGS  := -std=gnu11 -O1 -g -Wall -fPIC -Itests/preload
$(PRELOAD_DIR)/libcuda.so.1: tests/preload/stub_driver.c tests/preload/stub_cuda.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(STUB_FLAGS) -shared -Wl,-soname,libcuda.so.1 -o $@ $< -pthread
$(PRELOAD_DIR)/libcudart.so: tests/preload/stub_runtime.c tests/preload/stub_cuda.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(STUB_FLAGS) -shared -Wl,-soname,libcudart.so -o $@ $< -ldl
$(PRELOAD_DIR)/calls: tests/preload/calls.c $(PRELOAD_DIR)/libcuda.so.1 $(PRELOAD_DIR)/libcudart.so
	$(Q)$(CC) $(STUB_FLAGS) -o $@ $< -L$(PRELOAD_DIR) -lcudart -l:libcuda.so.1 -Wl,-rpath,'$$ORIGIN' -pthread -ldl
.PHONY: check-preload
check-preload: $(B)/gpusnap $(B)/libgpusnap-preload.so $(PRELOAD_DIR)/calls ## gpusnap run against stub CUDA libraries
	$(Q)python3 tests/preload/check.py $(B)
