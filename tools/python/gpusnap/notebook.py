"""What notebooks show, and the magic `%gpusnap FILE` (after `%load_ext gpusnap`). Names come from files of strangers: every text is
escaped, and pictures are data of images, in which nothing runs."""
from __future__ import annotations

import base64
import html
from typing import Any, Callable, Dict, List, Optional, Sequence

_PRE = 'white-space:pre-wrap;word-break:break-word;text-align:left'


def _escape(text: str) -> str:
    """Inert in HTML, and valid UTF-8: a path need not be."""
    return html.escape(text.encode('utf-8', 'replace').decode())


def verdict(text: str) -> str:
    return f'<pre class="gpusnap-verdict" style="{_PRE}">{_escape(text)}</pre>'


def image(data: bytes, form: str, what: str) -> str:
    kind = 'image/svg+xml' if form == 'svg' else 'image/png'
    return (f'<img class="gpusnap-{_escape(what)}" alt="{_escape(what)}" style="max-width:100%" '
            f'src="data:{kind};base64,{base64.b64encode(data).decode()}">')


def _cell(value: Any) -> str:
    return '' if value is None else _escape(str(value))


def table(columns: Sequence[str], rows: Sequence[Dict[str, Any]], n: int, summary: Optional[str]) -> str:
    head = ''.join(f'<th>{_escape(c)}</th>' for c in columns)
    body = ''.join('<tr>' + ''.join(f'<td>{_cell(row[c])}</td>' for c in columns) + '</tr>' for row in rows)
    more = f'<p>{len(rows)} of {n} rows</p>' if n > len(rows) else ''
    said = f'<p>{_escape(summary)}</p>' if summary else ''
    return f'<div class="gpusnap-table">{said}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}</div>'


def _or_reason(show: Callable[[], str], what: str) -> str:
    """A part that cannot be made says why, beside those that can."""
    from .library import Error
    try:
        return show()
    except Error as e:
        return f'<p>{_escape(what)}: {_escape(e.reason)}</p>'


def snapshot(s: Any) -> str:
    """Verdict, map and plot."""
    parts: List[str] = [f'<p><b>{_escape(s.path or "snapshot")}</b></p>', _or_reason(lambda: verdict(str(s.diagnose())), 'verdict')]
    for what in ('map', 'plot'):
        parts.append(_or_reason(lambda: image(getattr(s, what)().data, 'png', what), what))
    return '<div class="gpusnap">' + ''.join(parts) + '</div>'


def magic(line: str) -> Any:
    """%gpusnap FILE: opens a snapshot and shows its verdict, map and plot; the value is the snapshot."""
    from .library import UsageError
    from .snapshots import Snapshot
    name = line.strip()
    if len(name) > 1 and name[0] == name[-1] and name[0] in '\'"':
        name = name[1:-1]
    if not name:
        raise UsageError(None, 'usage: %gpusnap FILE')
    return Snapshot(name)


def load(ipython: Any) -> None:
    ipython.register_magic_function(magic, 'line', 'gpusnap')
