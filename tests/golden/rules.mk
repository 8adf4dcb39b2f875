.PHONY: check-golden
check-golden: $(B)/gpusnap ## transcripts of released PyTorch allocators, call by call
	$(Q)sh tests/golden/run.sh $(B)/gpusnap $(B)/golden
