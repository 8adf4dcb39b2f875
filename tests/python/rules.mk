# Python stacks, on every CPython that is found.
.PHONY: check-python
CHECKS += check-python
check-python: all ## Python stacks on every CPython from 3.9 to 3.14 that is found
	$(Q)python3 tests/python/check.py $(B)
