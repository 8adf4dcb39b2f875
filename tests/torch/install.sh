#!/bin/sh
# Makes an environment with a release of PyTorch from PyPI, unless it is there. usage: install.sh FOLDER RELEASE
# An environment that has another release stays as it is: who named it may need what is in it.
has=
[ -x "$1/bin/python" ] && has=$("$1/bin/python" -c "import torch; print(torch.__version__.split('+')[0])" 2>/dev/null)
[ "$has" = "$2" ] && exit 0
[ -z "$has" ] || { echo "install.sh: $1 has torch $has, not $2: say TORCH=$has, or name another folder as TORCH_VENV" >&2; exit 2; }
python3 -c 'import ensurepip' 2>/dev/null || sh "$(dirname "$0")/../../tools/deps.sh" python3-venv || exit 1
python3 -m venv "$1" || exit 1
"$1/bin/pip" install --quiet --no-cache-dir --retries 1 --timeout 30 "torch==$2" numpy setuptools
