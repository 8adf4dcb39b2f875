# Reports in a real browser, and exports decoded by what is not ours. REPORT_VENV: an environment with what they need (made by deps-report).
REPORT_VENV ?= $(B)/report-venv
REPORT_PYTHON = $$(p=$(REPORT_VENV)/bin/python; [ -x $$p ] && echo $$p || echo python3)
.PHONY: deps-report check-report check-traces
deps-report: ## what check-report and check-traces need: chromium (Debian); playwright, html5lib, perfetto (PyPI)
	@sh tools/deps.sh chromium python3-venv
	$(Q)[ -x $(REPORT_VENV)/bin/python ] || python3 -m venv $(REPORT_VENV)
	$(Q)$(REPORT_VENV)/bin/python -c 'import perfetto, playwright, html5lib' 2>/dev/null || \
		$(REPORT_VENV)/bin/pip install -q perfetto protobuf playwright html5lib
check-report: $(B)/gpusnap ## reports in headless Chromium: light, dark, phone, print, without scripts, hostile names (after deps-report)
	$(Q)$(REPORT_PYTHON) tests/report/check_report.py $(B)/gpusnap $(PICTURES)
check-traces: $(B)/gpusnap ## flame graphs, speedscope, Perfetto exports and diff, held against the queries (after deps-report)
	$(Q)$(REPORT_PYTHON) tests/report/check_traces.py $(B)/gpusnap $(SNAPSHOTS)
.PHONY: check-pictures
check-pictures: $(B)/gpusnap ## maps and plots of known heaps, against those that were looked at; UPDATE=1 rewrites them
	$(Q)python3 tests/report/check_pictures.py $(B)/gpusnap
