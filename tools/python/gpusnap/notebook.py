"""What notebooks show, and the magic `%gpusnap FILE [QUERY]` (after `%load_ext gpusnap`). Names come from files of strangers: every text is
escaped, and pictures are data of images, in which nothing runs."""
from __future__ import annotations

import base64
import functools
import html
import os
import re
import sys
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

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


_USAGE = 'usage: %gpusnap FILE [QUERY]    (QUERY: a named query or SQL)'


def _split(line: str) -> Tuple[str, str]:
    """File and query. What is a file's name as it stands is one, blanks and all; else a name with blanks is quoted."""
    if os.path.lexists(line):
        return line, ''
    quoted = re.fullmatch(r"""(["'])(.+?)\1(?:\s+(.*))?""", line, re.S)
    if quoted:
        return quoted[2], quoted[3] or ''
    name, _, query = line.partition(' ')
    return name, query.strip()


def magic(line: str) -> Any:
    """%gpusnap FILE shows the verdict, the map and the plot of a snapshot; its value is the snapshot.
    %gpusnap FILE QUERY shows the rows of a named query (holders, steps, …) or of SQL; its value is the table."""
    from .library import UsageError
    from .snapshots import Snapshot
    name, query = _split(line.strip())
    if not name or name in ('-h', '--help', '?'):
        raise UsageError(None, _USAGE)
    s = Snapshot(name)
    return s.query(query) if query else s


def load(ipython: Any) -> None:
    from .library import Error
    shell = sys.modules.get('IPython.core.error')

    @functools.wraps(magic)
    def gpusnap(line: str) -> Any:
        try:
            return magic(line)
        except (OSError, Error) as e:
            if not shell:
                raise
            # which IPython shows as one line, without a traceback through this package
            raise shell.UsageError(f'{e.filename}: {e.strerror}' if isinstance(e, OSError) else str(e)) from None
    ipython.register_magic_function(gpusnap, 'line', 'gpusnap')
