# What the analyzer says of memory, against the truth of recorded training loops.
.PHONY: check-meaning
MEANING_MORE := $(wildcard ../shared/meaning)
check-meaning: $(B)/gpusnap ## categories, growth, steps and peaks of real training loops against the truth
	$(Q)python3 tests/meaning/check.py $(B)/gpusnap tests/data/meaning.tar.xz $(MEANING_MORE)
CHECKS += check-meaning
