"""Tables that a snapshot answers with: rows as dicts, Arrow for other libraries, data frames of pandas and polars."""
from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from . import arrow

_SHOWN = 40    # rows in a notebook


class Table:
    """Rows under named columns. What takes Arrow's PyCapsule interface takes a table as it is, without a copy:
    `pyarrow.table(t)`, `polars.DataFrame(t)`, `duckdb.sql('select … from t')`.

    len(t), t[0], for row in t: rows as dicts, unknown values None. t.columns: the names. t.summary: the answer in a sentence, where
    there is one."""

    def __init__(self, columns: Sequence[arrow.Column], n: int, about: Optional[Dict[str, Any]] = None) -> None:
        self._columns, self._n = columns, n
        self.about: Dict[str, Any] = about or {}     # what else the answer says: query, state, complete, truncated
        self.columns: List[str] = [c.name for c in columns]
        self.summary: Optional[str] = self.about.get('summary')

    def __len__(self) -> int:
        return self._n

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        step = 4096     # a million rows are never Python's all at once
        for start in range(0, self._n, step):
            yield from self._dicts(start, start + step)

    def __getitem__(self, which: Union[int, slice]) -> Any:
        """A row, or a slice's rows as a list."""
        if isinstance(which, slice):
            start, stop, step = which.indices(self._n)
            return self._dicts(start, stop)[::step] if step > 0 else [self[i] for i in range(start, stop, step)]
        at = which + self._n if which < 0 else which
        if not 0 <= at < self._n:
            raise IndexError(f'row {which} of {self._n}')
        return self._dicts(at, at + 1)[0]

    def _dicts(self, start: int, stop: int) -> List[Dict[str, Any]]:
        return [dict(zip(self.columns, row)) for row in zip(*(c.values(start, stop) for c in self._columns))]

    @property
    def rows(self) -> List[Dict[str, Any]]:
        """All rows as dicts."""
        return list(self)

    def column(self, name: str) -> List[Any]:
        """A column's values as a list; KeyError where there is no such column."""
        if name not in self.columns:
            raise KeyError(f'{name}; there are: ' + ', '.join(self.columns))
        return self._columns[self.columns.index(name)].values()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Arrow's PyCapsule interface: an ArrowArrayStream of one batch that shares the table's memory."""
        return arrow.capsule(self._columns, self._n)

    def df(self, library: Optional[str] = None) -> Any:
        """A data frame of 'pandas' or 'polars'; by default of the first of them that is installed. pandas takes the columns
        through pyarrow where it is installed, else through Python's values."""
        if library not in (None, 'pandas', 'polars'):
            raise ValueError(f"df: pandas or polars, not {library!r}")
        if library is None and not _installed('pandas') and not _installed('polars'):
            raise ImportError('df() needs pandas or polars, and neither is installed')
        if library == 'polars' or (library is None and not _installed('pandas')):
            import polars
            return polars.DataFrame(self)
        import pandas
        if _installed('pyarrow'):
            import pyarrow
            return pyarrow.table(self).to_pandas()
        return pandas.DataFrame({c.name: c.values() for c in self._columns})

    def __repr__(self) -> str:
        return f'<gpusnap table of {self._n} row{"" if self._n == 1 else "s"}: {", ".join(self.columns)}>'

    def _repr_html_(self) -> str:
        from . import notebook
        return notebook.table(self.columns, self[:_SHOWN], self._n, self.summary)


def _installed(name: str) -> bool:
    import importlib.util
    return importlib.util.find_spec(name) is not None


def of_answer(answer: Dict[str, Any]) -> Table:
    """A table of an answer of columns and rows, as JSON has it."""
    names, rows = answer['columns'], answer['rows']
    about = {k: v for k, v in answer.items() if k not in ('columns', 'rows')}
    return Table([arrow.column_of(name, [row.get(name) for row in rows]) for name in names], len(rows), about)
