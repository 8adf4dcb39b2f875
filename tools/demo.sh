#!/bin/sh
# The story of fragmentation, told with the commands it runs. usage: demo.sh GPUSNAP
set -e
gpusnap=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
GPUSNAP_DIR=${GPUSNAP_DIR:-gpusnap-dumps}
export GPUSNAP_DIR
picture=$GPUSNAP_DIR/demo.png
say() { printf '\n%s\n' "$*"; }
show() { printf '\n$ gpusnap'; for a in "$@"; do case $a in *' '*) printf ' "%s"' "$a" ;; *) printf ' %s' "$a" ;; esac; done; printf '\n'; "$gpusnap" "$@"; }

mkdir -p "$GPUSNAP_DIR"
say "A program on a 5 GiB GPU fills 4 GiB with eight blocks of 512 MiB, frees every second one, and asks for 2 GiB.
2 GiB are free. The request fails all the same, and the recording allocator writes a dump by itself:"
show sim "$here/demo.script" --capacity 5GiB
say "Was memory short, or in the wrong places? The newest dump answers:"
show query "largest free block"
show diagnose
show map -o "$picture" -f
say "The picture of the heap is in $picture"
