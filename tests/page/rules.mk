# The WebAssembly module in Node against the native command, on the tests' files and, where it is, on strangers' (../shared/corpus).
.PHONY: check-page
check-page: $(B)/page/gpusnap.wasm $(B)/gpusnap ## the WebAssembly module in Node: the same answers as the command (after make page)
	$(Q)if command -v node >/dev/null; then node tests/page/check.mjs $(B) $(wildcard tests/data/faults/*.pickle tests/data/diagnose/*.zst \
		tests/data/v1/*.gsnap tests/data/states/*.pickle.zst tests/data/pytorch/forms/*) $(shell find ../shared/corpus -type f 2>/dev/null | LC_ALL=C sort); \
	else echo "page: SKIPPED: node is not here"; echo "page: 0 passed, 0 failed, 1 skipped"; fi
# The viewer's own reckoning (piles of blocks, bands, texts) against brute force.
.PHONY: check-viewer
CHECKS += check-viewer
check-viewer: ## the page's viewer without a browser: what it paints, held against brute force (needs node)
	$(Q)if command -v node >/dev/null; then node tests/page/check_viewer.mjs; \
	else echo "viewer: SKIPPED: node is not here"; echo "viewer: 0 passed, 0 failed, 1 skipped"; fi
