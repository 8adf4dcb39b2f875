# Thousands of dumps by one machine, Spark and Ray; from PyPI and, for Spark, a Java of Debian's. Not part of `make check`.
FLEET_VENV ?= $(B)/fleet-venv
.PHONY: deps-fleet check-fleet bench-fleet
deps-fleet: ## install what make check-fleet needs: Java (Debian), pyarrow, DuckDB, PySpark and Ray (PyPI)
	@sh tools/deps.sh openjdk-17-jre-headless
	@[ -e $(FLEET_VENV)/complete ] || { python3 -m venv $(FLEET_VENV) && $(FLEET_VENV)/bin/pip install --quiet \
		pyarrow pandas duckdb 'pyspark>=4.0,<4.1' 'ray[data]' 'moto[server]' && touch $(FLEET_VENV)/complete; }
check-fleet: all ## 2,000 made dumps by one machine, PySpark and Ray: equal rows, known answers (after make deps-fleet); ARGS="--dumps 200"
	$(Q)if [ -e $(FLEET_VENV)/complete ]; then $(FLEET_VENV)/bin/python tests/fleet/check_fleet.py $(B) $(ARGS); else \
		echo "check-fleet: SKIPPED: pyarrow, DuckDB, PySpark and Ray are not here (make deps-fleet)"; \
		echo "fleet: 0 passed, 0 failed, 1 skipped"; fi
bench-fleet: all ## dumps into Parquet on two cores, against two processes that do half each (after make deps-fleet); ARGS="--dumps 200"
	$(Q)$(FLEET_VENV)/bin/python tests/fleet/bench.py $(B) $(ARGS)
