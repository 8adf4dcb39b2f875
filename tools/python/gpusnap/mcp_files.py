"""Which files `gpusnap mcp` may read, and the snapshots that it keeps open. Knows nothing of the protocol."""
from __future__ import annotations

import os
import stat
import threading
from collections import OrderedDict
from typing import Any, Dict, Iterator, List, Sequence, Tuple

from .library import Error
from .snapshots import Snapshot

LISTED = 200                # files that a list names
_LOOKED_AT = 20000          # entries of folders that are looked at for it
_KEPT = 3                   # snapshots that stay open
_ENDINGS = ('.gsnap', '.pickle', '.pkl', '.json', '.html', '.log', '.txt', '.db', '.sqlite', '.gz', '.zst', '.csv')


class Files:
    """Files below some folders. Links are followed first: what counts is where a file really lies."""

    def __init__(self, folders: Sequence[str]) -> None:
        self.folders: List[str] = list(dict.fromkeys(os.path.realpath(folder) for folder in folders))
        self._open: 'OrderedDict[Tuple[Any, ...], Snapshot]' = OrderedDict()
        self._turn = threading.Lock()

    def find(self, path: str) -> str:
        """The real path of a regular file below the folders; relative paths start in each of them. gpusnap.Error else, in the same
        words whether there is something outside or not."""
        if not path or '\0' in path:
            raise Error(None, 'a path is needed')
        for folder in self.folders:
            real = os.path.realpath(os.path.join(folder, path))
            if any(real == f or real.startswith(f.rstrip('/') + '/') for f in self.folders) and os.path.lexists(real):
                mode = os.stat(real, follow_symlinks=False).st_mode
                if stat.S_ISDIR(mode):
                    raise Error(path, 'a folder; info without a path lists the files')
                if not stat.S_ISREG(mode):
                    raise Error(path, 'not a regular file')
                return real
        raise Error(path, 'no such file below ' + ', '.join(self.folders))

    def open(self, path: str) -> Snapshot:
        """The snapshot in a file, which stays open for the next question. gpusnap.Error where it cannot be read."""
        real = self.find(path)
        about = os.stat(real)
        key = (real, about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns)
        with self._turn:
            if key in self._open:
                self._open.move_to_end(key)
                return self._open[key]
            snapshot = self._open[key] = Snapshot(real)
            if len(self._open) > _KEPT:
                self._open.popitem(last=False)      # closed when its last question is answered
            return snapshot

    def list(self) -> Dict[str, Any]:
        """The files that may be snapshots, the newest first."""
        found, left = [], 0
        for path, about in self._walk():
            found.append({'path': path, 'bytes': about.st_size, 'modified_us': about.st_mtime_ns // 1000})
        found.sort(key=lambda f: (-f['modified_us'], f['path']))
        left = max(len(found) - LISTED, 0)
        return {'folders': self.folders, 'files': found[:LISTED], 'left_out': left}

    def _walk(self) -> Iterator[Tuple[str, os.stat_result]]:
        looked_at = 0
        for folder in self.folders:
            for place, folders, names in os.walk(folder):
                folders[:] = sorted(f for f in folders if not f.startswith('.'))
                for name in names:
                    looked_at += 1
                    if looked_at > _LOOKED_AT:
                        return
                    path = os.path.join(place, name)
                    if not name.lower().endswith(_ENDINGS):
                        continue
                    about = os.lstat(path) if os.path.lexists(path) else None
                    if about is not None and stat.S_ISREG(about.st_mode):
                        yield path, about
