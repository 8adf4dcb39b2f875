# Command-line tests: see tests/cli/run.sh.
.PHONY: check-cli
check-cli: $(B)/gpusnap ## command-line tests against expected output; CASES="name name" picks, UPDATE=1 rewrites
	$(Q)sh tests/cli/run.sh $(B)/gpusnap $(CASES)
