#!/bin/sh
# Runs the programs of this folder. usage: check.sh BUILD_FOLDER PROGRAMS_FOLDER   (CC, MAKE and CUDA_INC in the environment)
build=$1 dir=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0 skipped=0
unset GPUSNAP_DIR GPUSNAP_CONF PYTORCH_ALLOC_CONF PYTORCH_CUDA_ALLOC_CONF
expect() { # what, command…
	what=$1
	shift
	if "$@" >"$tmp/out" 2>"$tmp/err"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "recorder: failed: $what"
		sed 's/^/  /' "$tmp/out" "$tmp/err"
	fi
}
skip() {
	skipped=$((skipped + 1))
	echo "recorder: SKIPPED: $*" >&2
}

expect "a dump without heap, stdio, environment and local time" "$dir/quiet" "$tmp/quiet"
for f in "$tmp"/quiet/*.gsnap; do
	expect "zstd accepts the dump" zstd -qt "$f"
	expect "the dump has 100,000 events and 10,000 blocks" sh -c \
		"'$build/gpusnap' query '$f' summary --format tsv | awk -F'\t' 'NR == 2 && \$3 >= 10000 && \$13 == 100000 { ok = 1 } END { exit !ok }'"
done

expect "without a driver open says so" env LD_LIBRARY_PATH=/nonexistent "$dir/cuda" "$tmp/cuda" 0
if [ -f "$dir/libcuda.so.1" ]; then
	expect "the CUDA device on the pretend driver" env LD_LIBRARY_PATH="$dir" "$dir/cuda" "$tmp/cuda" 1
	expect "two CUDA devices" env LD_LIBRARY_PATH="$dir" FAKE_CUDA_DEVICES=2 "$dir/cuda" "$tmp/cuda" 2
	expect "the dump names the device" sh -c "'$build/gpusnap' query '$tmp'/cuda/oom*d0*.gsnap 'SELECT name FROM device' | grep -q 'Pretend'"
	# more processes than have rows of their own; of one the name holds a blank
	others=$(seq -f '%.0f:8:server' -s , 5001 5040)
	mkdir "$tmp/my tools"
	touch "$tmp/my tools/viewer"
	expect "forty other processes" env LD_LIBRARY_PATH="$dir" FAKE_CUDA_OTHER_MIB=336 FAKE_NVML_OTHERS="77:16:$tmp/my tools/viewer --all,$others" "$dir/cuda" "$tmp/shared" 1
	expect "are named as far as there is room, and the sum is the device's" sh -c \
		"'$build/gpusnap' query '$tmp'/shared/oom*d0*.gsnap outside --format tsv | awk -F'\t' '
			NR > 1 { sum += \$4; left += (\$2 == \"free\") * \$4 }
			\$2 == \"viewer\" && \$3 == 77 && \$4 == 16777216 { ok++ }
			\$2 == \"server\" { servers += \$4 }
			\$2 == \"25 more processes\" && \$4 == 25 * 8388608 { ok++ }
			END { exit !(ok == 2 && servers == 15 * 8388608 && sum == left + 336 * 1048576) }'"
else
	skip "the CUDA device (no CUDA headers to build the pretend driver with)"
fi

# the recorder's declarations of the driver, against CUDA's own header where that is
driver() { # header, file of what it says
	$CC -Wall -Werror -I. ${CUDA_INC:+-isystem "$CUDA_INC"} -DHEADER="$1" -o "$tmp/driver" tests/recorder/driver.c && "$tmp/driver" >"$2"
}
expect "the driver's header is one of its own" driver '"recorder/device/driver.h"' "$tmp/driver.own"
if [ -n "$CUDA_INC" ]; then
	expect "and declares the same functions as CUDA's" driver '<cuda.h>' "$tmp/driver.cuda"
	expect "with the same sizes, places and values" diff "$tmp/driver.cuda" "$tmp/driver.own"
else
	skip "the driver's header against CUDA's own (no CUDA headers)"
fi

expect "sixteen threads for two seconds" "$dir/soak" 2 "$tmp/soak"

# sim: which dumps, where
sim() { (cd "$tmp" && "$gpusnap" sim "$@"); }
gpusnap=$(cd "$build" && pwd)/gpusnap
cat >"$tmp/two.script" <<'EOF'
tag first
malloc a 700 m
untag
malloc b 600 m
free a
malloc c 1100 m
malloc d 1 m
EOF
echo 'malloc a 10 m' >"$tmp/fits.script"
count() { find "$tmp/$1" -name '*.gsnap' 2>/dev/null | wc -l | tr -d ' '; }
is() { [ "$1" = "$2" ] || { echo "$1 is not $2"; return 1; }; }
expect "sim ends with 0 though a request failed" sim two.script --capacity 1GiB
expect "the first failure is dumped into ./gpusnap-dumps" is "$(count gpusnap-dumps)" 1
expect "its state is that of the failure" sh -c "cd '$tmp' && '$gpusnap' query gpusnap-dumps/*.gsnap summary --format tsv | awk -F'\t' 'NR == 2 { exit !(\$5 == 734003200 && \$14 == 1) }'"
expect "the script's line is the stack, with the tag" sh -c "cd '$tmp' && '$gpusnap' query gpusnap-dumps/*.gsnap \"SELECT s.text, b.tag FROM block b JOIN stack s ON s.id = b.stack_id\" --format tsv | grep -q 'malloc a 700 m (two.script:2).*first'"
expect "--every-oom dumps each" env GPUSNAP_DIR="$tmp/every" "$gpusnap" sim "$tmp/two.script" --capacity 1GiB --every-oom
expect "there are two of them" is "$(count every)" 2
expect "a transcript alone" env GPUSNAP_DIR="$tmp/none" "$gpusnap" sim "$tmp/two.script" --capacity 1GiB --trace
expect "leaves no file" is "$(count none)" 0
expect "-o names the file" sim two.script --capacity 1GiB -o out.gsnap
if sim two.script --capacity 1GiB -o out.gsnap >"$tmp/out" 2>"$tmp/err"; then
	failed=$((failed + 1)) && echo "recorder: failed: -o does not replace a file"
else
	passed=$((passed + 1))
fi
expect "but does with -f" sim two.script --capacity 1GiB -o out.gsnap -f
expect "a script that fits leaves its final state in -o" sim fits.script --capacity 1GiB -o fits.gsnap
expect "which is no failure" sh -c "cd '$tmp' && '$gpusnap' query fits.gsnap summary --format tsv | awk -F'\t' 'NR == 2 { exit !(\$14 == 0 && \$5 == 10485760) }'"
expect "the same run gives the same events" sh -c "cd '$tmp' && SOURCE_DATE_EPOCH=1700000000 '$gpusnap' sim fits.script --capacity 1GiB -o a.gsnap -f && cp a.gsnap b.gsnap && SOURCE_DATE_EPOCH=1700000000 '$gpusnap' sim fits.script --capacity 1GiB -o a.gsnap -f && '$gpusnap' query a.gsnap 'SELECT * FROM event' >1 && '$gpusnap' query b.gsnap 'SELECT * FROM event' >2 && cmp 1 2"

# what a user does: install, ask pkg-config, compile the documented example, run it
expect "make install" $MAKE B="$build" CC="$CC" prefix=/usr DESTDIR="$tmp/root" install-library
PKG_CONFIG_SYSROOT_DIR=$tmp/root PKG_CONFIG_PATH=$tmp/root/usr/lib/pkgconfig
PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1
export PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_PATH PKG_CONFIG_ALLOW_SYSTEM_LIBS PKG_CONFIG_ALLOW_SYSTEM_CFLAGS
sed -n '/^```c$/,/^```$/p' docs/record.md 2>/dev/null | sed '/^```/d' >"$tmp/example.c"
if [ -s "$tmp/example.c" ]; then
	expect "the documentation's example compiles" sh -c "$CC -Wall -Werror -o $tmp/example $tmp/example.c \$(pkg-config --cflags --libs gpusnap)"
	expect "the documentation's example runs and leaves a dump" sh -c "cd $tmp && LD_LIBRARY_PATH=$tmp/root/usr/lib ./example && ls gpusnap-dumps/oom-*.gsnap"
else
	skip "the documentation's example (docs/record.md has none)"
fi
echo '#include <gpusnap.h>
int main() { gpusnap_builder *b = gpusnap_builder_new(); gpusnap_builder_free(b); return gpusnap_version()[0] != 49; }' >"$tmp/cpp.cc"
expect "the header is C++ too" sh -c "g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -o $tmp/cpp $tmp/cpp.cc \$(pkg-config --cflags --libs gpusnap) && LD_LIBRARY_PATH=$tmp/root/usr/lib $tmp/cpp"
expect "only gpusnap_ names are exported" sh -c "! nm -D --defined-only '$build/libgpusnap.so' | awk '{ print \$3 }' | grep -vE '^(gpusnap_|GPUSNAP_[0-9.]+\$)'"
expect "each under a version" sh -c "! nm -D --defined-only '$build/libgpusnap.so' | grep ' gpusnap_' | grep -v '@@GPUSNAP_'"
expect "the soname has a version" sh -c "readelf -d '$build/libgpusnap.so' | grep -q 'SONAME.*libgpusnap.so.1'"
expect "make uninstall" $MAKE B="$build" CC="$CC" prefix=/usr DESTDIR="$tmp/root" uninstall-library
expect "PREFIX is prefix" sh -c "env -u prefix $MAKE B='$build' CC='$CC' PREFIX=/opt/own DESTDIR='$tmp/other' install-library && grep '^prefix=/opt/own$' '$tmp/other/opt/own/lib/pkgconfig/gpusnap.pc'"
expect "nothing is left behind" sh -c "! find '$tmp/root' -type f -o -type l | grep ."
# --scale wants all events in memory; of a category that changes nothing it is the same question
whatif() {
	"$build/gpusnap" whatif "$tmp/long.gsnap" -q --conf '' --conf expandable_segments:True --conf max_split_size_mb:64 "$@"
}
expect "a run of four and a half million events is streamed" "$dir/long" "$tmp/long.gsnap" 4500000
expect "it is replayed window by window" sh -c "'$build/gpusnap' whatif '$tmp/long.gsnap' -q --conf '' | awk -F'\t' 'NR == 2 && \$3 == 0 && \$10 == 1 && \$5 > 4000000 { ok = 1 } END { exit !ok }'"
whatif >"$tmp/windows.tsv" && whatif --scale unknown=1 >"$tmp/memory.tsv"
expect "with the same answer as in memory" cmp "$tmp/windows.tsv" "$tmp/memory.tsv"
expect "until an event in its middle too" sh -c "'$build/gpusnap' whatif '$tmp/long.gsnap' -q --conf '' --until 2000000 | awk -F'\t' 'NR == 2 && \$3 == 1 && \$10 == 1 { ok = 1 } END { exit !ok }'"
expect "a report replays all of it too" sh -c "'$build/gpusnap' report '$tmp/long.gsnap' -q --static -f -o '$tmp/long.html' && grep -q 'replayed by the rules of.*give all 45[0-9]* recorded events again' '$tmp/long.html' && ! grep -q 'not exact' '$tmp/long.html'"
# what is asked of one moment reads a part of the run: it answers as the whole of it does
"$build/gpusnap" load -q "$tmp/long.gsnap" --from 0 --to 4600000 -o "$tmp/whole.db"
whole() {
	"$build/gpusnap" query -q "$tmp/long.gsnap" "$1" >"$tmp/part.tsv" && "$build/gpusnap" query -q "$tmp/whole.db" "$1" >"$tmp/whole.tsv" && [ -s "$tmp/whole.tsv" ] && cmp "$tmp/part.tsv" "$tmp/whole.tsv"
}
for query in summary segments "free blocks" "free blocks by size" fragmentation holders "top stacks" "top tags" "pinning stacks" "cheapest eviction" oom fit health accounting figures steps growth categories; do
	expect "of a part of the run and of all of it alike: $query" whole "$query"
done
echo "recorder: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
