#!/bin/sh
# Runs the scripts in transcripts.tar.xz through gpusnap sim; each must give the transcript that a released PyTorch gave.
# usage: run.sh GPUSNAP SCRATCH    Ends with `golden: N passed, N failed`; the texts of EXC lines may differ.
set -eu
gpusnap=$1 scratch=$2 here=$(dirname "$0") passed=0 failed=0
mkdir -p "$scratch"
xz -dc "$here/transcripts.tar.xz" | tar -xf - -C "$scratch"
while read -r rules name mib; do
	case $rules in '#'*) continue ;; esac
	script=$scratch/$rules/$name.in
	[ -f "$script" ] || script=$scratch/$name.in
	out=$scratch/$rules/$name
	if "$gpusnap" sim "$script" --capacity "${mib}MiB" --rules "$rules" --trace >"$out.raw" 2>"$out.err" &&
		sed 's/^    EXC .*/    EXC/' "$out.raw" | cmp -s - "$out.out"; then
		passed=$((passed + 1))
		continue
	fi
	failed=$((failed + 1))
	echo "golden: rules $rules, $name: not what PyTorch did (left: gpusnap)"
	sed 's/^    EXC .*/    EXC/' "$out.raw" | diff - "$out.out" | head -n 6
	cat "$out.err"
done <"$here/cases"
echo "golden: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
