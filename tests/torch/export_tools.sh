#!/bin/sh
# Makes an environment with the readers of PyTorch snapshots that PyPI has, unless it is there. usage: export_tools.sh FOLDER
[ -x "$1/bin/pt-snap" ] && [ -x "$1/bin/ptmem" ] && exit 0
python3 -c 'import ensurepip' 2>/dev/null || sh "$(dirname "$0")/../../tools/deps.sh" python3-venv || exit 1
python3 -m venv "$1" || exit 1
"$1/bin/pip" install --quiet --retries 1 --timeout 30 pt-snap-cli ptmem
