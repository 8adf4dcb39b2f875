#!/bin/sh
# Builds the libraries as static ones for another system. usage: CC=… AR=… libs.sh SOURCES PREFIX   (SOURCES: what sources.sh left)
# Leaves PREFIX/include, PREFIX/lib/*.a and PREFIX/lib/pkgconfig. One compiler per object; -O2, after which SIZE_FLAGS may say -Oz.
# ZLIB_FLAGS, ZSTD_FLAGS, SQLITE_FLAGS: for that library; ZSTD_FAST: without slow strategies; SQLITE_GRAMMAR: statements to leave out.
set -e
src=$(cd "$1" && pwd)
mkdir -p "$2"
to=$(cd "$2" && pwd)
[ ! -e "$to/complete" ] || exit 0
rm -rf "$to/include" "$to/lib" "$to/obj"
mkdir -p "$to/include/yajl" "$to/lib/pkgconfig" "$to/obj"

archive() { # name, flags, file…
	name=$1 flags=$2 rule="$to/obj/$1.mk"
	shift 2
	echo "OBJ := $(i=0; for f in "$@"; do i=$((i + 1)); printf '%s ' "$to/obj/$name-$i.o"; done)" >"$rule"
	printf '%s: $(OBJ)\n\t@rm -f $@ && $(AR) rcs $@ $^\n' "$to/lib/lib$name.a" >>"$rule"
	i=0
	for f in "$@"; do
		i=$((i + 1))
		printf '%s: %s\n\t@$(CC) -O2 -g0 -fPIC -fvisibility=hidden -w $(FLAGS) -c -o $@ $<\n' "$to/obj/$name-$i.o" "$f" >>"$rule"
	done
	# no path of the machine that built it goes into what is handed out
	make --no-print-directory -f "$rule" CC="$CC" AR="$AR" FLAGS="-ffile-prefix-map=$src=. -ffile-prefix-map=$to=. $flags $SIZE_FLAGS" "$to/lib/lib$name.a"
}
describe() { # package, version, libraries, others needed
	printf 'Name: %s\nDescription: static\nVersion: %s\nRequires: %s\nLibs: -L%s %s\nCflags: -I%s\n' "$1" "$2" "$4" "$to/lib" "$3" "$to/include" \
		>"$to/lib/pkgconfig/$1.pc"
}

archive z "-DHAVE_UNISTD_H -D_LARGEFILE64_SOURCE=1 $ZLIB_FLAGS" "$src"/zlib/adler32.c "$src"/zlib/compress.c "$src"/zlib/crc32.c "$src"/zlib/deflate.c \
	"$src"/zlib/gz*.c "$src"/zlib/inf*.c "$src"/zlib/trees.c "$src"/zlib/uncompr.c "$src"/zlib/zutil.c
cp "$src"/zlib/zlib.h "$src"/zlib/zconf.h "$to/include/"
describe zlib "$(sed -n 's/^#define ZLIB_VERSION "\([0-9.]*\).*/\1/p' "$src/zlib/zlib.h")" -lz

compress=$(ls "$src"/zstd/lib/compress/*.c)
[ -z "$ZSTD_FAST" ] || compress="$(echo "$compress" | grep -v '_\(lazy\|opt\)\.c') $(cd "$(dirname "$0")" && pwd)/zstd_fast.c"
archive zstd "-DZSTD_DISABLE_ASM -DXXH_NAMESPACE=ZSTD_ -I$src/zstd/lib $ZSTD_FLAGS" "$src"/zstd/lib/common/*.c $compress "$src"/zstd/lib/decompress/*.c
cp "$src"/zstd/lib/zstd.h "$src"/zstd/lib/zstd_errors.h "$to/include/"
describe libzstd "$(sed -n 's/^#define ZSTD_VERSION_\(MAJOR\|MINOR\|RELEASE\) *\([0-9]*\).*/\2/p' "$src/zstd/lib/zstd.h" | paste -sd.)" -lzstd

# What the grammar knows is left out where it is made: a file of its own, joined anew.
sqlite=$src/sqlite
if [ -n "$SQLITE_GRAMMAR" ]; then
	sqlite=$to/obj/sqlite
	mkdir -p "$sqlite"
	(cd "$sqlite" && export CC=cc AR=ar && "$src/sqlite/configure" --disable-tcl --disable-readline && make sqlite3.c OPTS="$SQLITE_GRAMMAR") >"$to/obj/log" 2>&1 ||
		{ tail -n 5 "$to/obj/log" >&2; echo "libs: SQLite's sources cannot be joined" >&2; exit 1; }
fi
archive sqlite3 "-DSQLITE_DQS=0 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_OMIT_DEPRECATED -DSQLITE_ENABLE_MATH_FUNCTIONS -DSQLITE_ENABLE_COLUMN_METADATA $SQLITE_FLAGS $SQLITE_GRAMMAR" \
	"$sqlite/sqlite3.c"
cp "$src/sqlite/sqlite3.h" "$to/include/"
describe sqlite3 "$(cat "$src/sqlite/VERSION")" -lsqlite3

mkdir -p "$to/obj/yajl/yajl"
cp "$src"/yajl/src/api/*.h "$to/obj/yajl/yajl/"
sed 's/\${YAJL_\(MAJOR\|MINOR\|MICRO\)}/0/' "$src/yajl/src/api/yajl_version.h.cmake" >"$to/obj/yajl/yajl/yajl_version.h"
archive yajl "-std=c99 -I$to/obj/yajl" "$src"/yajl/src/yajl*.c
cp "$to"/obj/yajl/yajl/*.h "$to/include/yajl/"
describe yajl 2.1.0 -lyajl

[ -z "$NO_PICTURES" ] || { touch "$to/complete"; exit 0; }

mkdir -p "$to/obj/png"
cp "$src/png/scripts/pnglibconf.h.prebuilt" "$to/obj/png/pnglibconf.h"
archive png16 "-I$to/obj/png -I$to/include -DPNG_ARM_NEON_OPT=0 -DPNG_INTEL_SSE_OPT=0" "$src"/png/png.c "$src"/png/pngerror.c "$src"/png/pngget.c "$src"/png/pngmem.c \
	"$src"/png/pngpread.c "$src"/png/pngread.c "$src"/png/pngrio.c "$src"/png/pngrtran.c "$src"/png/pngrutil.c "$src"/png/pngset.c \
	"$src"/png/pngtrans.c "$src"/png/pngwio.c "$src"/png/pngwrite.c "$src"/png/pngwtran.c "$src"/png/pngwutil.c
cp "$src"/png/png.h "$src"/png/pngconf.h "$to/obj/png/pnglibconf.h" "$to/include/"
describe libpng "$(sed -n 's/^#define PNG_LIBPNG_VER_STRING "\(.*\)"/\1/p' "$src/png/png.h")" -lpng16 zlib

# FreeType with what draws an outline font and nothing else
mkdir -p "$to/obj/freetype"
printf 'FT_USE_MODULE( FT_Module_Class, %s )\n' psnames_module_class sfnt_module_class >"$to/obj/freetype/own_modules.h"
printf 'FT_USE_MODULE( FT_Driver_ClassRec, tt_driver_class )\nFT_USE_MODULE( FT_Renderer_Class, ft_smooth_renderer_class )\n' >>"$to/obj/freetype/own_modules.h"
f=$src/freetype/src
archive freetype "-DFT2_BUILD_LIBRARY -DFT_CONFIG_OPTION_SYSTEM_ZLIB -I$to/include -DFT_CONFIG_MODULES_H='<own_modules.h>' -I$to/obj/freetype -I$src/freetype/include" \
	"$f/base/ftbase.c" "$f/base/ftinit.c" "$f/base/ftsystem.c" "$f/base/ftdebug.c" "$f/base/ftbitmap.c" "$f/base/ftglyph.c" "$f/base/ftmm.c" "$f/base/ftbbox.c" \
	"$f/truetype/truetype.c" "$f/sfnt/sfnt.c" "$f/psnames/psnames.c" "$f/smooth/smooth.c" "$f/gzip/ftgzip.c"
mkdir -p "$to/include/freetype2"
cp -r "$src"/freetype/include/* "$to/include/freetype2/"
describe freetype2 "$(sed -n 's/^#define FREETYPE_\(MAJOR\|MINOR\|PATCH\) *\([0-9]*\).*/\2/p' "$src/freetype/include/freetype/freetype.h" | paste -sd.)" -lfreetype zlib
sed -i "s|^Cflags:.*|Cflags: -I$to/include/freetype2|" "$to/lib/pkgconfig/freetype2.pc"
rm -rf "$to/obj"
touch "$to/complete"
