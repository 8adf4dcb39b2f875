# The documentation: pages in docs/ and README.md, whose commands are run, and the site made of them.
DOCS_VENV ?= $(B)/docs-venv
PAGES     := README.md ARCHITECTURE.md CONTRIBUTING.md $(sort $(wildcard docs/*.md docs/*/*.md))
CHECKS    += check-docs
.PHONY: docs-recordings docs-pictures check-docs deps-docs docs check-site
check-docs: all $(B)/demo $(B)/libgpusnap-analyzer.so $(B)/libgpusnap.so ## the commands that the pages show, run and compared; UPDATE=1 rewrites outputs and pictures; PAGES="…" picks. What needs PyTorch, pytest, DuckDB … runs where TORCH_VENV, PLUGINS_VENV, FLEET_VENV have it
	$(Q)python3 tests/docs/check_itself.py $(B)
	$(Q)if command -v mandoc >/dev/null; then python3 tools/docs/reference.py $(B) $(B)/docs-reference && python3 tests/docs/check_reference.py $(B) $(B)/docs-reference; else \
		echo "check-docs: SKIPPED: the reference needs mandoc (make deps-docs)"; echo "reference: 0 passed, 0 failed, 1 skipped"; fi
	$(Q)TORCH_VENV=$(TORCH_VENV) PLUGINS_VENV=$(PLUGINS_VENV) FLEET_VENV=$(FLEET_VENV) python3 tests/docs/check_docs.py $(B) $(PAGES)
deps-docs: ## what docs and check-site need: Sphinx, MyST, Furo, codespell (PyPI), mandoc
	@sh tools/deps.sh python3-venv mandoc
	$(Q)[ -x $(DOCS_VENV)/bin/python ] || python3 -m venv $(DOCS_VENV)
	$(Q)$(DOCS_VENV)/bin/python -c 'import sphinx, myst_parser, furo, sphinx_copybutton, codespell_lib' 2>/dev/null || \
		$(DOCS_VENV)/bin/pip install -q sphinx myst-parser furo sphinx-copybutton codespell
docs: all ## the site, in build/site/index.html: read without a network (after deps-docs)
	$(Q)rm -rf $(B)/docs-src $(B)/site && mkdir -p $(B)/docs-src && cp -r docs/. $(B)/docs-src && printf '%s\n' "$(VERSION)" > $(B)/docs-src/release.txt
	$(Q)python3 tools/docs/reference.py $(B) $(B)/docs-src/reference
	$(Q)GPUSNAP_ROOT=$(CURDIR) $(DOCS_VENV)/bin/python -m sphinx -q -W --keep-going -n -b html -d $(B)/docs-cache $(B)/docs-src $(B)/site
docs-recordings: all ## the examples recorded anew into build/recorded, to be looked at and copied to docs/examples/recorded (as root; after check-torch)
	$(Q)sh tests/docs/record.sh $(B) $(TORCH_VENV) $(B)/recorded
docs-pictures: all $(B)/demo $(B)/libgpusnap-analyzer.so $(B)/libgpusnap.so ## the pictures and outputs of the pages, made again: look at them (after make page, deps-browser)
	$(Q)UPDATE=1 python3 tests/docs/check_docs.py $(B) $(PAGES)
	$(Q)$(BROWSER_VENV)/bin/python tests/docs/shots.py $(B) $(or $(GPUSNAP_PAGE),$(B)/page/gpusnap.html)
check-site: docs ## links, anchors and spelling of the site (after deps-docs)
	$(Q)$(DOCS_VENV)/bin/codespell -S '*/recorded,*.png,*.svg' $(PAGES) && echo "site: 2 passed, 0 failed"
