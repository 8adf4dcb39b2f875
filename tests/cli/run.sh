#!/bin/sh
# Command-line tests. A case is a folder tests/cli/cases/NAME with
#   cmd   shell lines; gpusnap is on the PATH, data is a link to tests/data, the folder is a fresh one
#   out, err   what they must print (missing: nothing)
#   exit  the status they must end with (missing: 0); 77: what the case needs is not here, err says what
# usage: run.sh GPUSNAP [NAME…]   UPDATE=1 writes what was printed into the case instead; KEEP=200 shows that many lines of a difference
here=$(cd "$(dirname "$0")" && pwd)
binary=$(cd "$(dirname "$1")" && pwd)
shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
PATH=$binary:$PATH LC_ALL=C.UTF-8 TZ=UTC NO_COLOR=1
export PATH LC_ALL TZ NO_COLOR
unset COLUMNS GPUSNAP_DIR
good=0 bad=0 skipped=0
[ $# -gt 0 ] || set -- $(ls "$here/cases")
for name; do
	case=$here/cases/$name
	rm -rf "$work/run" && mkdir -p "$work/run" && ln -s "$here/../data" "$work/run/data"
	(cd "$work/run" && sh "$case/cmd" >"$work/out" 2>"$work/err" </dev/null)
	echo $? >"$work/exit"
	if [ "$(cat "$work/exit")" = 77 ]; then skipped=$((skipped + 1)); echo "cli: skipped: $name: $(cat "$work/err")"; continue; fi
	if [ -n "$UPDATE" ]; then
		for part in out err; do
			if [ -s "$work/$part" ]; then cp "$work/$part" "$case/$part"; else rm -f "$case/$part"; fi
		done
		if [ "$(cat "$work/exit")" = 0 ]; then rm -f "$case/exit"; else cp "$work/exit" "$case/exit"; fi
		continue
	fi
	fail=
	for part in out err; do
		want=$case/$part
		[ -f "$want" ] || want=/dev/null
		cmp -s "$want" "$work/$part" || { fail=1; diff -u "$want" "$work/$part" | sed "s/^/  /" | head -${KEEP:-20}; }
	done
	[ "$(cat "$work/exit")" = "$(cat "$case/exit" 2>/dev/null || echo 0)" ] ||
		{ fail=1; echo "  exit status $(cat "$work/exit"), not $(cat "$case/exit" 2>/dev/null || echo 0)"; }
	if [ -n "$fail" ]; then bad=$((bad + 1)); echo "cli: failed: $name"; else good=$((good + 1)); fi
done
[ $skipped = 0 ] && skips= || skips=", $skipped skipped"
echo "cli: $good passed, $bad failed$skips"
[ $bad = 0 ]
