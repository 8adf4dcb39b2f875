# The server for agents, asked by the client of the `mcp` package from PyPI.
MCP_VENV ?= $(B)/mcp
.PHONY: deps-mcp check-mcp
deps-mcp: ## install what make check-mcp needs: the Model Context Protocol's package, from PyPI
	@[ -e $(MCP_VENV)/complete ] || { python3 -m venv $(MCP_VENV) && $(MCP_VENV)/bin/pip install --quiet 'mcp>=2' && touch $(MCP_VENV)/complete; }
CHECKS += check-mcp
check-mcp: all ## gpusnap mcp, asked by a client (after make deps-mcp)
	$(Q)if [ -e $(MCP_VENV)/complete ]; then $(MCP_VENV)/bin/python tests/mcp/check_mcp.py $(B) $(CASES); else \
		echo "check-mcp: SKIPPED: the package mcp is not here (make deps-mcp)"; echo "mcp: 0 passed, 0 failed, 1 skipped"; fi
