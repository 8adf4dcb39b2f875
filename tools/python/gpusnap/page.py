"""The page for the browser (the command's `gpusnap view`) with a recording inside: for notebooks, and to save."""
from __future__ import annotations

import base64
import html
import os
import pathlib
from typing import Iterator, Union

from .library import Error
from .snapshots import _save

_NAME = 'gpusnap.html'
_MARK = '<!-- gpusnap: recordings -->'


def _places() -> Iterator[pathlib.Path]:
    """In the source tree, or below share/ of whatever PREFIX, PREFIX/lib/pythonX.Y/site-packages, PREFIX/lib/gpusnap/python or
    pip's --target this package was put in."""
    here = pathlib.Path(__file__).resolve().parent
    yield here.parent.parent.parent / 'build' / 'page' / _NAME
    for above in list(here.parents)[:4]:
        yield above / 'share' / 'gpusnap' / _NAME


def _empty() -> str:
    named = os.environ.get('GPUSNAP_PAGE')
    for place in [pathlib.Path(named)] if named else _places():
        try:
            return place.read_text(encoding='utf-8')
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError) as e:
            raise Error(None, f'the page {place} cannot be read: {e}') from None
    raise Error(None, f'the page {named} (GPUSNAP_PAGE) is not there' if named else
                f'this installation came without the page, {_NAME}: the wheel and the package of Debian bring it, '
                '`make deps-page page` makes it, and $GPUSNAP_PAGE names one')


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
