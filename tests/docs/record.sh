#!/bin/sh
# Records docs/examples anew, with a real PyTorch on the pretend CUDA. usage: record.sh BUILD TORCH_VENV FOLDER   (as root: host and paths are those of
# a namespace, so that no file names the machine it was made on). Then read what the pages say of the new figures: make docs-pictures.
set -eu
build=$(realpath "$1") venv=$(realpath "$2") root=$(realpath "$(dirname "$0")/../..")
mkdir -p "$3"
out=$(realpath "$3")
fake=$(cd "$root/tests/torch" && python3 -c 'import sys; from check_torch_env import prepare; print(prepare(sys.argv[1], sys.argv[2])[1])' "$venv/bin/python" "$build")
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
cp "$root"/docs/examples/*.py "$home"
# record MIB COMMAND…: on a machine called trainer, in /srv/train, with Python at /opt/venv
record() {
	mib=$1
	shift
	unshare -m -u sh -c '
		hostname trainer
		mkdir -p /opt/venv /srv/train
		mount --bind "$1" /opt/venv
		mount --bind "$2" /srv/train
		cd /srv/train
		LD_PRELOAD=$3:${3%.so}.nvml.so FAKE_CUDA_MIB=$4 PYTHONPATH=$5/tools/python GPUSNAP_LIBRARY=$6/libgpusnap.so.1 GPUSNAP_DIR=dumps
		export LD_PRELOAD FAKE_CUDA_MIB PYTHONPATH GPUSNAP_LIBRARY GPUSNAP_DIR
		shift 6
		exec "$@"' sh "$venv" "$home" "$fake" "$mib" "$root" "$build" "$@" >"$home/said" 2>&1 || grep -q 'CUDA out of memory' "$home/said" || { cat "$home/said"; exit 1; }
}
record 4096 /opt/venv/bin/python train.py
zstd -qf19 "$home/train.pickle" -o "$out/train-8.pickle.zst"
record 4096 /opt/venv/bin/python train.py --batch 16
zstd -qf19 "$home/train.pickle" -o "$out/train.pickle.zst"
record 3072 env GPUSNAP_NAME=leak.gsnap GPUSNAP_STREAM=run.gsnap /opt/venv/bin/python leak.py
record 1536 env GPUSNAP_NAME=serve.gsnap /opt/venv/bin/python serve.py
cp -f "$home/dumps/leak.gsnap" "$home/dumps/serve.gsnap" "$home/run.gsnap" "$out"
ls -l "$out"
