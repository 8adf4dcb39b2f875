#!/bin/bash
# The wheels as users get them: in fresh environments of the oldest and newest CPython and in fresh Debians that have pip and nothing else.
# usage: check_wheel.sh DIST_FOLDER SCRATCH_FOLDER PYTHON_WITH_AUDITWHEEL LIBRARIES_OF_AARCH64 PYTORCH_RELEASES BUILD [ENVIRONMENT_WITH_PYTORCH…]
# Ends with `wheel: N passed, N failed, N skipped`. Chroots need root and debootstrap; they are kept in the scratch folder.
dist=$(cd "$1" && pwd) tools=$3
mkdir -p "$2"
scratch=$(cd "$2" && pwd)
check=wheel log=$scratch/log
. "$(dirname "$0")/harness.sh"
x86=$dist/gpusnap-$release-py3-none-manylinux_2_28_x86_64.whl
arm=$dist/gpusnap-$release-py3-none-manylinux_2_28_aarch64.whl

# What a user does first. $1: the command to start the place with (env, chroot), $2: python there, $3: gpusnap there, $4: the scratch folder
# as the place sees it, $5: as we see it.
use_it() {
	rm -rf "$5/use"
	mkdir -p "$5/use"
	cp "$here/tests/data/faults/pinned.pickle" "$5/use/"
	printf 'malloc a 600 m\nfree a\nmalloc b 300 m\nmalloc c 20 m\nfree b\nmalloc d 500 m\n' >"$5/use/story.in"
	cat >"$5/use/record.py" <<-'END'
		import ctypes, gpusnap
		from gpusnap import native
		native.open_recorder(simulated=1, simulated_bytes=1 << 30, stacks='python', dir='dumps')
		def load_batch(bytes):
		    at = ctypes.c_void_p()
		    return native.lib.gpusnap_malloc(0, bytes, None, at)
		assert load_batch(700 << 20) == native.OK
		assert load_batch(400 << 20) == native.OUT_OF_MEMORY
		native.lib.gpusnap_close()
		print(gpusnap.__version__)
	END
	in_place() { $1 sh -c "cd $2/use && $3"; }
	expect "$6: the command tells the release" in_place "$1" "$4" "test \"\$($3 --version)\" = 'gpusnap $release'"
	expect "$6: the package has the same release, and records a run" in_place "$1" "$4" "test \"\$($2 record.py)\" = $release"
	expect "$6: the dump's verdict names the line" in_place "$1" "$4" \
		"GPUSNAP_DIR=dumps $3 query 'SELECT f.name, f.file, f.line FROM oom o JOIN stack_frame s ON s.stack_id = o.stack_id JOIN frame f ON f.id = s.frame_id WHERE s.depth = 0' | grep load_batch | grep record.py"
	expect "$6: a simulated run" in_place "$1" "$4" "$3 sim story.in --capacity 1000MiB -o story.gsnap && $3 diagnose story.gsnap --json | grep '\"fragmented\"'"
	expect "$6: a pickle" in_place "$1" "$4" "$3 diagnose pinned.pickle --json | grep '\"kind\":\"fragmentation\"'"
	expect "$6: the package reads it too" in_place "$1" "$4" "$2 -c 'import gpusnap; assert gpusnap.open(\"pinned.pickle\").diagnose().kind == \"fragmentation\"'"
	expect "$6: a map with text" in_place "$1" "$4" "$3 map pinned.pickle -o map.png && test \$(wc -c <map.png) -gt 10000"
	[ -z "$with_page" ] || use_page "$1" "$2" "$3" "$4/use" "$6"
	expect "$6: a program is run with the preload" in_place "$1" "$4" "test \"\$($3 run $2 -c 'print(6 * 7)')\" = 42"
	expect "$6: the preload is the package's" in_place "$1" "$4" "$3 run $2 -c 'import os; print(os.environ[\"LD_PRELOAD\"])' | grep '/gpusnap/libgpusnap-preload.so'"
	expect "$6: and Python is watched for torch" in_place "$1" "$4" "$3 run $2 -c 'import sys; print(type(sys.meta_path[0]).__name__)' | grep -x _Start"
	expect "$6: the module starts a program" in_place "$1" "$4" "test \"\$($2 -m gpusnap run -m platform)\""
}

expect "both wheels are there" ls "$x86" "$arm"
for w in "$x86" "$arm"; do
	expect "$(basename "$w"): at most 12 MB" test "$(stat -c %s "$w")" -le 12000000
	expect "$(basename "$w"): auditwheel agrees with its name" sh -c "$tools -m auditwheel show '$w' | tee '$log.audit' | tr '\n' ' ' | grep -q 'platform tag: \"manylinux_2_28'"
done

for processor in x86_64 aarch64; do
	wheel=$x86
	[ $processor = x86_64 ] || wheel=$arm
	python3 "$here/tests/package/check_glue.py" "$wheel" $processor $5 >"$log" 2>&1
	case $? in
	0) passed=$((passed + 1)) ;;
	77) skip "the wheel for $processor brings no glue of PyTorch (make deps-glue before make wheel)" ;;
	*) failed=$((failed + 1)) && echo "wheel: failed: the glue of PyTorch for $processor" && sed 's/^/  /' "$log" | tail -n 20 ;;
	esac
done
with_page=
if [ -e "$6/page/gpusnap.html" ] || [ -e "$6/share/gpusnap/gpusnap.html" ]; then
	with_page=yes
	expect "the page for the browser is in both wheels" sh -c \
		"for w in '$x86' '$arm'; do python3 -m zipfile -l \$w | grep -q 'data/share/gpusnap/gpusnap.html' || exit 1; done"
else
	skip "the page for the browser was not built (make page)"
fi

# Without a compiler: PyTorch is watched, and its allocator replaced, by what the wheel brings.
for venv in "${@:7}"; do
	[ -x "$venv/bin/python" ] || { skip "no PyTorch in $venv"; continue; }
	rm -rf "$scratch/for-torch" "$scratch/cache"
	expect "pip installs the wheel for the Python of $venv" "$venv/bin/python" -m pip install --no-index --no-deps --target "$scratch/for-torch" "$x86"
	expect "attach() and use() need no compiler with the PyTorch of $venv" sh -c "cd '$here' && CXX=/bin/false XDG_CACHE_HOME='$scratch/cache' \
		PACKAGE='$scratch/for-torch' python3 tests/torch/check_torch.py '$venv/bin/python' '$6' attach_leaves_one_dump_that_names_the_lines \
		the_dump_equals_the_snapshot_of_the_same_observer_call use_leaves_one_dump_that_names_the_lines | tee '$log.torch' && grep ' 3 passed, 0 failed' '$log.torch'"
	expect "a PyTorch that the wheel does not know is told what it knows" sh -c "cd '$here' && PACKAGE='$scratch/for-torch' python3 tests/torch/check_torch.py \
		'$venv/bin/python' '$6' a_release_that_nobody_knew_is_recorded_all_the_same | tee '$log.torch' && grep ' 1 passed, 0 failed' '$log.torch'"
	expect "nothing was compiled there" sh -c "ls '$scratch/cache/gpusnap' && ! ls '$scratch'/cache/gpusnap/*.log"
	rm -rf "$scratch/for-torch" "$scratch/cache"
done
[ $# -gt 6 ] || skip "no environment with PyTorch was named (TORCH_VENVS)"

find_python() {
	local f
	for f in "$(command -v "python$1")" "$HOME"/.pyenv/versions/"$1".*/bin/python"$1"; do
		[ -x "$f" ] && "$f" -c "import sys; assert sys.version_info[:2] == tuple(map(int, '$1'.split('.')))" 2>/dev/null && { echo "$f"; return; }
	done
}
for version in 3.9 3.10 3.11 3.12 3.13 3.14; do
	python=$(find_python $version)
	[ -n "$python" ] || { skip "CPython $version is not here"; continue; }
	place=$scratch/python-$version
	rm -rf "$place"
	expect "Python $version: pip installs the wheel" sh -c "$python -m venv '$place' && '$place/bin/pip' install --no-index '$x86'"
	use_it env "$place/bin/python" "$place/bin/gpusnap" "$place" "$place" "Python $version"
	expect "Python $version: pip uninstalls it" "$place/bin/pip" uninstall -y gpusnap
	expect "Python $version: and nothing is left" sh -c "! find '$place' -iname '*gpusnap*' | grep ."
	rm -rf "$place"
done

for suite in bullseye bookworm trixie sid; do
	root=$scratch/chroot-$suite
	debian $suite "$root" python3-pip || continue
	cp "$x86" "$root/"
	break=
	! chroot "$root" pip install --help | grep -q break-system || break=--break-system-packages
	expect "Debian $suite: pip installs the wheel" chroot "$root" pip install --no-index --force-reinstall $break "/$(basename "$x86")"
	mkdir -p "$root/scratch"
	use_it "chroot $root" python3 gpusnap /scratch "$root/scratch" "Debian $suite"
	expect "Debian $suite: pip uninstalls it" chroot "$root" pip uninstall -y $break gpusnap
	expect "Debian $suite: and nothing is left" sh -c "! find '$root/usr' -iname '*gpusnap*' | grep ."
	rm -rf "$root/scratch" "$root/$(basename "$x86")"
done

# With what users install beside it, from PyPI: pytest and the Model Context Protocol's package.
place=$scratch/python-extras
rm -rf "$place"
if python3 -m venv "$place" && "$place/bin/pip" install -q pytest "gpusnap[mcp] @ file://$x86" >"$log" 2>&1; then
	expect "pytest finds the plugin" sh -c "cd '$scratch' && '$place/bin/pytest' --help | grep -- --gpusnap-update"
	printf 'import pytest\n@pytest.mark.gpu_memory(peak="1 GiB")\ndef test_it(): pass\n' >"$scratch/test_it.py"
	expect "and skips with a reason where nothing can be measured" sh -c "cd '$scratch' && '$place/bin/pytest' -rs --gpusnap test_it.py | grep 'SKIPPED.*PyTorch cannot be imported'"
	expect "pip's extra brings the server for agents" "$place/bin/python" "$here/tests/mcp/check_mcp.py" "$place/bin"
else
	skip "pytest and mcp cannot be installed ($(tail -n 1 "$log"))"
fi
rm -rf "$place" "$scratch/test_it.py"

# the source distribution, built here with what make deps installs
sdist=$dist/gpusnap-$release.tar.gz
expect "the source distribution is there" ls "$sdist"
rm -rf "$scratch/built" "$scratch/python-sdist"
expect "without libraries it says which packages are missing" sh -c \
	"! PKG_CONFIG_LIBDIR=/nonexistent $tools -m pip wheel --no-cache-dir --no-build-isolation --no-deps -w '$scratch/built' '$sdist' >'$log.sdist' 2>&1 && grep 'missing: .*libzstd-dev.*libdw-dev' '$log.sdist'"
expect "it builds with the system's libraries" "$tools" -m pip wheel --no-cache-dir --no-build-isolation --no-deps -w "$scratch/built" "$sdist"
expect "what it builds is installed" sh -c "python3 -m venv '$scratch/python-sdist' && '$scratch/python-sdist/bin/pip' install --no-index '$scratch'/built/*.whl"
with_page= # its page needs another compiler
use_it env "$scratch/python-sdist/bin/python" "$scratch/python-sdist/bin/gpusnap" "$scratch/python-sdist" "$scratch/python-sdist" "source distribution"
expect "source distribution: where the page is not there it says how to get one" sh -c \
	"! '$scratch/python-sdist/bin/gpusnap' page -o '$scratch/page.html' 2>'$log.page' && grep 'make deps-page page' '$log.page' && test ! -e '$scratch/page.html'"
rm -rf "$scratch/built" "$scratch/python-sdist"

# the other processor
rm -rf "$scratch/aarch64"
expect "aarch64: the wheel unpacks" python3 -m zipfile -e "$arm" "$scratch/aarch64"
for f in "gpusnap-$release.data/scripts/gpusnap" gpusnap/libgpusnap.so.1 gpusnap/libgpusnap-analyzer.so.1 gpusnap/libgpusnap-preload.so; do
	expect "aarch64: $f is for it" sh -c "readelf -h '$scratch/aarch64/$f' | grep 'Machine:.*AArch64'"
done
if command -v qemu-aarch64 >/dev/null && [ -d "$4" ]; then
	command=$scratch/aarch64/gpusnap-$release.data/scripts/gpusnap
	chmod +x "$command"
	other() { qemu-aarch64 -L "$arm_root" "$command" "$@"; }
	arm_root=$4
	expect "aarch64 under qemu: the command tells the release" sh -c "qemu-aarch64 -L '$4' '$command' --version | grep -x 'gpusnap $release'"
	rm -rf "$scratch/python-here"
	python3 -m venv "$scratch/python-here" && "$scratch/python-here/bin/pip" install -q --no-index "$x86"
	for f in "$here"/tests/data/faults/*.pickle "$here"/tests/data/diagnose/*.zst; do
		expect "aarch64 under qemu: $(basename "$f") reads alike" cmp <(other diagnose "$f" --json 2>&1) <("$scratch/python-here/bin/gpusnap" diagnose "$f" --json 2>&1)
	done
	rm -rf "$scratch/python-here"
else
	skip "the aarch64 wheel is not run (qemu-user, libc6-arm64-cross)"
fi
finish
