#!/bin/sh
# Who may include and link whom. usage: check-layers.sh BUILD_FOLDER
# Prints each climb as FILE:LINE and fails.
bad=0
climb() { # folder, pattern of includes it must not have
	found=$(grep -rnE "^#include \"($2)" "$1" --include='*.c' --include='*.h' 2>/dev/null | grep -vE "${3:-^$}")
	[ -z "$found" ] || { echo "$found" | sed 's/^/layers: climbs: /'; bad=1; }
}
climb schema 'recorder|analyzer|tools|tests'
climb recorder/pool 'analyzer|tools|tests|recorder/[^p]|recorder/p[^o]'
climb recorder 'analyzer|tools|tests'
climb analyzer 'tools|tests|recorder/[^p]|recorder/p[^o]'
climb tools 'tests'

# no process-ending calls or chatter in the libraries
found=$(grep -rnE '(^|[^a-zA-Z0-9_])(exit|_exit|abort|printf|puts|perror)\(' schema recorder analyzer --include='*.c' 2>/dev/null |
	grep -vE '^[^:]*:[0-9]*:[[:space:]]*(/?\*|//)')
[ -z "$found" ] || { echo "$found" | sed 's/^/layers: not in a library: /'; bad=1; }

# link time: what each library's objects leave undefined
needs() { # archive, forbidden symbols, why
	[ -f "$1" ] || { echo "layers: $1 is not built"; bad=1; return; }
	found=$(nm -u "$1" 2>/dev/null | grep -E " U ($2)" | sort -u)
	[ -z "$found" ] || { echo "layers: $1 $3: $found"; bad=1; }
}
for lib in schema pool recorder; do
	needs "$1/lib$lib.a" 'sqlite3_|png_|FT_|yajl_' 'must not need SQLite, libpng, FreeType or yajl'
done
needs "$1/libanalyzer.a" 'cu[A-Z][a-z]|unw_|_U[A-Za-z]*_step' 'must not need libcuda or libunwind'
# the wheel is built for glibc 2.28, the static command for musl
for lib in schema pool recorder analyzer; do
	needs "$1/lib$lib.a" 'sig(abbrev|descr)_np$|strerror(desc|name)_np$|renameat2|gettid$|closefrom|close_range|pidfd_|arc4random|strlc(py|at)|mallinfo2|getdents64|twalk_r|__isoc23' \
		'must build where the C library is older, or musl'
done
# the pool itself, not what is handed to it: the simulated device, the memory from the heap
found=$(nm -u "$1/libpool.a" 2>/dev/null | awk '/:$/ { sim = /sim_device|memory/ } !sim && / U (malloc|calloc|realloc|free|pthread_|clock_|fopen|open|write)/')
[ -z "$found" ] || { echo "layers: the pool is pure, but needs: $found"; bad=1; }
for object in gsnap_write gsnap_write_section gsnap_write_stage gsnap_columns column crc32; do
	needs "$1/obj/schema/$object.o" '[a-z]*alloc|free|[a-z]*printf|fopen|fwrite|fputs|getenv|setlocale|clock_gettime|time|open|write' 'runs in a dying process: no memory, stdio, clock or file of its own'
done
# no command waits for the library of serving, and what serving loads is what its header belongs to
found=$(readelf -d "$1/gpusnap" | grep 'NEEDED.*microhttpd')
[ -z "$found" ] || { echo "layers: gpusnap loads a library for serving at its start: $found"; bad=1; }
if grep -aq 'libmicrohttpd\.so' "$1/gpusnap"; then
	soname=$(readelf -d "$(${CC:-cc} -print-file-name=libmicrohttpd.so)" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
	grep -aqF "${soname:-none is installed}" "$1/gpusnap" || { echo "layers: gpusnap loads another library for serving than $soname"; bad=1; }
fi
# the table of arrows between rooms, by includes and by symbols
python3 tools/check-arrows.py "$1" || bad=1
[ $bad = 0 ] && echo "layers: 1 passed, 0 failed"
exit $bad
