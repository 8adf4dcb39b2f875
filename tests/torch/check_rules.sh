#!/bin/sh
# Random scripts through gpusnap sim and through released PyTorch on the pretend CUDA (check_rules.py), release by release.
# usage: check_rules.sh GPUSNAP SCRATCH [OPTION of check_rules.py…]
# RELEASES (2.6.0 2.15.0); VENVS: where the environments are, or are made from PyPI (SCRATCH/venv).
set -eu
gpusnap=$1 scratch=$2 here=$(dirname "$0")
shift 2
mkdir -p "$scratch"
bad=0
for release in ${RELEASES:-2.6.0 2.15.0}; do
	venv=${VENVS:-$scratch/venv}/$release
	if ! "$venv/bin/python" -c "import torch; assert torch.__version__.split('+')[0] == '$release'" 2>/dev/null; then
		echo "check-rules: making $venv with PyTorch $release from PyPI"
		python3 -m venv "$venv" && "$venv/bin/pip" -q install "torch==$release" numpy
	fi
	fake=$scratch/fake-$release.so
	[ -f "$fake" ] || sh "$here/pretend-cuda/build.sh" "$(echo "$venv"/lib/python3*/site-packages)" "$fake" >/dev/null
	python3 "$here/check_rules.py" "$gpusnap" "$release" "$venv/bin/python" "$(realpath "$fake")" "$@" || bad=1
done
exit $bad
