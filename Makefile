# gpusnap. `make` builds build/gpusnap; `make help` lists the rest.
# Yours to set: CC CFLAGS LDFLAGS prefix DESTDIR B (build folder) V=1 (show commands) SAN=address,undefined
# For other systems also: AR PKG_CONFIG, LIBDW=no (C frames keep their addresses), HTTP=no (no
# view --serve)
B       ?= build
CFLAGS  ?= -O2 -g
prefix  ?= $(or $(PREFIX),/usr/local)
SHELL   := /bin/bash
ifeq ($(origin CC),default)
CC := gcc
endif

WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wpointer-arith -Wwrite-strings
ifdef WERROR
WARN    += -Werror
endif
ifdef SAN
SANFLAGS := -fsanitize=$(SAN) -fno-sanitize-recover=undefined -fno-omit-frame-pointer
endif
PKG_schema   := libzstd
PKG_recorder := libzstd
PKG_analyzer := libzstd sqlite3 libpng freetype2 yajl zlib $(if $(filter no,$(LIBDW)),,libdw)
PKG_CONFIG ?= pkg-config
# a library that is loaded where it is used: its header alone
PKG_header = $(if $(filter no,$(HTTP)),,libmicrohttpd)
pkg      = $(shell $(PKG_CONFIG) --$(1) $(2))
OURS    := -std=c11 -D_GNU_SOURCE -I. -I$(B)/gen -pthread -fPIC -fvisibility=hidden -MMD -MP $(WARN) $(SANFLAGS)
Q       := $(if $(V),,@)

# CUDA's headers: the toolkit's, or those of its wheels (CUDA_INC=FOLDER). Only tests want them: the pretend CUDA.
CUDA_INC ?= $(patsubst %/cuda.h,%,$(firstword $(wildcard /usr/local/cuda/include/cuda.h /usr/local/cuda-*/include/cuda.h /usr/include/cuda.h \
	$(VIRTUAL_ENV)/lib/python3*/site-packages/nvidia/*/include/cuda.h /usr/local/lib/python3*/dist-packages/nvidia/*/include/cuda.h)))
# What a build leaves out is a whole file; another of the same functions, which answer "not here", stands for it.
LIBDW    ?= yes
HTTP     ?= $(if $(filter yes,$(shell $(PKG_CONFIG) --exists libmicrohttpd 2>/dev/null && echo yes)),yes,no)
NOT_HTTP := tools/$(if $(filter no,$(HTTP)),serve.c,no_serve.c)
NOT_DW   := analyzer/read/open/$(if $(filter no,$(LIBDW)),symbols.c,no_symbols.c)

# The ladder: each library may use those to its right of the same line.
SRC_schema   := $(sort $(wildcard schema/*.c schema/*/*.c))
SRC_pool     := $(sort $(wildcard recorder/pool/*.c))
SRC_recorder := $(sort $(filter-out recorder/pool/% recorder/preload/%,$(wildcard recorder/*/*.c)))
SRC_analyzer := $(sort $(filter-out $(NOT_DW),$(wildcard analyzer/*/*.c analyzer/*/*/*.c)))
SRC_tools    := $(sort $(filter-out $(NOT_HTTP),$(wildcard tools/*.c)))
SRC_unit     := $(sort $(wildcard tests/unit/*.c))
SQL          := $(sort $(wildcard schema/sql/*.sql schema/sql/*/*.sql))
obj           = $(patsubst %.c,$(B)/obj/%.o,$(1))

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all
all: $(B)/gpusnap ## the command (default)

# --- generated sources ---------------------------------------------------------------------------
# A file that comes, goes or is moved changes a list, whatever its date: what is made of the list is made again.
list = @mkdir -p $(@D); echo $(1) | cmp -s - $@ || echo $(1) > $@
.PHONY: always
$(B)/gen/sql.list: always
	$(call list,$(SQL))
$(B)/gen/suites.list: always
	$(call list,$(SRC_unit))
$(B)/gen/sql.c: $(SQL) $(B)/gen/sql.list tools/embed-sql.sh
	@mkdir -p $(@D)
	$(Q)sh tools/embed-sql.sh $(SQL) > $@
$(B)/gen/page_style.c: analyzer/picture/page.css tools/embed-text.sh
	@mkdir -p $(@D)
	$(Q)sh tools/embed-text.sh gs_page_style $< > $@
$(B)/gen/suites.def: $(B)/gen/suites.list Makefile
	@mkdir -p $(@D)
	$(Q)for f in $(SRC_unit); do case $$f in */check_*.c) n=$${f##*/check_}; echo "SUITE($${n%.c})";; esac; done > $@
FONT ?= /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf
$(B)/obj/font.o: tools/font.S
	@mkdir -p $(@D)
	$(Q)$(CC) -c -Wa,-I$(dir $(FONT)) -DFONT='"$(FONT)"' -o $@ $<

# --- objects and libraries -----------------------------------------------------------------------
$(B)/obj/schema/%.o:   PKGS = $(PKG_schema)
$(B)/obj/recorder/%.o: PKGS = $(PKG_schema) $(PKG_recorder)
$(B)/obj/analyzer/%.o: PKGS = $(PKG_analyzer)
$(B)/obj/tools/%.o:    PKGS = $(PKG_analyzer) $(PKG_header)
$(B)/obj/tests/%.o:    PKGS = check $(PKG_analyzer) $(PKG_recorder)
$(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC   $<"
	$(Q)$(CC) $(OURS) $(call pkg,cflags,$(PKGS)) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
$(B)/obj/gen/%.o: $(B)/gen/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(OURS) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
$(B)/obj/tests/unit/main.o: $(B)/gen/suites.def

$(B)/libschema.a:   $(call obj,$(SRC_schema)) $(B)/obj/gen/sql.o
$(B)/libpool.a:     $(call obj,$(SRC_pool))
$(B)/librecorder.a: $(call obj,$(SRC_recorder))
$(B)/libanalyzer.a: $(call obj,$(SRC_analyzer)) $(B)/obj/font.o $(B)/obj/gen/page_style.o
$(B)/lib%.a:
	@echo "  AR   $@"
	$(Q)rm -f $@ && $(AR) rcs $@ $^

LIBS_all := $(B)/libanalyzer.a $(B)/librecorder.a $(B)/libpool.a $(B)/libschema.a
link      = $(CC) $(SANFLAGS) $(CFLAGS) $(LDFLAGS) -pthread -o $@ $(1) $(call pkg,libs,$(2)) -lm -ldl
$(B)/gpusnap: $(call obj,$(SRC_tools)) $(LIBS_all)
	@echo "  LD   $@"
	$(Q)$(call link,$^,$(PKG_analyzer) $(PKG_recorder))
$(B)/unit: $(call obj,$(SRC_unit) $(filter-out tools/gpusnap.c,$(SRC_tools))) $(LIBS_all)
	@echo "  LD   $@"
	$(Q)$(call link,$^,check $(PKG_analyzer) $(PKG_recorder))

# --- packages ------------------------------------------------------------------------------------
PACKAGES := gcc g++ libc6-dev pkg-config zlib1g-dev libzstd-dev libsqlite3-dev libpng-dev libfreetype-dev fonts-dejavu-core \
	libyajl-dev libdw-dev libmicrohttpd-dev binutils check zstd xz-utils python3 $(filter clang%,$(CC))
.PHONY: deps
deps: ## install the Debian packages that are missing (as root or with sudo)
	@sh tools/deps.sh $(PACKAGES)

# --- checks --------------------------------------------------------------------------------------
# `make check` and `make demo` first install what is missing, then start make again, so that the rest sees it.
CHECKS := check-unit check-cli check-json check-pictures check-traces check-golden check-preload check-fuzz check-headers check-comments check-layers check-format check-sanitize
.PHONY: check check-unit check-headers check-comments check-layers check-sanitize
check: deps ## everything that needs no GPU and no network beyond the packages
	@$(MAKE) --no-print-directory -j$$(nproc) all $(B)/unit
	@sh tools/count-checks.sh "$(MAKE) --no-print-directory" $(CHECKS)
check-unit: $(B)/unit $(B)/gpusnap ## unit tests (Check); ONLY="name name" picks suites
	$(Q)GPUSNAP=$(B)/gpusnap $(B)/unit $(ONLY)
check-headers: ## every header compiles alone
	$(Q)sh tools/check-headers.sh "$(CC) $(OURS) $(call pkg,cflags,$(PKG_analyzer) $(PKG_recorder))" \
		$(sort $(wildcard schema/*.h recorder/*.h recorder/*/*.h analyzer/*/*.h analyzer/*/*/*.h tools/*.h))
check-comments: ## files and names that comments and guides speak of are there
	$(Q)python3 tools/check-comments.py
check-layers: all ## who may include and link whom
	$(Q)sh tools/check-layers.sh $(B)
FORMATTED := $(shell git ls-files '*.c' '*.h' 2>/dev/null | grep -E '^(analyzer|recorder|schema|tools|tests/unit|tests/fuzz)/' | grep -v '^tools/demo/')
.PHONY: format check-format
format: ## lay out the C sources as .clang-format says
	$(Q)clang-format -i $(FORMATTED)
check-format: ## hold the layout of the C sources against .clang-format (version 14; skipped without it)
	$(Q)if clang-format --version 2>/dev/null | grep -q 'version 14'; then \
		clang-format --dry-run -Werror $(FORMATTED) && echo "format: 1 passed, 0 failed"; \
	else echo "format: 0 passed, 0 failed, 1 skipped (no clang-format 14)"; fi
# What is freed is kept for 16 MiB, not 256, so that bounds of memory hold there as elsewhere.
check-sanitize: ## the unit tests under AddressSanitizer and UndefinedBehaviorSanitizer, a process a suite
	$(Q)$(MAKE) --no-print-directory -j$$(nproc) B=$(B)-asan SAN=address,undefined CFLAGS="-O1 -g" $(B)-asan/unit $(B)-asan/gpusnap
	$(Q){ echo pool_random; sed -n 's/SUITE(\(.*\))/\1/p' $(B)-asan/gen/suites.def | grep -v pool_random; } | \
		ASAN_OPTIONS=quarantine_size_mb=16:$$ASAN_OPTIONS GPUSNAP=$(B)-asan/gpusnap xargs -P $$(nproc) -n 1 $(B)-asan/unit

# --- installation ----------------------------------------------------------------------------------
.PHONY: install uninstall
bindir     ?= $(prefix)/bin
datadir    ?= $(prefix)/share
pythondir  ?= $(prefix)/lib/gpusnap/python
PYTHON_FILES := $(shell cd tools/python && find gpusnap -name '*.py' -o -name '*.cpp' -o -name '*.h' -o -name '*.sql' -o -name py.typed)
DIST_INFO     = gpusnap-$(VERSION).dist-info
install: all ## put the command, manual, completion, library and Python package under $(DESTDIR)$(prefix)
	install -D -m 755 $(B)/gpusnap $(DESTDIR)$(bindir)/gpusnap
	for f in $$(cd $(B)/share && find . -type f); do install -D -m 644 $(B)/share/$$f $(DESTDIR)$(datadir)/$$f; done
	$(if $(PAGE),install -D -m 644 $(PAGE) $(DESTDIR)$(datadir)/gpusnap/gpusnap.html)
	install -D -m 755 $(B)/libgpusnap-preload.so $(DESTDIR)$(prefix)/lib/gpusnap/libgpusnap-preload.so
	install -D -m 644 recorder/gpusnap.h $(DESTDIR)$(pythondir)/gpusnap/gpusnap.h
	for f in $(PYTHON_FILES); do install -D -m 644 tools/python/$$f $(DESTDIR)$(pythondir)/$$f; done
	printf '"""The release."""\n\n\ndef release():\n    return "$(VERSION)"\n' > $(DESTDIR)$(pythondir)/gpusnap/_version.py
	mkdir -p $(DESTDIR)$(pythondir)/$(DIST_INFO)
	printf 'Metadata-Version: 2.1\nName: gpusnap\nVersion: $(VERSION)\nRequires-Python: >=3.9\n' > $(DESTDIR)$(pythondir)/$(DIST_INFO)/METADATA
	sed -n '/^\[project.entry-points/,/^$$/{s/^\[project.entry-points\.\(.*\)\]/[\1]/;s/"//g;p}' pyproject.toml > $(DESTDIR)$(pythondir)/$(DIST_INFO)/entry_points.txt
uninstall: $(B)/share.complete ## remove what install put there
	rm -f $(DESTDIR)$(bindir)/gpusnap $$(cd $(B)/share && find . -type f -printf '$(DESTDIR)$(datadir)/%P ') $(DESTDIR)$(datadir)/gpusnap/gpusnap.html
	rm -rf $(DESTDIR)$(prefix)/lib/gpusnap $(DESTDIR)$(pythondir)/gpusnap $(DESTDIR)$(pythondir)/$(DIST_INFO)

.PHONY: clean help
clean: ## remove what was built
	rm -rf $(B)
help: ## this list
	@sed -n 's/^\([a-z%-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | sort -u | expand -t 20

-include $(sort $(wildcard tests/*/rules.mk tools/*/rules.mk recorder/rules.mk recorder/*/rules.mk)) analyzer/rules.mk
-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
