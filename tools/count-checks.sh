#!/bin/sh
# Runs each check target, goes on after a failure, and adds up the lines "NAME: N passed, N failed[, N skipped]".
# usage: count-checks.sh MAKE TARGET…   Ends with the plain sum; fails if anything failed.
make=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
bad=0
for target in "$@"; do
	echo "== $target"
	$make "$target" >"$log" 2>&1 || { echo "count-checks: $target: 0 passed, 1 failed" >>"$log"; bad=1; }
	if [ -n "$V" ] || grep -q '[1-9][0-9]* failed' "$log"; then cat "$log"; else grep -E ': [0-9]+ passed, |[Ss]kip' "$log"; fi
	grep -E '^[a-z -]*: [0-9]+ passed, ' "$log" >>"$log.sum"
done
awk '{ for (i = 2; i <= NF; i++) { if ($i ~ /^passed/) p += $(i-1); if ($i ~ /^failed/) f += $(i-1); if ($i ~ /^skipped/) s += $(i-1) } }
	END { printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 }' "$log.sum" || bad=1
rm -f "$log.sum"
exit $bad
