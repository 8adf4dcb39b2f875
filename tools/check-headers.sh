#!/bin/sh
# Every header compiles alone. usage: check-headers.sh "COMPILER AND FLAGS" HEADER…
cc=$1 bad=0 good=0
shift
for h in "$@"; do
	if echo "extern int alone;" | $cc -fsyntax-only -include "$h" -x c -; then good=$((good + 1)); else echo "headers: $h does not compile alone"; bad=$((bad + 1)); fi
done
echo "headers: $good passed, $bad failed"
[ $bad = 0 ]
