# Fuzzing. A target is one file, tests/fuzz/fuzz_NAME.c, that defines LLVMFuzzerTestOneInput; its regression inputs
# are the files in tests/fuzz/corpus/NAME/. `make check-fuzz` replays them with an ordinary main,
# `make fuzz-NAME` searches for new ones with clang's libFuzzer (Debian: clang, libclang-rt-14-dev).
FUZZ          := $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_SECONDS  ?= 60
FUZZ_SEEDS    ?=
FUZZ_B        := build-fuzz
FUZZ_CC       ?= clang
FUZZ_SAN      := address,undefined

# Words for libFuzzer: the text literals of the sources that look for them.
FUZZ_WORDS_pickle  := analyzer/read/pytorch/keys.def
FUZZ_WORDS_json    := analyzer/read/pytorch/keys.def
FUZZ_WORDS_html    := analyzer/read/pytorch/keys.def analyzer/read/html/html*.c
FUZZ_WORDS_answers := analyzer/read/pytorch/keys.def schema/actions.def
FUZZ_WORDS_text    := analyzer/read/messages/*.c analyzer/read/messages/*.def analyzer/read/logs/nvidia_smi.c analyzer/read/text/*.c
FUZZ_WORDS_summary := analyzer/read/logs/memory_summary.c
FUZZ_WORDS_bfc     := analyzer/read/logs/bfc*.c
FUZZ_WORDS_rmm     := analyzer/read/logs/rmm*.c

$(B)/fuzz/%: $(B)/obj/tests/fuzz/fuzz_%.o $(B)/obj/tests/fuzz/replay.o $(LIBS_all)
	@mkdir -p $(@D)
	@echo "  LD   $@"
	$(Q)$(call link,$^,$(PKG_analyzer) $(PKG_recorder))
$(B)/libfuzzer/%: $(B)/obj/tests/fuzz/fuzz_%.o $(LIBS_all)
	@mkdir -p $(@D)
	$(Q)$(call link,$^,$(PKG_analyzer) $(PKG_recorder)) -fsanitize=fuzzer

.PHONY: check-fuzz
check-fuzz: $(FUZZ:%=$(B)/fuzz/%) ## replay the inputs that fuzzing has found
	$(Q)bad=0; for t in $(FUZZ); do $(B)/fuzz/$$t $$t tests/fuzz/corpus/$$t || bad=1; done; exit $$bad
# The same where size_t has 32 bits, as in the page's module: there a product of two counts wraps that fits 64. gcc's sanitizers (clang's for searching) watch
# the ordinary program built by -m32, which sees more than WebAssembly tells; the libraries are built from Debian's sources.
FUZZ32_LIBS   := $(B)/package/libs-m32
# Debian's gcc-multilib stands against its compilers for other machines: what it adds is a way to the kernel's headers.
M32           := -m32 -idirafter /usr/include/x86_64-linux-gnu
FUZZ32 = PKG_CONFIG="env PKG_CONFIG_LIBDIR=$(abspath $(FUZZ32_LIBS))/lib/pkgconfig pkg-config --static" LIBDW=no HTTP=no
$(FUZZ32_LIBS)/complete: $(or $(SOURCES),$(B)/package/sources)/complete tools/package/libs.sh
	@echo "  CC   the libraries for 32 bits"
	+$(Q)rm -f $@ && CC="gcc $(M32)" AR=ar sh tools/package/libs.sh $(SOURCES) $(@D)
.PHONY: deps-fuzz32 check-fuzz32
deps-fuzz32: ## install what check-fuzz32 and fuzz32-NAME need: gcc and clang for 32 bits, what unpacks Debian's sources
	@sh tools/deps.sh gcc-$$(gcc -dumpversion)-multilib clang libclang-rt-14-dev dpkg-dev tcl xz-utils
check-fuzz32: $(FUZZ32_LIBS)/complete ## check-fuzz with a size_t of 32 bits (after make deps-fuzz32)
	+$(Q)$(MAKE) --no-print-directory B=$(B)-32 CC="gcc $(M32)" $(FUZZ32) SAN=$(FUZZ_SAN) CFLAGS="-O1 -g" check-fuzz
fuzz32-%: $(FUZZ32_LIBS)/complete ## fuzz-NAME with a size_t of 32 bits
	+$(Q)$(MAKE) --no-print-directory FUZZ_B=build-fuzz32 FUZZ_CC="clang $(M32)" $(FUZZ32) fuzz-$*
fuzz-%: ## search for inputs that break reader %, with FUZZ_SECONDS=60 FUZZ_SEEDS="folders"
	$(Q)$(MAKE) --no-print-directory B=$(FUZZ_B) CC="$(FUZZ_CC)" CFLAGS="-O1 -g" SAN=fuzzer-no-link,$(FUZZ_SAN) $(FUZZ_B)/libfuzzer/$*
	@mkdir -p $(FUZZ_B)/found/$* tests/fuzz/corpus/$*
	@{ echo '"0"'; LC_ALL=C grep -oh '"[]!#$$&-[^-~ ]\{3,40\}"' $(or $(wildcard $(FUZZ_WORDS_$*)),/dev/null) | grep -v '\.h"$$' | sort -u; } > $(FUZZ_B)/$*.dict
	$(FUZZ_B)/libfuzzer/$* -dict=$(FUZZ_B)/$*.dict -max_total_time=$(FUZZ_SECONDS) -timeout=5 -rss_limit_mb=1024 -artifact_prefix=$(FUZZ_B)/found/$*- -print_final_stats=1 \
		$(FUZZ_B)/found/$* tests/fuzz/corpus/$* $(FUZZ_SEEDS)
