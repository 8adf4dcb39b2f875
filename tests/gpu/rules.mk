# On a machine with a GPU. Everything is built beforehand; nothing is fetched.
.PHONY: check-gpu
check-gpu: all $(B)/recorder-check/cuda ## the recorder on a real GPU, and the PyTorch found there; skipped with its reason elsewhere
	$(Q)python3 tests/gpu/check.py $(B)
