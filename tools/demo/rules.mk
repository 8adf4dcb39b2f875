# The demo's program, on the recorder's library; not optimised, so that each call site is a frame.
$(B)/obj/tools/demo/%.o: CFLAGS = -O0 -g
$(B)/demo: $(call obj,tools/demo/fragment.c) $(B)/libgpusnap.a
	@echo "  LD   $@"
	$(Q)$(call link,$^,libzstd)
.PHONY: demo
demo: deps ## the story of fragmentation, on a simulated device
	@$(MAKE) --no-print-directory -j$$(nproc) all $(B)/demo
	@sh tools/demo/demo.sh $(B)
