#!/bin/sh
# The glue between PyTorch and the recorder (tools/python/gpusnap/torch_*.cpp), built for one release of PyTorch and any Linux with
# glibc 2.28. usage: glue.sh PROCESSOR-RELEASE-ABI HEADERS CUDA_HEADERS ZIG TO
# HEADERS: what torch_headers.sh left; ABI: 1 for std::string of C++11, 0 for the old one; TO gets NAME.so.
#
# g++ compiles, for PyTorch's C++ library is GCC's. The linker is given glibc 2.28 and, of PyTorch, empty libraries of the same names:
# the process has the real ones before these are loaded, and symbols that are looked up without a version are found in any of them.
set -e
processor=${1%%-*} abi=${1##*-} release=${1#*-}
release=${release%-*}
headers=$2 cuda=$3 zig=$4 to=$5
case $release in 2.[6-9].* | 2.1[01].*) std=c++17 ;; *) std=c++20 ;; esac
case $processor in "$(uname -m)") cxx=${CXX:-g++} ;; *) cxx=$processor-linux-gnu-g++ ;; esac
rm -rf "$to" && mkdir -p "$to/obj/c10/cuda/impl"

# the generated header, which wheels without CUDA lack
echo '#define C10_CUDA_BUILD_SHARED_LIBS' >"$to/obj/c10/cuda/impl/cuda_cmake_macros.h"
# what newer headers of the C++ library ask of it and older ones lack
cat >"$to/obj/older.h" <<-'END'
	#include <new>
	namespace std
	{
	__attribute__((visibility("hidden"), weak, noreturn)) void __throw_bad_array_new_length() { throw bad_array_new_length(); }
	}
END
echo '__attribute__((visibility("hidden"))) char __libc_single_threaded;' >"$to/obj/older.c"

link="$zig cc -target $processor-linux-gnu.2.28 -shared -nostdlib++ -s"
needed=
for l in c10 c10_cuda torch_cpu torch_cuda; do
	echo | $link -Wl,-soname,lib$l.so -o "$to/obj/lib$l.so" -x c -
done
echo | $link -Wl,-soname,libgpusnap.so.1 -o "$to/obj/libgpusnap.so" -x c -
for name in torch_glue torch_use torch_watch; do
	$cxx -c -include "$to/obj/older.h" -fPIC -O2 -g0 -w -std=$std -fvisibility=hidden -fvisibility-inlines-hidden \
		-D_GLIBCXX_USE_CXX11_ABI="$abi" -I"$headers/$release/torch/include" -I"$to/obj" -Irecorder -I"$cuda" -o "$to/obj/$name.o" \
		"tools/python/gpusnap/$name.cpp"
	case $name in torch_glue) needed=c10 ;; torch_use) needed="c10 c10_cuda torch_cpu torch_cuda" ;; *) needed="c10 c10_cuda torch_cpu" ;; esac
	$link -fPIC -Wl,-z,undefs -Wl,--no-as-needed -o "$to/$name.so" "$to/obj/$name.o" "$to/obj/older.c" -L"$to/obj" \
		$(printf -- '-l%s ' $needed gpusnap)
done
rm -rf "$to/obj"
touch "$to/complete"
