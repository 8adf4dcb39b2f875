# The analyzer as a library for programs (C, Python): libgpusnap-analyzer.so, gpusnap_analyzer.h, its pkg-config file.
ANALYZER_SONAME := libgpusnap-analyzer.so.$(firstword $(subst ., ,$(VERSION)))
all: $(B)/$(ANALYZER_SONAME) $(B)/libgpusnap-analyzer.so
$(B)/$(ANALYZER_SONAME): $(B)/libanalyzer.a $(B)/libpool.a $(B)/libschema.a analyzer/gpusnap_analyzer.map
	@echo "  LD   $@"
	$(Q)$(CC) $(SANFLAGS) $(CFLAGS) $(LDFLAGS) -shared -pthread -Wl,-soname,$(ANALYZER_SONAME) -Wl,--version-script=analyzer/gpusnap_analyzer.map \
		-Wl,-z,defs -o $@ -Wl,--whole-archive $(B)/libanalyzer.a -Wl,--no-whole-archive $(B)/libpool.a $(B)/libschema.a \
		$(call pkg,libs,$(PKG_analyzer)) -lm -ldl
$(B)/libgpusnap-analyzer.so: $(B)/$(ANALYZER_SONAME)
	$(Q)ln -sf $(ANALYZER_SONAME) $@

.PHONY: install-analyzer uninstall-analyzer
install: install-analyzer
install-analyzer: all
	install -D -m 755 $(B)/$(ANALYZER_SONAME) $(DESTDIR)$(libdir)/libgpusnap-analyzer.so.$(VERSION)
	ln -sf libgpusnap-analyzer.so.$(VERSION) $(DESTDIR)$(libdir)/$(ANALYZER_SONAME)
	ln -sf $(ANALYZER_SONAME) $(DESTDIR)$(libdir)/libgpusnap-analyzer.so
	install -D -m 644 analyzer/api/gpusnap_analyzer.h $(DESTDIR)$(includedir)/gpusnap_analyzer.h
	install -d $(DESTDIR)$(libdir)/pkgconfig
	printf '%s\n' 'prefix=$(prefix)' 'libdir=$(libdir)' 'includedir=$(includedir)' '' 'Name: gpusnap-analyzer' \
		'Description: what a snapshot of GPU memory tells: verdict, queries, pictures' 'Version: $(VERSION)' \
		'Libs: -L$${libdir} -lgpusnap-analyzer' 'Cflags: -I$${includedir}' > $(DESTDIR)$(libdir)/pkgconfig/gpusnap-analyzer.pc
uninstall: uninstall-analyzer
uninstall-analyzer:
	rm -f $(DESTDIR)$(libdir)/libgpusnap-analyzer.so.$(VERSION) $(DESTDIR)$(libdir)/$(ANALYZER_SONAME) $(DESTDIR)$(libdir)/libgpusnap-analyzer.so \
		$(DESTDIR)$(includedir)/gpusnap_analyzer.h $(DESTDIR)$(libdir)/pkgconfig/gpusnap-analyzer.pc
