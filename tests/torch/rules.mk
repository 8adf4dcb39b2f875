# With a real PyTorch on the pretend CUDA, from PyPI. TORCH: the release; TORCH_VENV: an environment that has it already.
TORCH      ?= 2.15.0
TORCH_VENV ?= $(B)/torch-$(TORCH)
.PHONY: check-torch
check-torch: all ## gpusnap with a real PyTorch (TORCH=2.15.0) on a pretend CUDA; needs PyPI
	@sh tests/torch/install.sh $(TORCH_VENV) $(TORCH) || { [ $$? != 2 ] || exit 2; echo "check-torch: SKIPPED: torch $(TORCH) cannot be installed here"; \
		echo "torch $(TORCH): 0 passed, 0 failed, 1 skipped"; exit 0; }; \
	python3 tests/torch/check_torch.py $(TORCH_VENV)/bin/python $(B) $(CASES)

.PHONY: check-torch-suite
TORCH_TESTS ?= $(B)/torch-tests/test_cuda.py
check-torch-suite: all ## PyTorch 2.6.0's own memory tests under run, attach and use (TORCH_TESTS=its test_cuda.py, else Debian's source); MODES="plain use"
	@sh tests/torch/install.sh $(or $(filter %2.6.0,$(TORCH_VENV)),$(B)/torch-2.6.0) 2.6.0 && sh tests/torch/suite.sh $(B) $(TORCH_TESTS) || { \
		echo "check-torch-suite: SKIPPED: PyTorch 2.6.0 or its tests cannot be had here"; echo "suite: 0 passed, 0 failed, 1 skipped"; exit 0; }; \
	PYTHONPATH=$(abspath $(B))/torch-tests/packages python3 tests/torch/suite.py $(or $(filter %2.6.0,$(TORCH_VENV)),$(B)/torch-2.6.0)/bin/python \
		$(B) $(TORCH_TESTS) tests/torch/suite-2.6.0.txt $(MODES)

.PHONY: check-rules
check-rules: $(B)/gpusnap ## random scripts against released PyTorch allocators (PyPI; half an hour); ARGS="--scripts 5 --setting mixed"
	$(Q)sh tests/torch/check_rules.sh $(B)/gpusnap $(B)/check-rules $(ARGS)

.PHONY: check-states
check-states: $(B)/gpusnap ## states rebuilt from last snapshots, and evictions carried out, held against a real PyTorch (PyPI)
	@sh tests/torch/install.sh $(TORCH_VENV) $(TORCH) && sh tests/torch/pretend-cuda/build.sh $(TORCH_VENV)/lib/python3*/site-packages $(B)/fake-$(TORCH).so
	python3 tests/torch/check_states.py $(B)/gpusnap $(TORCH_VENV)/bin/python $(abspath $(B))/fake-$(TORCH).so $(SCRIPTS)
	python3 tests/torch/check_evictions.py $(B)/gpusnap $(TORCH_VENV)/bin/python $(abspath $(B))/fake-$(TORCH).so
.PHONY: bench-torch
# the newest supported PyTorch and the oldest, where it is installed too (make check-torch TORCH=2.6.0)
bench-torch: all ## what recording costs a PyTorch program (after check-torch); TORCH_VENVS="ENVIRONMENT…", RUNS=20
	@python3 tests/bench/torch_pairs.py $(B) $(addsuffix /bin/python,$(or $(TORCH_VENVS),$(TORCH_VENV) $(wildcard $(B)/torch-2.6.0)))
.PHONY: bench-backward
bench-backward: all ## what the forward lines of backward's memory cost (after check-torch)
	@python3 tests/bench/torch_backward.py $(TORCH_VENV)/bin/python $(B)
.PHONY: check-whatif
check-whatif: all ## what-if held against real runs under other settings and capacities (after check-torch)
	@python3 tests/torch/check_whatif.py $(TORCH_VENV)/bin/python $(B)
.PHONY: check-batch
check-batch: all ## what half the batch would need, foretold and really run (after check-torch)
	@python3 tests/torch/check_batch.py $(TORCH_VENV)/bin/python $(B) $(PROGRAMS)
.PHONY: check-growth
check-growth: all ## what is said to grow of servers and loops that keep memory, or only look like it, recorded anew (after check-torch)
	@python3 tests/torch/check_growth.py $(TORCH_VENV)/bin/python $(B) $(PROGRAMS)
.PHONY: check-export
check-export: all ## what other people's tools show of our exports (after check-torch; pt-snap-cli and ptmem from PyPI); SNAPSHOTS="FILE…"
	@sh tests/torch/install.sh $(TORCH_VENV) $(TORCH) || { [ $$? != 2 ] || exit 2; echo "check-export: SKIPPED: torch $(TORCH) cannot be installed here"; \
		echo "0 passed, 0 failed, 1 skipped"; exit 0; }; \
	tools=$(B)/export-tools/bin/python; sh tests/torch/export_tools.sh $(B)/export-tools || tools=-; \
	python3 tests/torch/check_export.py $(B)/gpusnap $(TORCH_VENV)/bin/python $$tools $(SNAPSHOTS)
