"""libgpusnap-analyzer by ctypes: the functions and columns of gpusnap_analyzer.h that the analysis API uses. It is loaded when a
snapshot is first opened, so that a program that only records does not pay for it."""
from __future__ import annotations

import ctypes
import functools
import json
import os
import pathlib
from ctypes import POINTER, Structure, c_char_p, c_int, c_int64, c_size_t, c_uint, c_uint8, c_uint32, c_uint64, c_void_p
from typing import Any, Iterator, List, Optional, Tuple, Union

NAME = 'libgpusnap-analyzer.so.1'
UNKNOWN = -2**63
DONE, FAILED, USAGE = 0, 1, 2


class Error(Exception):
    """A snapshot that cannot be read, or a question that it cannot answer; .path names it (None for bytes), .reason tells why."""

    def __init__(self, path: Optional[str], reason: str) -> None:
        super().__init__(f'{path}: {reason}' if path else reason)
        self.path, self.reason = path, reason


class UsageError(Error, ValueError):
    """The question is wrong: an option, a state, the name of a query."""


class Events(Structure):
    _fields_ = [('n', c_size_t), ('address', c_void_p), ('size', c_void_p), ('time_us', c_void_p), ('stream', c_void_p),
                ('stack', c_void_p), ('tag', c_void_p), ('action', c_void_p), ('allocated', c_void_p), ('reserved', c_void_p)]


class Blocks(Structure):
    _fields_ = [('n', c_size_t), ('address', c_void_p), ('size', c_void_p), ('requested', c_void_p), ('idx', c_void_p),
                ('segment', c_void_p), ('stream', c_void_p), ('stack', c_void_p), ('tag', c_void_p), ('state', c_void_p),
                ('category', c_void_p)]


_ANSWER = (POINTER(c_void_p), POINTER(c_size_t))
_FUNCTIONS = {
    'snapshot_new': (c_void_p,), 'snapshot_close': (None, c_void_p), 'analyzer_free': (None, c_void_p),
    'analyzer_version': (c_char_p,), 'snapshot_open': (c_int, c_void_p, c_char_p, c_uint),
    'snapshot_open_memory': (c_int, c_void_p, c_char_p, c_size_t, c_char_p), 'snapshot_error': (c_char_p, c_void_p),
    'snapshot_warning': (c_char_p, c_void_p, c_size_t), 'snapshot_info': (c_int, c_void_p, *_ANSWER),
    'snapshot_diagnose': (c_int, c_void_p, c_char_p, *_ANSWER), 'snapshot_query': (c_int, c_void_p, c_char_p, c_char_p, *_ANSWER),
    'snapshot_whatif': (c_int, c_void_p, c_char_p, *_ANSWER), 'snapshot_diff': (c_int, c_void_p, c_void_p, c_char_p, *_ANSWER),
    'snapshot_picture': (c_int, c_void_p, c_char_p, c_char_p, *_ANSWER), 'snapshot_report': (c_int, c_void_p, c_char_p, *_ANSWER),
    'snapshot_export': (c_int, c_void_p, c_char_p, c_char_p, *_ANSWER),
    'snapshot_events': (c_int, c_void_p, c_int64, POINTER(Events)), 'events_free': (None, POINTER(Events)),
    'snapshot_blocks': (c_int, c_void_p, c_int64, c_char_p, POINTER(Blocks)), 'blocks_free': (None, POINTER(Blocks)),
    'queries': (c_int, *_ANSWER), 'analyzer_validity': (c_size_t, c_void_p, c_size_t, POINTER(c_uint8)), 'action_name': (c_char_p, c_uint),
    'category_name': (c_char_p, c_uint),
}


def _places() -> Iterator[Union[str, pathlib.Path]]:
    here = pathlib.Path(__file__).resolve().parent
    if os.environ.get('GPUSNAP_ANALYZER_LIBRARY'):
        yield os.environ['GPUSNAP_ANALYZER_LIBRARY']
    yield here / NAME                                  # in the package
    yield here.parent.parent.parent / 'build' / NAME   # in the source tree
    yield here.parent.parent.parent / NAME             # installed as PREFIX/lib/gpusnap/python/gpusnap
    yield NAME                                         # where the system looks


def _declared(library: ctypes.CDLL) -> ctypes.CDLL:
    for name, (result, *arguments) in _FUNCTIONS.items():
        f = getattr(library, 'gpusnap_' + name)
        f.restype, f.argtypes = result, arguments
    return library


@functools.lru_cache(maxsize=None)
def load() -> ctypes.CDLL:
    """The library; ImportError where it is not found."""
    tried = []
    for place in _places():
        if isinstance(place, pathlib.Path) and not place.exists():
            continue
        try:
            return _declared(ctypes.CDLL(str(place)))
        except (OSError, AttributeError) as e:     # none, or one of an older release
            tried.append(str(e))
    raise ImportError(f'gpusnap: {NAME} is not found (set GPUSNAP_ANALYZER_LIBRARY to its path): ' + '; '.join(tried))


def words(function: str) -> Tuple[str, ...]:
    """The words of a list of the library's, 'action' or 'category', by their numbers."""
    name = getattr(load(), f'gpusnap_{function}_name')
    found: List[str] = []
    while True:
        word = name(len(found))
        if word is None:
            return tuple(found)
        found.append(word.decode())


def text(value: Optional[bytes]) -> str:
    return (value or b'').decode('utf-8', 'replace')


def options(**given: Any) -> Optional[bytes]:
    """Options as the library takes them; what is None is left out."""
    kept = {name: value for name, value in given.items() if value is not None}
    return json.dumps(kept).encode() if kept else None


def argument(value: str) -> bytes:
    """A text for C, which would end at a NUL."""
    if '\0' in value:
        raise ValueError('a text with a NUL character')
    return value.encode('utf-8', 'surrogateescape')
