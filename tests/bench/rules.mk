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
