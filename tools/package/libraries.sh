#!/bin/sh
# The sources that the page's libraries are built of where there is no network, as a tarball with one folder, libraries/: the same
# bytes each time. usage: libraries.sh SOURCES SECONDS_SINCE_1970 TO.tar.gz   (SOURCES: what sources.sh left)
set -e
made='Makefile|config\.log|config\.status|fts5.*|keywordhash\.h|lemon|lempar\.c|libtool|mkkeywordhash|mksourceid|opcodes\.[ch]|parse\..*|shell\.c|sqlite3\.(c|1|pc)|sqlite3session\.h|sqlite_cfg\.h|src-verify'
unread='test|tsrc|www|doc|art|contrib|mptest|vsixtest|autoconf|debian'
parts=$(cd "$1" && ls zlib/*.c zlib/*.h && echo zstd/lib/common zstd/lib/compress zstd/lib/decompress zstd/lib/zstd.h zstd/lib/zstd_errors.h yajl/src &&
	ls -d sqlite/* | grep -vxE "sqlite/($made|$unread)" && ls -d */debian/copyright | grep -E '^(zlib|zstd|yajl|sqlite)/')
tar -C "$1" -cf - --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime="@$2" --transform='s,^,libraries/,' \
	--exclude='*.o' --exclude='*.a' --exclude='*.S' --exclude=.libs complete $parts |
	gzip -9n >"$3.part"
mv "$3.part" "$3"
