#!/bin/sh
# Holds what the command prints with --json against the published schemas. usage: run.sh GPUSNAP
# Snapshots: tests/data, and ../shared/corpus where it is there.
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
gpusnap=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/out/answer" "$work/out/diagnosis" "$work/out/error"
files="$root/tests/data/faults/pinned.pickle $root/tests/data/faults/leak.pickle $root/tests/data/v1/small.gsnap"
corpus=$root/../shared/corpus
if [ -d "$corpus" ]; then
	files="$files $corpus/torch2.7-oom-expandable-four-devices.pickle $corpus/torch2.x-three-pools-pending-free.pickle
		$corpus/oom-messages/022_pt2.1_capacty_typo.txt $corpus/bfc/tf1.15-k80-1037-chunks.log"
else
	echo "json: skipped: ../shared/corpus is not there" >&2
fi
"$gpusnap" load -q $files -o "$work/all.db"
"$gpusnap" query --list --format tsv | tail -n +2 | cut -f 1 >"$work/queries"
ask() { # schema, file, command line before the file, behind it
	"$gpusnap" $3 -q "$2" "$4" --json >"$work/out/$1/$(basename "$2") $3 $4"
}
while read -r name; do
	for file in $files; do
		case $file in *four-devices*) [ "$name" != summary ] && continue ;; esac
		ask answer "$file" query "$name"
	done
	ask answer "$work/all.db" query "$name"
	grep -qE "^ *(\"const\": )?\"$name\",?$" "$root/schema/json/answer.schema.json" || echo "$name" >>"$work/unpublished"
done <"$work/queries"
if [ -s "$work/unpublished" ]; then
	sed 's/^/json: no rows are published of the query /' "$work/unpublished" >&2
	exit 1
fi
for file in $files; do
	"$gpusnap" info -q "$file" --json >"$work/out/answer/$(basename "$file") info"
	"$gpusnap" list -q "$file" --json >"$work/out/answer/$(basename "$file") list"
	"$gpusnap" verify -q "$file" --json >"$work/out/answer/$(basename "$file") verify"
	"$gpusnap" diagnose -q "$file" --json >"$work/out/diagnosis/$(basename "$file")"
done
head -c 1400 "$root/tests/data/v1/small.gsnap" >"$work/cut.gsnap"
for name in summary segments accounting; do
	ask answer "$work/cut.gsnap" query "$name"
done
"$gpusnap" info -q "$work/cut.gsnap" --json >"$work/out/answer/cut info"
for wrong in "query nowhere summary" "query --frmat x" "diagnose nowhere" "qury" "map" "load nowhere -o x.db" "info nowhere" "list nowhere" "verify nowhere"; do
	"$gpusnap" $wrong --json >"$work/stdout" 2>"$work/out/error/$(echo "$wrong" | tr / _)"
	[ -s "$work/stdout" ] && echo "something on stdout" >"$work/out/error/$wrong"
done
python3 "$here/validate.py" "$root/schema/json" "$work/out"
