#!/bin/sh
# Fetches the sources of the libraries that other systems' builds link statically, from Debian's source packages.
# usage: sources.sh FOLDER   Leaves FOLDER/{zlib,zstd,sqlite,png,freetype,yajl}, patched as Debian has them. Needs no root.
set -e
packages="zlib libzstd sqlite3 libpng1.6 freetype yajl"
[ ! -e "$1/complete" ] || exit 0
command -v apt-get >/dev/null && command -v dpkg-source >/dev/null && command -v tclsh >/dev/null ||
	{ echo "sources: needs apt-get, dpkg-source and tclsh (make deps-wheel installs them)" >&2; exit 1; }
mkdir -p "$1"
cd "$1"
here=$(pwd)

# The system's own places, asked for sources. Second try: without the security suite, whose files move while its list is old.
places() { # pattern of what to leave out
	rm -rf apt && mkdir -p apt/parts apt/lists/partial
	for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ ! -f "$f" ] || sed -n 's/^deb /deb-src /p' "$f" | grep -v "$1" >>apt/parts/own.list || true
	done
	for f in /etc/apt/sources.list.d/*.sources; do
		[ ! -f "$f" ] || { awk -v RS= -v ORS='\n\n' -v out="$1" '!($0 ~ out)' "$f" | sed 's/^Types:.*/Types: deb-src/' >"apt/parts/$(basename "$f")"; }
	done
}
apt() { apt-get -q -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$here/apt/parts" -o "Dir::State::lists=$here/apt/lists" "$@"; }
fetch() {
	places "$1"
	apt update && apt source $packages
}
fetch '^$' >log 2>&1 || fetch security >>log 2>&1 || { tail -n 5 log >&2; echo "sources: cannot fetch $packages" >&2; exit 1; }

for pair in zlib:zlib zstd:libzstd sqlite:sqlite3 png:libpng1.6 freetype:freetype yajl:yajl; do
	for f in "${pair#*:}"-[0-9]* "$(echo "${pair#*:}" | sed 's/[0-9.]*$//')"-[0-9]*; do
		[ ! -d "$f" ] || { rm -rf "${pair%%:*}" && mv "$f" "${pair%%:*}"; }
	done
	[ -d "${pair%%:*}" ] || { echo "sources: ${pair#*:} did not unpack (see $here/log)" >&2; exit 1; }
done
# SQLite's one file is made from its parts
(cd sqlite && ./configure --disable-tcl --disable-readline >../log 2>&1 && make sqlite3.c >>../log 2>&1) ||
	{ tail -n 5 log >&2; echo "sources: SQLite's sources cannot be joined" >&2; exit 1; }
rm -rf apt ./*.tar.* ./*.dsc
touch complete
