# The packages as users get them. Their targets are not part of `make check`: they need minutes, root and packages beyond Debian's main build.
.PHONY: deps-check-wheel check-wheel
deps-check-wheel: deps-wheel ## install what make check-wheel needs beside: fresh Debians, a stand-in for aarch64
	@sh tools/deps.sh debootstrap qemu-user libc6-arm64-cross binutils
check-wheel: all ## the wheels in fresh environments of CPython and fresh Debians (after make wheel, deps-check-wheel; chroots need root); TORCH_VENVS="ENVIRONMENT…"
	$(Q)bash tests/package/check_wheel.sh $(B)/dist $(PACKAGE)/check $(PACKAGE_VENV)/bin/python /usr/aarch64-linux-gnu "$(TORCH_RELEASES)" $(B) $(TORCH_VENVS)
.PHONY: deps-check-deb check-deb
deps-check-deb: deps-deb ## install what make check-deb needs beside: lintian, a fresh Debian, CMake
	@sh tools/deps.sh debootstrap lintian cmake make
check-deb: ## the Debian packages: lintian, install, use and removal in a fresh Debian (after make deb, deps-check-deb; the chroot needs root)
	$(Q)bash tests/package/check_deb.sh $(B)/dist $(PACKAGE)/check-deb
.PHONY: check-words
CHECKS += check-words
check-words: $(B)/share.complete ## manual and completion against the program's options, queries and words (bash, zsh, fish, mandoc where they are)
	$(Q)python3 tests/package/check_words.py $(B)
.PHONY: check-ci
CHECKS += check-ci
check-ci: all ## the recipe for CI and the composite action
	$(Q)python3 tests/package/check_ci.py $(B)
