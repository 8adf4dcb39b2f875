# The analyzer as WebAssembly (after make deps-page): schema, pool and analyzer without libdw, drawing and what writes files.
# SQLite reads files by tools/page/vfs.c; tools/page/wasi.js is all of a system that the module sees. The page is one file around it.
# PAGE_CC says who compiles it: zig, from PyPI; or clang, with what Debian has for WASI (make deps-page-clang), where there is no PyPI.
WASM        := wasm32-wasi
PAGE_CC     ?= zig
WASM_DIR    := $(PACKAGE)/$(WASM)$(patsubst %,-%,$(filter-out zig,$(PAGE_CC)))
WASM_LIBS   := $(PACKAGE)/libs-$(WASM)$(patsubst %,-%,$(filter-out zig,$(PAGE_CC)))
WASM_CC_zig   := $(abspath $(ZIG)) cc -target $(WASM) -Wno-gnu-statement-expression-from-macro-expansion
WASM_AR_zig   := $(abspath $(ZIG)) ar
WASM_NEEDS_zig := $(PACKAGE_VENV)/complete
WASM_CC_clang := clang --target=$(WASM) -nostdlibinc -isystem /usr/include/$(WASM) -Wno-unused-command-line-argument -Wno-gnu-statement-expression
WASM_AR_clang := llvm-ar
WASM_CC     := $(WASM_CC_$(PAGE_CC))
SRC_wasm    := $(SRC_pool) $(filter-out schema/outfile%,$(SRC_schema)) analyzer/read/open/no_symbols.c \
	$(filter-out analyzer/draw/% analyzer/picture/% analyzer/api/pictures.c analyzer/read/open/%symbols.c,$(SRC_analyzer)) \
	$(wildcard analyzer/picture/palette*.c tools/page/*.c)
WASM_FLAGS  := -std=c11 -D_GNU_SOURCE -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_MMAN -D_WASI_EMULATED_PROCESS_CLOCKS -D_WASI_EMULATED_GETPID \
	-I. -I$(B)/gen -idirafter tools/page/no_threads -include tools/page/wasi.h -fvisibility=hidden -g0 -MMD -MP $(WARN)
$(WASM_LIBS)/complete: $(SOURCES)/complete tools/package/libs.sh tools/package/zstd_fast.c | $(WASM_NEEDS_$(PAGE_CC))
	@echo "  CC   the libraries for $(WASM)"
	+$(Q)rm -f $@ && CC="$(WASM_CC)" AR="$(WASM_AR_$(PAGE_CC))" NO_PICTURES=1 SIZE_FLAGS=-Oz ZLIB_FLAGS=-DZ_TESTW=0 ZSTD_FAST=1 ZSTD_FLAGS="-DZSTD_NO_INLINE=1 -DHUF_FORCE_DECOMPRESS_X1=1 \
		-DZSTD_FORCE_DECOMPRESS_SEQUENCES_SHORT=1" SQLITE_FLAGS="-DSQLITE_OS_OTHER=1 \
		-DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_WAL -DSQLITE_TEMP_STORE=3 -DSQLITE_OMIT_SHARED_CACHE -DSQLITE_OMIT_UTF16 -DSQLITE_OMIT_COMPLETE -DSQLITE_OMIT_TCL_VARIABLE \
		-DSQLITE_OMIT_GET_TABLE -DSQLITE_OMIT_INCRBLOB -DSQLITE_OMIT_DESERIALIZE -DSQLITE_OMIT_TRACE -DSQLITE_OMIT_AUTOVACUUM -DSQLITE_UNTESTABLE" \
		SQLITE_GRAMMAR="-DSQLITE_OMIT_ALTERTABLE -DSQLITE_OMIT_ANALYZE -DSQLITE_OMIT_FOREIGN_KEY -DSQLITE_OMIT_REINDEX \
		-DSQLITE_OMIT_INTEGRITY_CHECK" \
		sh tools/package/libs.sh $(SOURCES) $(@D)
# What is not on the way of every event is small rather than quick: the module travels inside each page.
WASM_QUICK  := $(addprefix $(WASM_DIR)/,schema/gsnap_read.o $(addprefix analyzer/,model/%.o read/open/%.o read/pytorch/%.o state/%.o timeline/%.o \
	meaning/categorize.o meaning/passes.o replay/play.o replay/requests.o) tools/page/%.o)
$(WASM_DIR)/%.o: %.c | $(WASM_LIBS)/complete $(B)/gen/sql.c
	@mkdir -p $(@D)
	$(Q)$(WASM_CC) $(WASM_FLAGS) $(if $(filter $(WASM_QUICK),$@),-O2,-Oz) -I$(WASM_LIBS)/include -c -o $@ $<
$(WASM_DIR)/sql.o: $(B)/gen/sql.c | $(WASM_LIBS)/complete
	@mkdir -p $(@D)
	$(Q)$(WASM_CC) $(WASM_FLAGS) -c -o $@ $<
OBJ_wasm := $(SRC_wasm:%.c=$(WASM_DIR)/%.o) $(WASM_DIR)/sql.o
# zig's malloc rounds up to powers of two and never joins what it gets back, and its searches make a table for each; those of WASI's own C library
# (Debian: wasi-libc) need half of the memory and a tenth of the time.
# Asked when it is linked: make deps-page page brings it in between.
WASI_LIBC   := /usr/lib/wasm32-wasi/libc.a
$(B)/gen/page_compiler: always
	$(call list,$(PAGE_CC) $$(ls $(WASI_LIBC) 2>/dev/null))
$(B)/page/gpusnap.wasm: $(OBJ_wasm) $(WASM_LIBS)/complete $(B)/gen/page_compiler
	@mkdir -p $(@D)
	@echo "  LD   $@"
	$(Q)rm -rf $(WASM_DIR)/libc && mkdir $(WASM_DIR)/libc && if [ -f $(WASI_LIBC) ]; then cd $(WASM_DIR)/libc && ar x $(WASI_LIBC) dlmalloc.o strstr.o memmem.o memchr.o strlen.o; \
		else echo "page: slower than it need be, and larger in memory: wasi-libc is not here"; fi
	$(Q)$(WASM_CC) -mexec-model=reactor -O2 -s -o $@ $(OBJ_wasm) $$(ls $(WASM_DIR)/libc/*.o 2>/dev/null) -L$(WASM_LIBS)/lib -lzstd -lsqlite3 -lyajl -lz \
		-lwasi-emulated-signal -lwasi-emulated-mman -lwasi-emulated-process-clocks -lwasi-emulated-getpid \
		-Wl,-z,stack-size=1048576 -Wl,--gc-sections -Wl,--export-dynamic
	$(Q)if command -v wasm-opt >/dev/null; then wasm-opt -Oz --converge --enable-bulk-memory --enable-sign-ext --enable-nontrapping-float-to-int \
		--enable-mutable-globals -o $@.small $@ && mv $@.small $@; else echo "page: larger than it need be: wasm-opt is not here (binaryen)"; fi
.PHONY: deps-page deps-page-clang
deps-page-clang: ## what make page PAGE_CC=clang needs: Debian's sources, compiler and C library for WASI, nothing from PyPI
	@sh tools/deps.sh gcc libc6-dev $(SOURCE_TOOLS) clang lld llvm libclang-rt-dev-wasm32 wasi-libc binaryen zopfli
deps-page: deps-wheel ## install what make page needs: Debian's sources, zig from PyPI, and binaryen, zopfli, wasi-libc and node for a small module and its check
	@sh tools/deps.sh binaryen zopfli wasi-libc nodejs
# Packed once: a change of the viewer does not pack it again. zopfli makes it 4 % smaller than gzip, which every browser unpacks.
$(B)/page/gpusnap.wasm.gz: $(B)/page/gpusnap.wasm
	$(Q)if command -v zopfli >/dev/null; then zopfli -c --i5 $< >$@; else gzip -9nc $< >$@; fi
VIEWER := $(sort $(wildcard tools/page/viewer/*.css tools/page/viewer/*.html tools/page/viewer/*.js))
$(B)/page/gpusnap.html: $(B)/page/gpusnap.wasm.gz tools/page/assemble.py tools/terms.def analyzer/meaning/category.h analyzer/replay/cards.def $(wildcard tools/page/*.js) $(VIEWER)
	$(Q)python3 tools/page/assemble.py $< tools/page $@
.PHONY: page
page: $(B)/page/gpusnap.html ## the whole analyzer as one page for any browser, build/page/gpusnap.html (after make deps-page)
$(WASM_DIR)/tools/page/memcmp.o: WASM_FLAGS += -fno-builtin
-include $(OBJ_wasm:.o=.d)
