# What the checks of the packages share. usage: check=NAME log=FILE; . harness.sh
# Expectations are counted and go on after a failure; the last line is `NAME: N passed, N failed, N skipped`.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
release=$(sed -n 's/^#define GS_RELEASE "\(.*\)"/\1/p' "$here/schema/version.h")
passed=0 failed=0 skipped=0
unset GPUSNAP_DIR GPUSNAP_LIBRARY GPUSNAP_PAGE PYTHONPATH PIP_FIND_LINKS
expect() { # what, command…
	local what=$1
	shift
	if "$@" >"$log" 2>&1; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "$check: failed: $what"
		sed 's/^/  /' "$log" | tail -n 20
	fi
}
skip() {
	skipped=$((skipped + 1))
	echo "$check: SKIPPED: $*" >&2
}
finish() {
	echo "$check: $passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ]
	exit
}

# A Debian in a folder, with the least packages and those named; made once and kept. usage: debian SUITE FOLDER [PACKAGE,PACKAGE]
# 1, and said, where there can be none.
debian() {
	[ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null || { skip "Debian $1 (needs root and debootstrap)"; return 1; }
	[ ! -e "$2.complete" ] || return 0
	rm -rf "$2"
	debootstrap --variant=minbase ${3:+--include="$3"} "$1" "$2" >"$log" 2>&1 && touch "$2.complete" && return 0
	skip "Debian $1 (debootstrap: $(tail -n 1 "$log"))"
	return 1
}

# The page for the browser, as an installation brings it: the command's page, view and report and the notebook's. Without a network
# where that can be had. $1: what starts a command there (env, chroot FOLDER), $2: python there, $3: gpusnap there, $4: a folder with
# pinned.pickle in it, as that place sees it, $5: what is said.
use_page() {
	local alone=
	! unshare -n true 2>/dev/null || alone="unshare -n"
	there() { $alone $1 sh -c "cd $2 && rm -rf page && mkdir page && cd page && $3"; }
	holds() { printf "grep -q 'id=\"gpusnap-module\"' '%s' && grep -q 'id=\"gpusnap-viewer\"' '%s'" "$1" "$1"; }
	holds_it() { printf "%s && grep -q 'class=\"gpusnap-recording\" data-name=\"pinned.pickle\"' '%s'" "$(holds "$1")" "$1"; }
	expect "$5: the command has its page" there "$1" "$4" "$3 page -o page.html && $(holds page.html)"
	expect "$5: it shows a recording in it" there "$1" "$4" "BROWSER=true TMPDIR=. $3 view ../pinned.pickle && mv gpusnap-view-*/gpusnap.html view.html && $(holds_it view.html)"
	expect "$5: the report has the viewer in it" there "$1" "$4" "$3 report ../pinned.pickle -o report.html 2>said && test ! -s said && $(holds_it report.html)"
	expect "$5: a notebook shows it" there "$1" "$4" \
		"$2 -c 'import gpusnap; p = gpusnap.open(\"../pinned.pickle\").page(); assert \"<iframe\" in p._repr_html_(); p.save(\"notebook.html\")' && $(holds_it notebook.html)"
}
