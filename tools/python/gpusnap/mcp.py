"""`gpusnap mcp [DIRECTORY…]`: serves agents that read snapshots, over standard input and output, by the Model Context Protocol. It only
reads, and only what lies below the folders that it was started with (the current one where none is named)."""
from __future__ import annotations

import os
import sys
from typing import Sequence

_NEEDED = "gpusnap: mcp: needs the package mcp, 2 or newer, and Python 3.10 or newer ({}): pip install 'gpusnap[mcp]'"


def main(arguments: Sequence[str]) -> int:
    folders = list(arguments) or ['.']
    for folder in folders:
        if not os.path.isdir(folder):
            print(f'gpusnap: mcp: {folder}: not a folder', file=sys.stderr)
            return 1
    try:
        from .mcp_server import server
    except ImportError as e:
        print(_NEEDED.format(e), file=sys.stderr)
        return 1
    from .mcp_files import Files
    if sys.stdin.isatty():
        print('gpusnap: mcp: waiting for an agent on standard input (Ctrl-C ends)', file=sys.stderr)
    try:
        server(Files(folders)).run('stdio')
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
