# Benchmarks. Each is one file, tests/bench/bench_NAME.c, with a main of its own: it prints what it measured and
# what it is measured against, in one run. `make bench` runs them all, `make bench-NAME` one.
BENCH := $(patsubst tests/bench/bench_%.c,%,$(sort $(wildcard tests/bench/bench_*.c)))

$(B)/bench/%: $(B)/obj/tests/bench/bench_%.o $(LIBS_all)
	@mkdir -p $(@D)
	@echo "  LD   $@"
	$(Q)$(call link,$^,$(PKG_analyzer) $(PKG_recorder))

.PHONY: bench bench-machine
bench: bench-machine $(BENCH:%=bench-%) ## speed beside what it is measured against, with the machine's name
bench-machine:
	@printf 'machine: %s, %s cores, %s\n' "$$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1)" "$$(nproc)" "$$($(CC) --version | head -1)"
bench-%: $(B)/bench/% $(B)/gpusnap
	@echo "== $*"
	$(Q)GPUSNAP=$(B)/gpusnap $(B)/bench/$*


# PyTorch's allocator beside ours: TORCH_VENV names an environment with PyTorch; its allocator runs on the pretend CUDA.
TORCH_SITE := $(firstword $(wildcard $(TORCH_VENV)/lib/python3*/site-packages/torch/lib/libc10_cuda.so))
TORCH_SITE := $(TORCH_SITE:/torch/lib/libc10_cuda.so=)
TORCH_CUDA  = $(shell find $(TORCH_SITE)/nvidia -name cuda_runtime_api.h -printf '%h\n' | head -1)
$(B)/bench/torch_alloc: tests/bench/torch_alloc.cc tests/bench/calls.h
	@mkdir -p $(@D)
	@echo "  CXX  $@"
	$(Q)g++ -std=c++20 -O2 -w -I. -I$(TORCH_SITE)/torch/include -I$(TORCH_SITE)/torch/include/torch/csrc/api/include -I$(TORCH_CUDA) -o $@ $< \
		-L$(TORCH_SITE)/torch/lib -Wl,-rpath,$(TORCH_SITE)/torch/lib -Wl,--no-as-needed -lc10 -lc10_cuda -ltorch_cpu -ltorch_cuda -ltorch \
		-Wl,--unresolved-symbols=ignore-in-shared-libs
$(B)/bench/fake.so: tests/torch/pretend-cuda/fakecuda.c
	$(Q)sh tests/torch/pretend-cuda/build.sh $(TORCH_SITE) $@ >/dev/null
ifneq ($(TORCH_SITE),)
bench-alloc: $(B)/bench/torch_alloc $(B)/bench/fake.so
bench-alloc: export BENCH_TORCH = env LD_PRELOAD=$(abspath $(B))/bench/fake.so:$(abspath $(B))/bench/fake.nvml.so FAKE_CUDA_MIB=262144 $(B)/bench/torch_alloc
endif
# Other tools beside ours, on one file and one program. OTHERS_VENV: an environment with memray and pt-snap-cli beside TORCH_VENV's torch.
OTHERS_VENV ?= $(B)/others-venv
.PHONY: deps-others bench-others
deps-others: ## what make bench-others needs: heaptrack (Debian), memray and pt-snap-cli (PyPI), beside the torch of check-torch
	@sh tools/deps.sh heaptrack
	$(Q)[ -x $(OTHERS_VENV)/bin/pt-snap ] && [ -x $(OTHERS_VENV)/bin/memray ] || { $(TORCH_VENV)/bin/python -m venv $(OTHERS_VENV) && \
		$(OTHERS_VENV)/bin/python -c 'import site, sys; print("import site; site.addsitedir(\"" + sys.argv[1] + "\")", file=open(site.getsitepackages()[0] + "/torch.pth", "w"))' \
		"$$(cd $(TORCH_VENV) && echo $$PWD/lib/python3*/site-packages)" && $(OTHERS_VENV)/bin/pip install --quiet memray pt-snap-cli; }
bench-others: all ## what other tools take for the same: memory_viz, pt-snap-cli, memray, heaptrack (after check-torch, deps-others)
	@python3 tests/bench/other_tools.py $(OTHERS_VENV)/bin/python $(B)
