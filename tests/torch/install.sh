#!/bin/sh
# Makes an environment with a release of PyTorch from PyPI, unless it is there. usage: install.sh FOLDER RELEASE
[ -x "$1/bin/python" ] && "$1/bin/python" -c "import torch, sys; sys.exit(torch.__version__.split('+')[0] != '$2')" 2>/dev/null && exit 0
python3 -c 'import ensurepip' 2>/dev/null || sh "$(dirname "$0")/../../tools/deps.sh" python3-venv || exit 1
python3 -m venv "$1" || exit 1
"$1/bin/pip" install --quiet --no-cache-dir --retries 1 --timeout 30 "torch==$2" numpy setuptools
