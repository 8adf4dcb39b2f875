#!/bin/sh
# The story of fragmentation, told with the commands it runs. usage: demo.sh BUILD
set -e
build=$(cd "$1" && pwd)
PATH=$build:$PATH
GPUSNAP_DIR=${GPUSNAP_DIR:-gpusnap-dumps}
export PATH GPUSNAP_DIR
picture=$GPUSNAP_DIR/demo.png
say() { printf '\n%s\n' "$*"; }
show() {
	printf '\n$'
	for word; do case $word in *' '*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac; done
	printf '\n'
	"$@"
}

say "A program on a GPU of 5 GiB (simulated) fills 4 GiB with eight blocks of 512 MiB, frees every second one, and asks for 2 GiB.
2 GiB are free in its cache, 1 GiB on the device. The request fails all the same, and the recording allocator writes a dump by itself:"
show "$build/demo" 2>&1 | sed "s#$build/##; s# If reserved but unallocated.*##"
say "Was memory short, or in the wrong places? The newest dump answers:"
show gpusnap query "largest free block" --format table
show gpusnap diagnose
show gpusnap map -o "$picture" -f
say "The picture of the heap is in $picture"
