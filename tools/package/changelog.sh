#!/bin/sh
# debian/changelog from CHANGELOG.md. usage: changelog.sh VERSION SECONDS_SINCE_1970
printf 'gpusnap (%s-1) unstable; urgency=medium\n\n' "$1"
# the release's section: each point a line, continued ones joined
awk -v v="## $1" 'index($0, v) == 1 { on = 1; next } /^## / { on = 0 } on && /^[*-] / { print "  * " substr($0, 3); next } on && /^  / { print "    " substr($0, 3) }' CHANGELOG.md | fold -s -w 76 | sed 's/ *$//; s/^\([^ ]\)/    \1/'
printf '\n -- The gpusnap authors <gpusnap@packages.debian.org>  %s\n' "$(LC_ALL=C date -u -d "@$2" '+%a, %d %b %Y %H:%M:%S +0000')"
