#!/bin/bash
# The Debian packages: lintian, a clean Debian to install them in, the documentation's example on them, their removal.
# usage: check_deb.sh DIST_FOLDER SCRATCH_FOLDER   Ends with `deb: N passed, N failed, N skipped`. The chroot needs root, debootstrap, a mirror.
dist=$(cd "$1" && pwd)
mkdir -p "$2"
scratch=$(cd "$2" && pwd)
check=deb log=$scratch/log
. "$(dirname "$0")/harness.sh"

for p in gpusnap libgpusnap1 libgpusnap-analyzer1 libgpusnap-dev python3-gpusnap; do
	expect "$p is built" sh -c "ls '$dist/${p}_$release-1_'*.deb"
done
if command -v lintian >/dev/null; then
	expect "lintian finds no error" lintian --fail-on error --allow-root "$dist"/gpusnap_"$release"-1_*.changes
	cp "$log" "$scratch/lintian"
else
	skip "lintian is not here"
fi
expect "make dist gives the same bytes twice" sh -c "cd '$here' && make -s dist B='$scratch/one' && make -s dist B='$scratch/two' && cmp '$scratch'/one/dist/*-source.tar.gz '$scratch'/two/dist/*-source.tar.gz"

# the library's symbols carry a version, CMake finds it
root=$scratch/unpacked
rm -rf "$root" && mkdir -p "$root"
for f in "$dist"/libgpusnap1_"$release"-1_*.deb "$dist"/libgpusnap-analyzer1_"$release"-1_*.deb "$dist"/libgpusnap-dev_"$release"-1_*.deb; do dpkg-deb -x "$f" "$root"; done
expect "programs need the version of the library's symbols" sh -c "nm -D '$root'/usr/lib/*/libgpusnap.so.1 | grep -q 'gpusnap_open@@GPUSNAP_1'"
sed -n '/^```c$/,/^```$/p' "$here/docs/record.md" | sed '/^```/d' >"$scratch/example.c"
if command -v cmake >/dev/null; then
	cat >"$scratch/CMakeLists.txt" <<-'END'
		cmake_minimum_required(VERSION 3.13)
		project(example C)
		find_package(gpusnap 1.0 REQUIRED CONFIG)
		add_executable(example example.c)
		target_link_libraries(example gpusnap::gpusnap)
		add_executable(example-static example.c)
		target_link_libraries(example-static gpusnap::static)
	END
	rm -rf "$scratch/cmake"
	expect "CMake finds the package, shared and static" sh -c "cd '$scratch' && cmake -S . -B cmake -DCMAKE_PREFIX_PATH='$root/usr' && cmake --build cmake"
	for program in example example-static; do
		expect "CMake's $program runs" sh -c "cd '$scratch' && GPUSNAP_DIR='$scratch/cmake/dumps' cmake/$program 2>&1 | grep 'out of memory'"
	done
	sed -i 's/gpusnap 1.0 /gpusnap 2 /' "$scratch/CMakeLists.txt"
	expect "CMake refuses another major release" sh -c "cd '$scratch' && ! cmake -S . -B cmake-2 -DCMAKE_PREFIX_PATH='$root/usr'"
	rm -rf "$scratch/cmake" "$scratch/cmake-2"
else
	skip "cmake is not here"
fi

base=$scratch/chroot-base clean=$scratch/chroot
debian bookworm "$base" || finish
rm -rf "$clean" && cp -a "$base" "$clean"
cp /etc/resolv.conf "$clean/etc/"
inside() { ${alone-} chroot "$clean" env -u GPUSNAP_DIR LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive sh -c "cd /tmp && $1"; }

# the source package, built where there is what it names and nothing else
cp "$dist"/gpusnap_"$release"-1.dsc "$dist"/gpusnap_"$release".orig*.tar.* "$dist"/gpusnap_"$release"-1.debian.tar.* "$clean/tmp/"
inside "apt-get update" >/dev/null 2>&1
expect "Debian has all that the source package is built of" inside "apt-get install -y --no-install-recommends dpkg-dev && apt-get build-dep -y --no-install-recommends ./gpusnap_*.dsc"
! unshare -n true 2>/dev/null || alone="unshare -n"
expect "it is built there without a network" inside "dpkg-source -x gpusnap_*.dsc built && cd built && dpkg-buildpackage -us -uc -b"
alone=
page_of() { dpkg-deb --fsys-tarfile "$1"/gpusnap_"$release"-1_*.deb | tar xO ./usr/share/gpusnap/gpusnap.html | sha256sum; }
expect "with the same page" sh -c "test '$(page_of "$dist")' = '$(page_of "$clean/tmp")'"

rm -rf "$clean" && cp -a "$base" "$clean"
cp /etc/resolv.conf "$clean/etc/"
cp "$dist"/*_"$release"-1_*.deb "$clean/tmp/"
cp "$here/tests/data/faults/pinned.pickle" "$scratch/example.c" "$clean/tmp/"
inside "apt-get update" >/dev/null 2>&1
names() { (cd "$clean" && find . -xdev -iname '*gpusnap*' ! -path './var/*' ! -path './tmp/*' | sort); }
names >"$scratch/before"
expect "apt installs the command" inside "apt-get install -y --no-install-recommends ./gpusnap_*.deb"
expect "it answers" inside "gpusnap diagnose pinned.pickle --json | grep '\"kind\":\"fragmentation\"'"
expect "and draws" inside "gpusnap map pinned.pickle -o map.png && test \$(wc -c <map.png) -gt 10000"
view='timeout 10 gpusnap view --serve pinned.pickle'
expect "it says what serving needs" inside "! $view 2>said && grep 'libmicrohttpd12.*libmicrohttpd.so.12: cannot open' said"
expect "what the package recommends can be installed" inside "apt-get install -y --no-install-recommends \$(dpkg-query -W -f='\${Recommends}' gpusnap)"
expect "and the page is served" inside "$view | grep '^http://127.0.0.1:'"
expect "apt installs the library for programs and Python's package" inside \
	"apt-get install -y --no-install-recommends ./libgpusnap1_*.deb ./libgpusnap-analyzer1_*.deb ./libgpusnap-dev_*.deb ./python3-gpusnap_*.deb gcc libc6-dev pkg-config"
expect "the documentation's example compiles" inside "cc -Wall -Werror -o example example.c \$(pkg-config --cflags --libs gpusnap)"
expect "and leaves a dump that the command reads" inside "rm -rf d && GPUSNAP_DIR=d ./example; gpusnap diagnose d/*.gsnap"
expect "it also links statically" inside "cc -o example example.c -l:libgpusnap.a \$(pkg-config --static --libs gpusnap | sed 's/-lgpusnap//') && GPUSNAP_DIR=d ./example 2>&1 | grep 'out of memory'"
expect "Python records" inside "GPUSNAP_DIR=d python3 -c 'import gpusnap; from gpusnap import native; native.open_recorder(simulated=1, simulated_bytes=1 << 30); print(gpusnap.__version__)' | grep -x '$release'"
expect "an unchanged program runs with the preload" inside "test \"\$(gpusnap run python3 -c 'print(6 * 7)')\" = 42"
expect "and Python is watched for torch" inside "gpusnap run python3 -c 'import sys; print(type(sys.meta_path[0]).__name__)' | grep -x _Start"
expect "the server for agents says what it needs" inside "gpusnap mcp 2>&1 | grep \"pip install 'gpusnap\\[mcp\\]'\""
expect "apt installs pytest beside it" inside "apt-get install -y --no-install-recommends python3-pytest"
expect "pytest finds the plugin" inside "python3 -m pytest --help | grep -- --gpusnap-update"
printf 'import pytest\n@pytest.mark.gpu_memory(peak="1 GiB")\ndef test_it(): pass\n' >"$clean/tmp/test_it.py"
expect "and skips with a reason where nothing can be measured" inside "python3 -m pytest -rs --gpusnap test_it.py | grep 'SKIPPED.*PyTorch cannot be imported'"
expect "Python analyses" inside "python3 -c 'import gpusnap; assert gpusnap.open(\"pinned.pickle\").diagnose().kind == \"fragmentation\"'"
use_page "chroot $clean env LC_ALL=C.UTF-8" python3 gpusnap /tmp "installed"
expect "the manual is there" inside "test -s /usr/share/man/man1/gpusnap.1.gz || grep -q 'path-exclude.*man' /etc/dpkg/dpkg.cfg.d/*"
inside "rm -rf .pytest_cache __pycache__"
expect "purge removes them" inside "apt-get purge -y gpusnap libgpusnap1 libgpusnap-analyzer1 libgpusnap-dev python3-gpusnap"
names >"$scratch/after"
expect "and leaves nothing" diff "$scratch/before" "$scratch/after"
rm -rf "$clean"
finish
