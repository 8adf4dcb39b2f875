"""The page for the browser (the command's `gpusnap view`) with a recording inside: for notebooks, and to save."""
from __future__ import annotations

import base64
import html
import os
import pathlib
import sys
from typing import Iterator, Union

from .library import Error
from .snapshots import _save

_NAME = 'gpusnap.html'
_MARK = '<!-- gpusnap: recordings -->'


def _places() -> Iterator[pathlib.Path]:
    here = pathlib.Path(__file__).resolve().parent
    if os.environ.get('GPUSNAP_PAGE'):
        yield pathlib.Path(os.environ['GPUSNAP_PAGE'])
    yield pathlib.Path(sys.prefix) / 'share' / 'gpusnap' / _NAME                  # the wheel
    yield here.parent.parent.parent / 'build' / 'page' / _NAME                    # the source tree
    yield here.parent.parent.parent.parent / 'share' / 'gpusnap' / _NAME          # installed as PREFIX/lib/gpusnap/python/gpusnap


def _empty() -> str:
    for place in _places():
        if place.exists():
            return place.read_text(encoding='utf-8')
    raise Error(None, f'this installation came without the page, {_NAME} (set GPUSNAP_PAGE to its path)')


class Page:
    """The page with one recording inside. A notebook shows it in a frame of its own, that reaches nothing outside it; .data is the file."""

    def __init__(self, gsnap: bytes, name: str, height: int) -> None:
        empty = _empty()
        if _MARK not in empty:
            raise Error(None, f'{_NAME} is not the page of this program')
        element = (f'<script type="text/plain" class="gpusnap-recording" data-name="{html.escape(name)}">'
                   f'{base64.b64encode(gsnap).decode()}</script>\n')
        before, after = empty.split(_MARK, 1)
        self.data, self.height = (before + _MARK + element + after).encode('utf-8', 'replace'), height

    def save(self, path: Union[str, 'os.PathLike[str]']) -> None:
        _save(path, self.data)

    def __repr__(self) -> str:
        return f'<gpusnap page: {len(self.data)} bytes>'

    def _repr_html_(self) -> str:
        return (f'<iframe sandbox="allow-scripts allow-downloads" style="width:100%;height:{self.height}px;border:1px solid #8884" '
                f'title="gpusnap" srcdoc="{html.escape(self.data.decode())}"></iframe>')
