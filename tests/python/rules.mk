# Python stacks and the analysis API, on every CPython that is found.
.PHONY: check-python
CHECKS += check-python
check-python: all ## Python stacks and the analysis API on every CPython from 3.9 to 3.14 that is found
	$(Q)python3 tests/python/check.py $(B)
# The API with the libraries that take its tables, and in a notebook; from PyPI.
PYTHON_API_VENV ?= $(B)/python-api
.PHONY: deps-python-api check-python-api
deps-python-api: ## install what make check-python-api needs: pyarrow, pandas, polars, DuckDB and nbconvert, from PyPI
	@[ -e $(PYTHON_API_VENV)/complete ] || { python3 -m venv $(PYTHON_API_VENV) && \
		$(PYTHON_API_VENV)/bin/pip install --quiet pyarrow pandas polars duckdb nbconvert ipykernel && touch $(PYTHON_API_VENV)/complete; }
CHECKS += check-python-api
check-python-api: all ## events() in pyarrow, pandas, polars and DuckDB, and a notebook run by nbconvert (after make deps-python-api)
	$(Q)if [ -e $(PYTHON_API_VENV)/complete ]; then $(PYTHON_API_VENV)/bin/python tests/python/check_tables.py $(B); else \
		echo "check-python-api: SKIPPED: pyarrow, pandas, polars, DuckDB and nbconvert are not here (make deps-python-api)"; \
		echo "python-api: 0 passed, 0 failed, 1 skipped"; fi
