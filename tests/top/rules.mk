# gpusnap top on a terminal.
.PHONY: deps-top check-top
deps-top: ## install what make check-top needs: tmux (Debian)
	@sh tools/deps.sh tmux
$(B)/top/live: tests/top/live.c recorder/gpusnap.h $(B)/libgpusnap.so
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -O1 -g -Wall -Wextra -I. -o $@ $< -L$(B) -lgpusnap -Wl,-rpath,'$$ORIGIN/..'
check-top: $(B)/gpusnap $(B)/top/live ## gpusnap top at 80 and 200 columns, resized, quit, piped (after make deps-top)
	@if command -v tmux > /dev/null; then python3 tests/top/check_top.py $(B); \
	else echo "check-top: SKIPPED: there is no tmux (make deps-top)"; echo "top: 0 passed, 0 failed, 1 skipped"; fi
