# What users install: the Python wheel, the static command, packages. The parts that all of them are made of lie in a folder:
# bin/ (the command), lib*.so* (libraries beside the Python package), share/ (manual, completion), licenses/.
PARTS ?= $(B)/parts
# a build for another processor takes what the command says of itself from one that runs here
HERE  ?= $(B)
# the page for the browser, where one was built: share/gpusnap/gpusnap.html
PAGE  ?= $(firstword $(wildcard $(HERE)/page/gpusnap.html $(HERE)/share/gpusnap/gpusnap.html))
.PHONY: parts
parts: $(B)/gpusnap $(B)/$(SONAME) $(B)/libgpusnap-analyzer.so $(B)/libgpusnap-preload.so $(if $(filter $(B),$(HERE)),$(B)/share.complete)
	$(Q)rm -rf $(PARTS) && mkdir -p $(PARTS)/bin
	$(Q)cp $(B)/gpusnap $(PARTS)/bin/
	$(Q)cp $(B)/$(SONAME) $(B)/$(ANALYZER_SONAME) $(B)/libgpusnap-preload.so recorder/gpusnap.h $(PARTS)/
	$(Q)cp -r $(HERE)/share $(PARTS)/
	$(Q)$(if $(PAGE),install -D -m 644 $(PAGE) $(PARTS)/share/gpusnap/gpusnap.html,echo "parts: without the page for the browser (make page)" >&2)

# Manual pages and completion: the command makes them from the tables that its --help prints.
all: $(B)/share.complete
$(B)/share.complete: $(B)/gpusnap tools/package/share.sh tools/gpusnap.1 $(wildcard tools/man/*)
	@echo "  GEN  manual, completion"
	$(Q)sh tools/package/share.sh $(B)/gpusnap $(B)/share
	$(Q)touch $@

# Other systems: zig (from PyPI) compiles and links for any glibc, musl and processor; the libraries are built from Debian's sources.
PACKAGE   := $(B)/package
PACKAGE_VENV ?= $(PACKAGE)/venv
ZIG       := $(PACKAGE_VENV)/bin/python-zig
PACKAGE_TOOLS := ziglang==0.17.1 hatchling build auditwheel nvidia-cuda-runtime nvidia-cuda-crt
export ZIG_GLOBAL_CACHE_DIR ?= $(abspath $(PACKAGE))/zig-cache
export ZIG_LOCAL_CACHE_DIR  ?= $(abspath $(PACKAGE))/zig-cache
# what fetches and unpacks the libraries' sources
SOURCE_TOOLS := dpkg-dev tcl xz-utils
.PHONY: deps-wheel
deps-wheel: ## install what make wheel and make static need (Debian packages and, from PyPI, zig)
	@sh tools/deps.sh gcc libc6-dev pkg-config $(SOURCE_TOOLS) fonts-dejavu-core python3-venv
	@[ -e $(PACKAGE_VENV)/complete ] || { python3 -m venv $(PACKAGE_VENV) && $(PACKAGE_VENV)/bin/pip install --quiet $(PACKAGE_TOOLS) && \
		touch $(PACKAGE_VENV)/complete; }
$(PACKAGE_VENV)/complete:
	@echo "package: zig is not here; \`make deps-wheel\` installs it" >&2; exit 1
# the libraries' sources; a Debian source package has its own
SOURCES   ?= $(PACKAGE)/sources
$(SOURCES)/complete:
	@echo "  GET  sources of the libraries"
	$(Q)sh tools/package/sources.sh $(@D)
$(PACKAGE)/libs-%/complete: $(SOURCES)/complete tools/package/libs.sh | $(PACKAGE_VENV)/complete
	@echo "  CC   the libraries for $*"
	+$(Q)rm -f $@ && CC="$(abspath $(ZIG)) cc -target $*" AR="$(abspath $(ZIG)) ar" sh tools/package/libs.sh $(SOURCES) $(@D)

# make for another system. $(1): the target as zig names it, $(2): what to make
for_system = $(MAKE) --no-print-directory B=$(PACKAGE)/$(1) CC="$(abspath $(ZIG)) cc -target $(1)" AR="$(abspath $(ZIG)) ar" \
	PKG_CONFIG="env PKG_CONFIG_LIBDIR=$(abspath $(PACKAGE)/libs-$(1))/lib/pkgconfig pkg-config --static" LIBDW=no \
	CFLAGS="-O2 -g0" HERE=$(B) $(2)

GLIBC := 2.28
WHEELS := x86_64 aarch64

# The glue of PyTorch (tools/python/gpusnap/torch_*.cpp), compiled for the releases that the project supports, so that users need no
# compiler: the last patch of each, for within a minor release the headers that it includes are the same. 2.6 came with both ABIs of
# std::string. Without `make deps-glue` a wheel brings none, and says so.
TORCH_RELEASES := 2.6.0 2.7.1 2.8.0 2.9.1 2.10.0 2.11.0 2.12.1 2.13.0 2.14.1 2.15.0
GLUE := $(TORCH_RELEASES:%=%-1) 2.6.0-0
GLUE_SOURCES := $(wildcard tools/python/gpusnap/torch_*.cpp tools/python/gpusnap/torch_*.h) recorder/gpusnap.h
.PHONY: deps-glue glue
deps-glue: deps-wheel ## install what the prebuilt glue of PyTorch needs: headers of its releases (3 GB from PyPI, of which 0.6 are kept)
	@sh tools/deps.sh g++ g++-aarch64-linux-gnu
	@sh tools/package/torch_headers.sh $(PACKAGE_VENV)/bin/pip $(PACKAGE)/torch $(TORCH_RELEASES)
	@touch $(PACKAGE)/torch/complete
$(PACKAGE)/glue/%/complete: $(GLUE_SOURCES) tools/package/glue.sh | $(PACKAGE)/torch/complete
	@echo "  CC   the glue for $*"
	$(Q)sh tools/package/glue.sh $* $(PACKAGE)/torch $(wildcard $(PACKAGE_VENV)/lib/python3*/site-packages/nvidia/cu*/include) \
		$(abspath $(ZIG)) $(@D)
$(PACKAGE)/torch/complete:
	@echo "package: the headers of PyTorch are not here; \`make deps-glue\` fetches them" >&2; exit 1
glue: $(WHEELS:%=$(PACKAGE)/glue-%.zip) ## the glue of PyTorch for the wheels (after make deps-glue); make wheel does it too
define glue_archive
$(PACKAGE)/glue-$(1).zip: $(GLUE:%=$(PACKAGE)/glue/$(1)-%/complete) tools/package/glue_archive.py
	$(Q)python3 tools/package/glue_archive.py $$@ $(GLUE:%=$(PACKAGE)/glue/$(1)-%)
endef
$(foreach arch,$(WHEELS),$(eval $(call glue_archive,$(arch))))
.PHONY: wheel wheel-% sdist static
wheel: $(WHEELS:%=wheel-%) sdist ## the Python wheels for x86_64 and aarch64 and the source distribution (after make deps-wheel), in build/dist
sdist: | $(PACKAGE_VENV)/complete
	$(Q)$(PACKAGE_VENV)/bin/python -m hatchling build -t sdist -d $(abspath $(B))/dist
ifneq ($(wildcard $(PACKAGE)/torch/complete),)
$(foreach arch,$(WHEELS),$(eval wheel-$(arch): $(PACKAGE)/glue-$(arch).zip))
endif
# with -j the page is waited for where it is asked for too
wheel-%: $(PACKAGE)/libs-%-linux-gnu.$(GLIBC)/complete $(B)/share.complete $(if $(filter page,$(MAKECMDGOALS)),$(B)/page/gpusnap.html)
	+$(Q)$(call for_system,$*-linux-gnu.$(GLIBC),LDFLAGS=-s parts)
	$(Q)if [ -e $(PACKAGE)/torch/complete ]; then cp $(PACKAGE)/glue-$*.zip $(PACKAGE)/$*-linux-gnu.$(GLIBC)/parts/torch_prebuilt.zip; \
		else echo "wheel: WITHOUT prebuilt glue of PyTorch (make deps-glue): users need a compiler" >&2; fi
	$(Q)for l in $(SOURCES)/*/debian/copyright; do n=$${l%/debian/copyright}; \
		install -D -m 644 $$l $(PACKAGE)/$*-linux-gnu.$(GLIBC)/parts/licenses/$${n##*/}; done
	$(Q)GPUSNAP_PARTS=$(abspath $(PACKAGE))/$*-linux-gnu.$(GLIBC)/parts GPUSNAP_PLATFORM=manylinux_$(subst .,_,$(GLIBC))_$* \
		$(PACKAGE_VENV)/bin/python -m hatchling build -t wheel -d $(abspath $(B))/dist
static: $(PACKAGE)/libs-x86_64-linux-musl/complete ## one static file of the command for any x86_64 Linux: build/gpusnap-static (after make deps-wheel)
	+$(Q)$(call for_system,x86_64-linux-musl,LDFLAGS="-s -static" $(PACKAGE)/x86_64-linux-musl/gpusnap)
	$(Q)cp $(PACKAGE)/x86_64-linux-musl/gpusnap $(B)/gpusnap-static

# Sources and Debian packages. What is committed is packed, at the commit's time, so that twice gives the same bytes.
DIST := $(B)/dist/gpusnap-$(VERSION)-source.tar.gz
.PHONY: dist deb
dist: ## the sources that are committed, as build/dist/gpusnap-VERSION.tar.gz: the same bytes each time
	@mkdir -p $(B)/dist
	$(Q)git archive --format=tar --prefix=gpusnap-$(VERSION)/ HEAD | gzip -9n > $(DIST)
	@echo $(DIST)
deb: dist $(SOURCES)/complete ## Debian packages of what is committed (after make deps-deb), in build/dist
	$(Q)rm -rf $(PACKAGE)/deb && mkdir -p $(PACKAGE)/deb
	$(Q)cp $(DIST) $(PACKAGE)/deb/gpusnap_$(VERSION).orig.tar.gz
	$(Q)sh tools/package/libraries.sh $(SOURCES) $$(git log -1 --format=%ct) $(PACKAGE)/deb/gpusnap_$(VERSION).orig-libraries.tar.gz
	$(Q)tar xzf $(DIST) -C $(PACKAGE)/deb && tar xzf $(PACKAGE)/deb/gpusnap_$(VERSION).orig-libraries.tar.gz -C $(PACKAGE)/deb/gpusnap-$(VERSION)
	$(Q)epoch=$$(git log -1 --format=%ct); sh tools/package/changelog.sh $(VERSION) $$epoch > $(PACKAGE)/deb/gpusnap-$(VERSION)/debian/changelog && \
		cd $(PACKAGE)/deb/gpusnap-$(VERSION) && env -u MAKEFLAGS -u MAKELEVEL SOURCE_DATE_EPOCH=$$epoch \
		dpkg-buildpackage -us -uc -d > ../log 2>&1 || { tail -n 30 ../log >&2; exit 1; }
	$(Q)cp $(PACKAGE)/deb/*_$(VERSION)* $(B)/dist/
	@ls $(B)/dist/*.deb
.PHONY: deps-deb
deps-deb: deps deps-page-clang ## install what make deb needs
	@sh tools/deps.sh dpkg-dev debhelper dh-python fakeroot
