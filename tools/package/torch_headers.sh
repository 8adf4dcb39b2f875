#!/bin/sh
# The C++ headers of PyTorch releases, against which the wheel's glue is built. usage: torch_headers.sh PIP FOLDER RELEASE…
# Leaves FOLDER/RELEASE/torch/include. They are those of the wheels for aarch64, which are the smallest with CUDA's part of the headers;
# the headers that the glue includes are the same for x86_64 (glue.sh stands in for the one that is generated).
set -e
pip=$1 to=$2
shift 2
for release in "$@"; do
	[ ! -e "$to/$release/complete" ] || continue
	echo "  GET  headers of torch $release"
	rm -rf "${to:?}/$release" && mkdir -p "$to/$release"
	"$pip" download --quiet --no-deps --only-binary=:all: --python-version 3.11 --platform manylinux_2_28_aarch64 -d "$to/$release" "torch==$release"
	python3 - "$to/$release" <<-'END'
		import pathlib, sys, zipfile
		folder = pathlib.Path(sys.argv[1])
		wheel, = folder.glob('*.whl')
		with zipfile.ZipFile(wheel) as z:
		    z.extractall(folder, [n for n in z.namelist() if n.startswith('torch/include/')])
		wheel.unlink()
	END
	touch "$to/$release/complete"
done
