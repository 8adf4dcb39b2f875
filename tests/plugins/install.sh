#!/bin/sh
# Makes an environment with pytest and the trainers beside an environment that has torch, unless it is there. usage: install.sh FOLDER TORCH_ENVIRONMENT
[ -e "$1/complete" ] && exit 0
torch=$(cd "$2" && "$PWD/bin/python" -c 'import os, torch; print(os.path.dirname(os.path.dirname(torch.__file__)))') || exit 1
"$2/bin/python" -m venv "$1" || exit 1
echo "import site; site.addsitedir('$torch')" > "$("$1/bin/python" -c 'import site; print(site.getsitepackages()[0])')/torch.pth"
"$1/bin/pip" install --quiet --no-cache-dir --retries 1 --timeout 30 pytest pytest-xdist lightning transformers accelerate && touch "$1/complete"
