#!/bin/sh
# For CI: runs a program with its GPU memory recorded, asserts on the recording, and writes a report in Markdown.
#
#	gpusnap-ci.sh [-o REPORT.md] [-d DIRECTORY] [-b BASE.gsnap] [-e EXPRESSION]… [--] COMMAND [ARGUMENT…]
#
# -o  the report is appended there (default: $GITHUB_STEP_SUMMARY, else standard output)
# -d  where the recording, the dumps and the report with its pictures go, to be kept as artifacts (default: gpusnap-ci)
# -b  a recording to compare with: base.peak_reserved and so on in expressions
# -e  what must hold, as `gpusnap assert --list` names the figures: 'peak_reserved < 38GiB', 'ooms = 0', 'growth = 0'
#
# Exit: the program's own status where that is not 0; 20 where an expression is false; 1 where there is no recording to assert on.
report=${GITHUB_STEP_SUMMARY:-/dev/stdout} folder=gpusnap-ci base=
usage() {
	sed -n '4,4s/^#\t/usage: /p' "$0" >&2
	exit 2
}
expressions=$(mktemp) || exit 1
trap 'rm -f "$expressions"' EXIT
while getopts o:d:b:e: letter; do
	case $letter in
	o) report=$OPTARG ;;
	d) folder=$OPTARG ;;
	b) base=$OPTARG ;;
	e) printf '%s\n' "$OPTARG" >>"$expressions" ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage
command -v gpusnap >/dev/null || { echo "gpusnap-ci: gpusnap is not here: pip install gpusnap" >&2; exit 1; }

mkdir -p "$folder" || exit 1
rm -f "$folder/run.gsnap"
if gpusnap help run | grep -q -- '--record'; then
	gpusnap run --dir "$folder" --record "$folder/run.gsnap" -- "$@"
else
	gpusnap run --dir "$folder" -- "$@"
fi
status=$?

# The failure is told by its dump; without one by the recording of the whole run.
recording=
for f in "$folder"/oom-*.gsnap "$folder/run.gsnap"; do
	[ ! -f "$f" ] || { recording=$f; break; }
done
whole=$recording
[ ! -f "$folder/run.gsnap" ] || whole=$folder/run.gsnap

# The report as a part of another page: its headings a step lower, without the pictures, for which a job's summary has no place, and without
# the headings that only pictures stand under.
part_of_page() {
	awk '/^!\[/ { next } /^#/ { heading = "#" $0; next } /^$/ && heading { next } heading { print heading "\n"; heading = "" } 1' "$1"
}

said=$(mktemp) || exit 1
trap 'rm -f "$expressions" "$said"' EXIT
{
	printf '## GPU memory of `%s`\n\n' "$*"
	[ "$status" = 0 ] || printf 'It ended with status %s.\n\n' "$status"
	if [ -n "$recording" ] && gpusnap report "$recording" --format md -f -o "$folder/report.md"; then
		part_of_page "$folder/report.md"
		printf '\n`%s` has the pictures too; `%s` holds all: `gpusnap diagnose`, `gpusnap map`.\n' "$folder/report.md" "$recording"
	elif [ -z "$recording" ]; then
		printf 'Nothing was recorded: no memory of a GPU was asked for.\n'
	fi
} >"$said"

broken=0
if [ -s "$expressions" ]; then
	set --
	while IFS= read -r line; do
		[ -z "$line" ] || set -- "$@" "$line"
	done <"$expressions"
	if [ -z "$whole" ]; then
		echo "gpusnap-ci: nothing was recorded, so nothing can be asserted" >&2
		broken=1
	else
		{
			printf '\n### Asserted\n\n'
			if rows=$(gpusnap assert "$whole" ${base:+--base "$base"} --format markdown "$@" 2>&1); then
				printf '%s\n\n' "${rows%%|*}"      # a table of those that do not hold has no rows
				printf '* `%s`\n' "$@"
			else
				broken=$?
				printf '%s\n' "$rows"
			fi
		} >>"$said"
	fi
fi
cat "$said" >>"$report"
[ "$status" = 0 ] || exit "$status"
exit $broken
