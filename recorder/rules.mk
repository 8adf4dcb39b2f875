# The recorder as a library for programs: libgpusnap.so, libgpusnap.a, gpusnap.h, gpusnap.pc.
VERSION := $(shell sed -n 's/^\#define GS_RELEASE "\(.*\)"/\1/p' schema/version.h)
SONAME  := libgpusnap.so.$(firstword $(subst ., ,$(VERSION)))
libdir     ?= $(prefix)/lib
includedir ?= $(prefix)/include

all: $(B)/$(SONAME) $(B)/libgpusnap.so $(B)/libgpusnap.a

# Only gpusnap_* is seen from outside, under the version that gpusnap.map gives it. It stays loaded once loaded: threads and signals may still come back to it.
OBJ_library := $(call obj,$(SRC_recorder) $(SRC_pool))
$(B)/$(SONAME): $(OBJ_library) $(B)/libschema.a recorder/gpusnap.map
	@echo "  LD   $@"
	$(Q)$(CC) $(SANFLAGS) $(CFLAGS) $(LDFLAGS) -shared -pthread -Wl,-soname,$(SONAME) -Wl,-z,nodelete -Wl,--version-script=recorder/gpusnap.map \
		-o $@ $(filter-out %.map,$^) $(call pkg,libs,$(PKG_schema)) -lm -ldl
$(B)/libgpusnap.so: $(B)/$(SONAME)
	$(Q)ln -sf $(SONAME) $@
$(B)/libgpusnap.a: $(OBJ_library) $(B)/libschema.a
	@echo "  AR   $@"
	$(Q)$(LD) -r -o $(B)/gpusnap.o $^ && $(OBJCOPY) --localize-hidden $(B)/gpusnap.o && rm -f $@ && ar rcs $@ $(B)/gpusnap.o
OBJCOPY ?= objcopy

.PHONY: install-library uninstall-library
# The linker's own list of what lies in its folders (/usr/local/lib), which only root may renew; a packager's DESTDIR is not this system.
tell_linker = @[ -n "$(DESTDIR)" ] || [ "$$(id -u)" != 0 ] || ldconfig 2>/dev/null || true
install: install-library
install-library: all
	install -D -m 755 $(B)/$(SONAME) $(DESTDIR)$(libdir)/libgpusnap.so.$(VERSION)
	ln -sf libgpusnap.so.$(VERSION) $(DESTDIR)$(libdir)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(libdir)/libgpusnap.so
	install -D -m 644 $(B)/libgpusnap.a $(DESTDIR)$(libdir)/libgpusnap.a
	install -D -m 644 recorder/gpusnap.h $(DESTDIR)$(includedir)/gpusnap.h
	install -d $(DESTDIR)$(libdir)/pkgconfig
	printf '%s\n' 'prefix=$(prefix)' 'libdir=$(libdir)' 'includedir=$(includedir)' '' 'Name: gpusnap' \
		'Description: a caching GPU allocator that records and writes a dump when memory runs out' 'Version: $(VERSION)' \
		'Libs: -L$${libdir} -lgpusnap' 'Libs.private: -lzstd -pthread -lm -ldl' 'Cflags: -I$${includedir}' \
		> $(DESTDIR)$(libdir)/pkgconfig/gpusnap.pc
	install -d $(DESTDIR)$(libdir)/cmake/gpusnap
	for f in gpusnapConfig gpusnapConfigVersion; do sed 's|@VERSION@|$(VERSION)|; s|@SONAME@|$(SONAME)|; s|@INCLUDEDIR@|$(includedir)|' \
		recorder/cmake/$$f.cmake.in > $(DESTDIR)$(libdir)/cmake/gpusnap/$$f.cmake; done
	$(tell_linker)
uninstall: uninstall-library
uninstall-library:
	rm -f $(DESTDIR)$(libdir)/libgpusnap.so.$(VERSION) $(DESTDIR)$(libdir)/$(SONAME) $(DESTDIR)$(libdir)/libgpusnap.so \
		$(DESTDIR)$(libdir)/libgpusnap.a $(DESTDIR)$(includedir)/gpusnap.h $(DESTDIR)$(libdir)/pkgconfig/gpusnap.pc
	rm -rf $(DESTDIR)$(libdir)/cmake/gpusnap
	$(tell_linker)
