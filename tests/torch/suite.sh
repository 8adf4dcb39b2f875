#!/bin/sh
# suite.sh BUILD TEST_CUDA.py : what PyTorch's own tests need: the file, from Debian's source of PyTorch 2.6.0 unless it is there, and the
# Python packages that it imports. Nothing of the system's is changed: apt works on folders of ours.
set -eu
build=$1 file=$2 folder=$1/torch-tests
mkdir -p "$folder/apt/parts" "$folder/apt/lists/partial" "$folder/apt/archives/partial"
[ -d "$folder/packages" ] || python3 -m pip install --quiet --target "$folder/packages" expecttest pytest packaging psutil
[ -f "$file" ] && exit 0
uri=$(sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) .*/\2/p' /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null | head -1)
printf 'Types: deb-src\nURIs: %s\nSuites: trixie\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n' "$uri" \
	> "$folder/apt/parts/source.sources"
cd "$folder"
options="-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=$PWD/apt/parts -o Dir::State::lists=$PWD/apt/lists -o Dir::Cache=$PWD/apt"
apt-get -qq $options update
apt-get -qq $options --download-only source pytorch=2.6.0+dfsg-7
tar -xf pytorch_2.6.0+dfsg.orig.tar.* --strip-components=2 --wildcards '*/test/test_cuda.py'
