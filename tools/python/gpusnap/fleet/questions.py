"""Questions about a fleet: SQL of questions/NAME.sql, the same for DuckDB and Spark. The tables are those of schema.py; `asked` has
one row with what the caller asks for (since: a day)."""
from __future__ import annotations

import datetime
import functools
import json
import pathlib
import threading
from typing import Any, Dict, Iterator, List, Optional, Union

import pyarrow as pa
import pyarrow.compute as pc

from . import context, schema, store

Day = Union[None, str, datetime.date]


class Unknown(Exception):
    """No question is called so; .near is the nearest that is."""

    def __init__(self, name: str) -> None:
        import difflib
        near = difflib.get_close_matches(_plain(name), [_plain(n) for n in names()], 1, 0)
        self.near = next((n for n in names() if near and _plain(n) == near[0]), None)
        super().__init__(f'no question is called "{name}"')


@functools.lru_cache(maxsize=None)
def _all() -> Dict[str, str]:
    folder = pathlib.Path(__file__).parent / 'questions'
    return {f.stem.replace('_', ' '): f.read_text(encoding='utf-8') for f in sorted(folder.glob('*.sql'))}


def names() -> List[str]:
    return list(_all())


def _plain(name: str) -> str:
    return name.lower().replace('-', '').replace('_', '').replace(' ', '')


def find(name: str) -> str:
    """The name of a question from what somebody typed: case, - and _ do not matter, a unique beginning is enough."""
    exact = [n for n in names() if _plain(n) == _plain(name)]
    begin = [n for n in names() if _plain(n).startswith(_plain(name))] if _plain(name) else []
    if not exact and len(begin) != 1:
        raise Unknown(name)
    return (exact or begin)[0]


def sql(name: str) -> str:
    """The SQL of a question, without its first line, which describes it."""
    return _all()[find(name)].split('\n', 1)[1]


def description(name: str) -> str:
    return _all()[find(name)].split('\n', 1)[0].lstrip('- ')


def whole(name: str) -> str:
    """The SQL with the line that describes it."""
    return _all()[find(name)]


def listed() -> pa.Table:
    """The named questions, and what they answer."""
    return pa.table({'name': names(), 'description': [description(name) for name in names()]})


def is_sql(text: str) -> bool:
    return text.lstrip(' \t\n(').lower().startswith(('select', 'with', 'values', 'from', 'explain', 'describe', 'summarize'))


def asked(fleet: store.Fleet, since: Day = None) -> pa.Table:
    """The table `asked`."""
    day = context._day(since)
    if since is not None and day is None:
        raise ValueError(f'a day is written as 2026-11-30, not {since!r}')
    if day is None:
        last = pc.max(fleet.dataset('snapshot').to_table(columns=['day']).column('day')).as_py()
        day = last - datetime.timedelta(days=6) if last else None
    return pa.table({'since': pa.array([day], pa.date32())})


def connect(fleet: store.Fleet, since: Day = None) -> Any:
    """A DuckDB connection with the tables of a fleet, which can read nothing else."""
    import duckdb
    connection = duckdb.connect()
    for name in schema.TABLES:
        connection.register(name, fleet.dataset(name))
    connection.register('asked', asked(fleet, since))
    connection.execute('SET enable_external_access = false')
    connection.execute('SET lock_configuration = true')
    return connection


def ask(out: Union[str, store.Fleet], question: str, *, since: Day = None, seconds: float = 0) -> pa.Table:
    """The answer of a named question, or of SQL, by DuckDB: an Arrow table. seconds: the longest it may take, 0 for ever."""
    import duckdb
    fleet = store.Fleet(out) if isinstance(out, str) else out
    text = question if is_sql(question) else sql(question)
    with connect(fleet, since) as connection:
        timer = threading.Timer(seconds, connection.interrupt)
        if seconds > 0:
            timer.start()
        try:
            found = connection.sql(text)
            return pa.table({}) if found is None else found.to_arrow_table()
        except duckdb.InterruptException:
            raise TimeoutError(f'stopped after {seconds:g} s (--timeout SECONDS allows more)') from None
        finally:
            timer.cancel()


_BYTES = {'size', 'capacity', 'device_free', 'allowed', 'reserved', 'allocated', 'pending', 'free', 'largest_free', 'free_whole', 'rounding',
          'peak_allocated', 'peak_reserved', 'requested', 'needed', 'missing', 'holder_bytes', 'bytes', 'available', 'start_allocated',
          'end_allocated', 'growth', 'least_capacity', 'needed_expandable', 'bytes_before', 'bytes_after', 'change'}


def unit(name: str) -> str:
    """What a column's numbers are, for people's tables: bytes, time, or nothing."""
    return 'bytes' if name in _BYTES else 'time' if name == 'time_us' else ''


def lines(name: Optional[str], table: pa.Table) -> Iterator[str]:
    """An answer as lines of JSON: what the columns are, then an array a row."""
    yield json.dumps({'query': name, 'columns': [
        {'name': f.name, 'unit': 'boolean' if pa.types.is_boolean(f.type) else unit(f.name)} for f in table.schema]})
    for batch in table.to_batches(max_chunksize=4096):
        for row in zip(*(c.to_pylist() for c in batch.columns)):
            yield json.dumps([_plain_value(v) for v in row])


def _plain_value(value: Any) -> Any:
    import decimal
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float) and value != value:
        return None
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
