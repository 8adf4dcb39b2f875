# What the analyzer says of memory, against the truth of recorded training loops.
.PHONY: check-meaning
MEANING_MORE := $(wildcard ../shared/meaning)
check-meaning: $(B)/gpusnap ## categories, growth, steps and peaks of real training loops against the truth
	$(Q)python3 tests/meaning/check.py $(B)/gpusnap tests/data/meaning.tar.xz tests/data/meaning_own.tar.xz $(MEANING_MORE)
	$(Q)python3 tests/meaning/check_growth.py $(B)/gpusnap tests/data/growth
CHECKS += check-meaning

# What diagnose says of files that others made.
.PHONY: check-corpus
check-corpus: $(B)/gpusnap ## what diagnose says of strangers' snapshots in ../shared: no false growth, no plumbing, no two lines alike
	$(Q)python3 tests/meaning/check_corpus.py $(B)/gpusnap $(addprefix ../shared/,corpus reports/pickles faults meaning)
CHECKS += check-corpus
