# Exports for other tools, decoded by what is not ours. REPORT_VENV: an environment with PyPI's perfetto (made by deps-report).
REPORT_VENV ?= $(B)/report-venv
.PHONY: deps-report check-traces
deps-report: ## what check-traces needs beside Debian's packages: perfetto's protobuf classes (PyPI)
	$(Q)[ -x $(REPORT_VENV)/bin/python ] || python3 -m venv $(REPORT_VENV)
	$(Q)$(REPORT_VENV)/bin/python -c 'import perfetto' 2>/dev/null || $(REPORT_VENV)/bin/pip install -q perfetto protobuf
check-traces: $(B)/gpusnap ## flame graphs, speedscope and Perfetto exports, decoded by others' classes (after deps-report)
	$(Q)python=$(REPORT_VENV)/bin/python; [ -x $$python ] || python=python3; $$python tests/report/check_traces.py $(B)/gpusnap $(SNAPSHOTS)
