# The analyzer as WebAssembly (after make deps-wheel): schema, pool and analyzer without libdw, drawing and what writes files.
# SQLite reads files by tools/page/vfs.c; tools/page/wasi.mjs is all of a system that the module sees.
WASM        := wasm32-wasi
WASM_DIR    := $(PACKAGE)/$(WASM)
WASM_LIBS   := $(PACKAGE)/libs-$(WASM)
SRC_wasm    := $(SRC_pool) $(filter-out schema/outfile%,$(SRC_schema)) analyzer/read/open/no_symbols.c \
	$(filter-out analyzer/draw/% analyzer/picture/% analyzer/read/open/%symbols.c,$(SRC_analyzer)) $(wildcard tools/page/*.c)
WASM_FLAGS  := -std=c11 -D_GNU_SOURCE -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_MMAN -D_WASI_EMULATED_PROCESS_CLOCKS -D_WASI_EMULATED_GETPID \
	-I. -I$(B)/gen -include tools/page/wasi.h -O2 -g0 -MMD -MP $(WARN)
$(WASM_LIBS)/complete: $(PACKAGE)/sources/complete tools/package/libs.sh | $(PACKAGE_VENV)/complete
	@echo "  CC   the libraries for $(WASM)"
	+$(Q)rm -f $@ && CC="$(abspath $(ZIG)) cc -target $(WASM)" AR="$(abspath $(ZIG)) ar" NO_PICTURES=1 SQLITE_FLAGS="-Oz -DSQLITE_OS_OTHER=1 \
		-DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_WAL -DSQLITE_TEMP_STORE=3 -DSQLITE_OMIT_SHARED_CACHE" \
		sh tools/package/libs.sh $(PACKAGE)/sources $(@D)
$(WASM_DIR)/%.o: %.c $(WASM_LIBS)/complete | $(B)/gen/sql.c
	@mkdir -p $(@D)
	$(Q)$(ZIG) cc -target $(WASM) $(WASM_FLAGS) -I$(WASM_LIBS)/include -c -o $@ $<
$(WASM_DIR)/sql.o: $(B)/gen/sql.c $(WASM_LIBS)/complete
	@mkdir -p $(@D)
	$(Q)$(ZIG) cc -target $(WASM) $(WASM_FLAGS) -c -o $@ $<
OBJ_wasm := $(SRC_wasm:%.c=$(WASM_DIR)/%.o) $(WASM_DIR)/sql.o
$(B)/page/gpusnap.wasm: $(OBJ_wasm)
	@mkdir -p $(@D)
	@echo "  LD   $@"
	$(Q)$(ZIG) cc -target $(WASM) -mexec-model=reactor -O2 -s -o $@ $(OBJ_wasm) -L$(WASM_LIBS)/lib -lzstd -lsqlite3 -lyajl -lz \
		-lwasi-emulated-signal -lwasi-emulated-mman -lwasi-emulated-process-clocks -lwasi-emulated-getpid \
		-Wl,-z,stack-size=1048576 -Wl,--gc-sections
.PHONY: page
page: $(B)/page/gpusnap.wasm ## the analyzer as a WebAssembly module (after make deps-wheel), in build/page
	$(Q)cp tools/page/wasi.mjs $(B)/page/
-include $(OBJ_wasm:.o=.d)
