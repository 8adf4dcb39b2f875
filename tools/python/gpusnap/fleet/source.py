"""Which dumps a folder, a glob or an object store holds: path, size and time of change of each, in the order of their paths."""
from __future__ import annotations

import glob as globbing
import os
from typing import Any, Dict, Iterator, List, Optional, Tuple

import pyarrow.fs as pafs

from . import context, store

File = Dict[str, Any]     # path, below, size, mtime_ms


def normal(path: str) -> str:
    """A path as it is kept, whoever tells it: without file: in front."""
    if path.startswith('file:'):
        return '/' + path[5:].lstrip('/')
    return path


def split(path: str) -> Tuple[str, str]:
    """A path with signs of a glob in it as the folder before the first of them, and the rest."""
    parts = path.split('/')
    for i, part in enumerate(parts):
        if globbing.has_magic(part):
            return '/'.join(parts[:i]) or ('/' if path.startswith('/') else '.'), '/'.join(parts[i:])
    return path, ''


def below(path: str, bases: List[str]) -> str:
    """The path below the folder that was named."""
    for base in bases:
        if path.startswith(base.rstrip('/') + '/'):
            return path[len(base.rstrip('/')) + 1:]
    return path.rsplit('/', 1)[-1]


def bases(paths: List[str]) -> List[str]:
    """The folders that names of inputs mean, absolute; of a file the one that it lies in."""
    found = []
    for path in paths:
        if '://' in path and not path.startswith('file:'):
            found.append(split(path)[0])
            continue
        base, rest = split(os.path.abspath(normal(path)))
        found.append(os.path.dirname(base) if not rest and os.path.isfile(base) else base)
    return found


def is_candidate(path: str) -> bool:
    """Hidden files are somebody's temporary ones."""
    return not any(part.startswith('.') for part in path.split('/') if part not in ('.', '..'))


def _local(path: str) -> Iterator[File]:
    path = os.path.abspath(normal(path))
    base, rest = split(path)
    names = sorted(globbing.glob(path, recursive=True)) if rest else [path]
    for name in names:
        if os.path.isfile(name):
            yield from _file(name, base if rest else os.path.dirname(name))
        elif not os.path.isdir(name):
            raise FileNotFoundError(2, 'No such file or directory', name)
        else:
            yield from _folder(name, base if rest else name)


def _folder(folder: str, base: str) -> Iterator[File]:
    if store.is_fleet(folder):     # the tables of a fleet are no dumps
        return
    for at, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith('.') and not store.is_fleet(os.path.join(at, f)))
        for name in sorted(files):
            if not name.startswith('.'):
                yield from _file(os.path.join(at, name), base)


def _file(path: str, base: str) -> Iterator[File]:
    try:
        stat = os.stat(path)
    except OSError:     # gone meanwhile
        return
    if not os.path.isfile(path):
        return
    yield {'path': path, 'below': below(path, [base]), 'size': stat.st_size, 'mtime_ms': stat.st_mtime_ns // 1000000}


def filesystem(path: str) -> Tuple[Optional[pafs.FileSystem], str]:
    """The file system of an URI, and the path in it; None for a local path."""
    if '://' not in path or path.startswith('file:'):
        return None, normal(path)
    found: Tuple[pafs.FileSystem, str] = pafs.FileSystem.from_uri(path)
    return found


def _remote(path: str) -> Iterator[File]:
    base, rest = split(path)
    fs, root = filesystem(base)
    assert fs is not None
    scheme = path.split('://', 1)[0]
    info = fs.get_file_info(root)
    infos = [info] if info.type == pafs.FileType.File else fs.get_file_info(pafs.FileSelector(root, recursive=True))
    for info in sorted(infos, key=lambda i: i.path):
        under = info.path[len(root):].lstrip('/')
        if info.type != pafs.FileType.File or not is_candidate(under) or (rest and not _fits(under, rest)):
            continue
        yield {'path': f'{scheme}://{info.path}', 'below': under or info.base_name, 'size': info.size,
               'mtime_ms': (info.mtime_ns or 0) // 1000000}


def _fits(path: str, pattern: str) -> bool:
    import fnmatch
    return fnmatch.fnmatch(path, pattern)


def files(paths: List[str]) -> Iterator[File]:
    """Each file once."""
    seen = set()
    for path in paths:
        for file in (_remote if '://' in path and not path.startswith('file:') else _local)(path):
            if file['path'] not in seen:
                seen.add(file['path'])
                yield file


def read(path: str) -> Optional[bytes]:
    """The bytes of a file that is not local; None for a local one, which the reader of dumps opens itself."""
    fs, inside = filesystem(path)
    if fs is None:
        return None
    with fs.open_input_file(inside) as f:
        data: bytes = f.read()
        return data


def given(file: File, rule: Any) -> context.Context:
    """What is known of a file before it is read."""
    return dict(rule(file['path']), path=file['path'], below=file['below'])
