# JSON output against schema/json.
.PHONY: check-json
check-json: $(B)/gpusnap ## what --json prints, against the published schemas
	$(Q)sh tests/json/run.sh $(B)/gpusnap
