# The WebAssembly module in Node against the native command, on the tests' files and, where they are, on strangers' and on other made ones (../shared).
.PHONY: check-page
check-page: $(B)/page/gpusnap.wasm $(B)/gpusnap ## the WebAssembly module in Node: the same answers as the command (after make page)
	$(Q)if command -v node >/dev/null; then node tests/page/check.mjs $(B) $(wildcard tests/data/faults/*.pickle tests/data/diagnose/*.zst \
		tests/data/v1/*.gsnap tests/data/states/*.pickle.zst tests/data/pytorch/forms/* tests/data/texts/*) \
		$(shell find ../shared/corpus ../shared/reports ../shared/faults -type f 2>/dev/null | LC_ALL=C sort); \
	else echo "page: SKIPPED: node is not here"; echo "page: 0 passed, 0 failed, 1 skipped"; fi
# The viewer's own reckoning (piles of blocks, bands, texts) against brute force.
.PHONY: check-viewer
CHECKS += check-viewer
check-viewer: ## the page's viewer without a browser: what it paints, held against brute force (needs node)
	$(Q)if command -v node >/dev/null; then node tests/page/check_viewer.mjs; \
	else echo "viewer: SKIPPED: node is not here"; echo "viewer: 0 passed, 0 failed, 1 skipped"; fi
# The page in real browsers (after make page): Debian's Chromium by playwright, its Firefox by Marionette. SHOTS=FOLDER keeps screenshots, ONLY picks tests.
BROWSER_VENV ?= $(REPORT_VENV)
BROWSER_PYTHON = $$(p=$(BROWSER_VENV)/bin/python; [ -x $$p ] && echo $$p || echo python3)
.PHONY: deps-browser check-browser
deps-browser: deps-report ## what check-browser needs: chromium, firefox-esr (Debian); playwright, marionette_driver (PyPI)
	@sh tools/deps.sh chromium firefox-esr python3-venv
	$(Q)$(BROWSER_VENV)/bin/python -c 'import playwright, marionette_driver' 2>/dev/null || $(BROWSER_VENV)/bin/pip install -q playwright marionette_driver
check-browser: $(B)/gpusnap ## the page in headless Chromium and Firefox: open, look, ask, save; light, dark, phone, touch, keys (after make page, deps-browser)
	$(Q)$(BROWSER_PYTHON) tests/page/check_browser.py $(B) $(SHOTS)
	$(Q)$(BROWSER_PYTHON) tests/page/check_firefox.py $(B)
.PHONY: bench-page
bench-page: $(B)/gpusnap ## how fast the page is in headless Chromium (after make page, deps-browser); ARGS="--turns 3 --before OTHER.html"
	$(Q)$(BROWSER_PYTHON) tests/page/measure.py $(B) $(ARGS)
