"""A snapshot of GPU memory and what it answers: the analyzer's library, with Python's types."""
from __future__ import annotations

import ctypes
import errno
import json
import os
import tempfile
import threading
import weakref
from array import array
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Union

from . import arrow, library
from .library import Error, UsageError
from .tables import Table, of_answer

if TYPE_CHECKING:
    from .page import Page

Size = Union[int, str]    # bytes, or a text such as '40GiB'; of a capacity also a card: 'a100-40gb'
Source = Union[str, 'os.PathLike[str]', bytes, bytearray, memoryview]

_STATES = ('active_allocated', 'active_pending_free', 'inactive')


class Diagnosis(Dict[str, Any]):
    """The verdict: the members of `gpusnap diagnose --json`. str() is the answer in words, for which the snapshot must still be
    open, and a notebook shows it."""

    def __init__(self, members: Dict[str, Any], words: Callable[[], str]) -> None:
        super().__init__(members)
        self._words = words

    @property
    def verdict(self) -> Optional[str]:
        """Why the request failed, one word; None where nothing failed."""
        found: Optional[str] = self['verdict']
        return found

    @property
    def kind(self) -> Optional[str]:
        """The verdict's family: fragmentation, shortage, …"""
        found: Optional[str] = self['kind']
        return found

    @property
    def advice(self) -> List[Dict[str, Any]]:
        """What to do, the best first: {'do', 'because', 'known'}."""
        found: List[Dict[str, Any]] = self['advice']
        return found

    def __str__(self) -> str:
        return self._words()

    def __repr__(self) -> str:
        return f'<gpusnap diagnosis: {self.verdict or "no failure"}>'

    def _repr_html_(self) -> str:
        from . import notebook
        return notebook.verdict(str(self))


class Picture:
    """A map or a plot: .data holds the file's bytes, .form is 'png' or 'svg'. A notebook shows it."""

    def __init__(self, data: bytes, form: str, what: str) -> None:
        self.data, self.form, self.what = data, form, what

    def save(self, path: Union[str, 'os.PathLike[str]']) -> None:
        """Writes it; what is called so before is replaced once the new one is whole."""
        _save(path, self.data)

    def __repr__(self) -> str:
        return f'<gpusnap {self.what}: {self.form}, {len(self.data)} bytes>'

    def _repr_png_(self) -> Optional[bytes]:
        return self.data if self.form == 'png' else None

    def _repr_html_(self) -> Optional[str]:
        from . import notebook
        return notebook.image(self.data, self.form, self.what) if self.form == 'svg' else None


class Snapshot:
    """One snapshot, read once. Answers are those of the command. Threads take turns.

    state (in most questions): 'captured', 'oom', 'oom 2', 'peak', 'peak reserved', 'step 10', an event's number; by default the last
    out-of-memory, else what was captured. device: its number, by default what the command takes; for events() and blocks() the
    file's first.

    Questions raise Error, and UsageError where the question is wrong."""

    def __init__(self, source: Source, number: int = 0, name: Optional[str] = None) -> None:
        self._lib, self._turn = library.load(), threading.RLock()
        self.path: Optional[str] = name
        handle = self._lib.gpusnap_snapshot_new()
        if not handle:
            raise MemoryError('gpusnap: no memory for a snapshot')
        self._handle: Optional[int] = handle
        self._close = _when_gone(self, self._lib.gpusnap_snapshot_close, handle)
        try:
            self._read(source, number)
        except BaseException:
            self.close()
            raise

    def _read(self, source: Source, number: int) -> None:
        if isinstance(source, (str, os.PathLike)):
            path = os.fspath(source)
            if not os.path.lexists(path):
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
            if os.path.isdir(path):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
            self.path = self.path or os.fsdecode(path)
            status = self._lib.gpusnap_snapshot_open(self._handle, os.fsencode(path), number)
        else:
            try:
                data = source if isinstance(source, bytes) else bytes(memoryview(source))
            except TypeError:
                raise TypeError(f'a snapshot is a path or bytes, not {type(source).__name__}') from None
            given = library.argument(self.path) if self.path else None
            status = self._lib.gpusnap_snapshot_open_memory(self._handle, data, len(data), given)
        self._check(status)

    def _check(self, status: int) -> None:
        if status != library.DONE:
            reason = library.text(self._lib.gpusnap_snapshot_error(self._handle))
            raise (UsageError if status == library.USAGE else Error)(self.path, reason)

    def _live(self) -> int:
        if self._handle is None:
            raise ValueError('the snapshot is closed')
        return self._handle

    def _ask(self, question: str, *arguments: Any) -> bytes:
        out, n = ctypes.c_void_p(), ctypes.c_size_t()
        with self._turn:
            self._check(getattr(self._lib, 'gpusnap_snapshot_' + question)(self._live(), *arguments, out, n))
        try:
            return ctypes.string_at(out, n.value)
        finally:
            self._lib.gpusnap_analyzer_free(out)

    def _table(self, question: str, *arguments: Any) -> Table:
        return of_answer(json.loads(library.text(self._ask(question, *arguments))))

    def close(self) -> None:
        """Gives its memory back; it cannot be asked afterwards. Tables that it gave live on."""
        with self._turn:
            self._handle = None
            self._close()

    def __enter__(self) -> 'Snapshot':
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f'<gpusnap snapshot {self.path or "of bytes"!r}{" (closed)" if self._handle is None else ""}>'

    @property
    def warnings(self) -> List[str]:
        """What the reader warned of."""
        found: List[str] = []
        with self._turn:
            while True:
                word = self._lib.gpusnap_snapshot_warning(self._live(), len(found))
                if word is None:
                    return found
                found.append(library.text(word))

    @property
    def info(self) -> Dict[str, Any]:
        """What the file is and holds."""
        row: Dict[str, Any] = json.loads(library.text(self._ask('info')))['rows'][0]
        return row

    @property
    def devices(self) -> List[int]:
        """The numbers of its devices: what events(device=…) and blocks(device=…) take, one at a time."""
        return self.query('select device from device').column('device')

    def diagnose(self, *, device: Optional[int] = None, state: Optional[str] = None, capacity: Optional[Size] = None,
                 allowed: Optional[Size] = None, context: Optional[Size] = None, message: Optional[str] = None,
                 rules: Optional[str] = None, replay: Optional[bool] = None) -> Diagnosis:
        """Why the request failed and what would have let it pass; without a failure the peak and who held it. message: the
        error's text. rules: categories by the program's paths, as --rules-file has them. replay=False: no advice from replays."""
        asked = dict(device=device, state=state, capacity=capacity, allowed=allowed, context=context, message=message, rules=rules,
                     replay=replay)
        members = json.loads(library.text(self._ask('diagnose', library.options(**asked))))
        return Diagnosis(members, lambda: library.text(self._ask('diagnose', library.options(form='text', **asked))))

    def query(self, query: str, *, device: Optional[int] = None, state: Optional[str] = None, by: Optional[str] = None,
              rows: Optional[int] = None, seconds: Optional[int] = None) -> Table:
        """A named query (query('tables') tells what SQL can ask) or one SQL statement. rows: at most so many, 0 all. seconds: the
        longest it may take, 30 by default, 0 for ever. Rows become Python's: for millions of events take events()."""
        asked = library.options(device=device, state=state, by=by, rows=rows, seconds=seconds)
        return self._table('query', library.argument(query), asked)

    def holders(self, *, device: Optional[int] = None, state: Optional[str] = None) -> Table:
        """Who holds live memory: device, where, called_by, category, bytes, blocks."""
        return self.query('holders', device=device, state=state)

    def categories(self, *, device: Optional[int] = None, state: Optional[str] = None) -> Table:
        """What live memory is for: device, category, bytes, blocks, share."""
        return self.query('categories', device=device, state=state)

    def steps(self, *, device: Optional[int] = None) -> Table:
        """The steps of the program, and what each held at its beginning, peak and end."""
        return self.query('steps', device=device)

    def peak(self, *, device: Optional[int] = None) -> Table:
        """When each device had most allocated, and what that was by category."""
        return self.query('peak', device=device)

    def whatif(self, conf: Union[None, str, Sequence[str]] = None, *, capacity: Optional[Size] = None,
               recorded_capacity: Optional[Size] = None, allowed: Optional[Size] = None, release: Optional[str] = None,
               until: Optional[int] = None, minimize: Optional[bool] = None, device: Optional[int] = None) -> Table:
        """The run replayed with other settings (PYTORCH_CUDA_ALLOC_CONF's words, one text or several; none: the settings worth
        trying), another capacity, or with a library release's rules."""
        given = conf if conf is None or isinstance(conf, str) else list(conf)
        return self._table('whatif', library.options(
            conf=given, capacity=capacity, recorded_capacity=recorded_capacity, allowed=allowed, release=release, until=until,
            minimize=minimize, device=device))

    def diff(self, other: Union['Snapshot', Source, None] = None, *, from_state: Optional[str] = None,
             to_state: Optional[str] = None, device: Optional[int] = None) -> Table:
        """What holds more or less in `other` than here, by place; without `other` between two states of this snapshot."""
        if other is not None and not isinstance(other, Snapshot):
            with Snapshot(other) as opened:
                return self.diff(opened, from_state=from_state, to_state=to_state, device=device)
        second = self if other is None else other
        asked = library.options(device=device, **{'from': from_state, 'to': to_state})
        first_turn, second_turn = sorted((self._turn, second._turn), key=id)    # always in one order: no two wait for each other
        with first_turn, second_turn:
            return self._table('diff', second._live(), asked)

    def _picture(self, what: str, form: str, **asked: Any) -> Picture:
        return Picture(self._ask('picture', what.encode(), library.options(form=form, **asked)), form, what)

    def map(self, *, form: str = 'png', width: Optional[int] = None, color: Optional[str] = None, device: Optional[int] = None,
            state: Optional[str] = None) -> Picture:
        """The heap drawn: segments, blocks, holes. form: 'png' or 'svg'; color: holder (the default), category, state, tag, stream,
        age or size."""
        return self._picture('map', form, width=width, color=color, device=device, state=state)

    def plot(self, *, form: str = 'png', width: Optional[int] = None, by: Optional[str] = None,
             device: Optional[int] = None) -> Picture:
        """Memory over time, stacked by holder (the default), category, tag, stream or size."""
        return self._picture('plot', form, width=width, color=by, device=device)

    def report(self, path: Union[None, str, 'os.PathLike[str]'] = None, *, device: Optional[int] = None,
               state: Optional[str] = None) -> str:
        """The report, one HTML page; written to path too where one is given."""
        page = self._ask('report', library.options(device=device, state=state))
        if path is not None:
            _save(path, page)
        return library.text(page)

    def page(self, *, height: int = 900) -> 'Page':
        """The page for the browser with this snapshot inside (`gpusnap view`): a notebook shows it, so many pixels high, and
        .save(path) writes the file. gpusnap.Error where this installation came without the page."""
        from .page import Page
        return Page(self._ask('export', b'gsnap', None), os.path.basename(self.path or 'snapshot'), height)

    def events(self, *, device: Optional[int] = None) -> Table:
        """A device's events (of several devices the first's: see devices), the library's own columns without a copy: idx, action,
        address, size, stream, time_us, stack_id, tag, and allocated and reserved after each. Sizes are bytes, stack_id is the number
        in the table `stack` of a query."""
        found = _Columns(self, library.Events(), 'events', -1 if device is None else device)
        number = array('q', range(found.n))
        return found.table([
            arrow.Column('idx', 'l', found.n, [number.buffer_info()[0]], owner=number),
            found.words('action', library.words('action')), found.known('address', 'L'), found.plain('size', 'L'),
            found.plain('stream', 'L'), found.nullable('time_us'), found.known('stack', 'I', 'stack_id'), found.tags(),
            found.nullable('allocated'), found.nullable('reserved')])

    def blocks(self, *, device: Optional[int] = None, state: Optional[str] = None) -> Table:
        """The blocks of a device in a state: segment (its address), address, size, requested, state, category, stream, stack_id,
        tag, and idx, the event that made it."""
        given = library.argument(state) if state is not None else None
        found = _Columns(self, library.Blocks(), 'blocks', -1 if device is None else device, given)
        return found.table([
            found.plain('segment', 'L'), found.plain('address', 'L'), found.plain('size', 'L'), found.nullable('requested'),
            found.words('state', _STATES), found.categories(), found.plain('stream', 'L'),
            found.known('stack', 'I', 'stack_id'), found.tags(), found.nullable('idx')])

    def _repr_html_(self) -> str:
        from . import notebook
        return notebook.snapshot(self)


class _Columns:
    """Columns of the library's, given back when the last table of them goes."""

    def __init__(self, snapshot: Snapshot, columns: Any, what: str, *arguments: Any) -> None:
        lib = snapshot._lib
        with snapshot._turn:
            snapshot._check(getattr(lib, 'gpusnap_snapshot_' + what)(snapshot._live(), *arguments, columns))
        self.n: int = columns.n
        self._columns, self._lib, self._snapshot = columns, lib, snapshot
        self._owner = _Owner()
        _when_gone(self._owner, getattr(lib, f'gpusnap_{what}_free'), columns)

    def table(self, columns: Sequence[arrow.Column]) -> Table:
        return Table(columns, self.n)

    def plain(self, field: str, form: str, name: Optional[str] = None) -> arrow.Column:
        return arrow.Column(name or field, form, self.n, [getattr(self._columns, field)], owner=self._owner)

    def nullable(self, field: str) -> arrow.Column:
        """Numbers of which some may be unknown."""
        column = self.plain(field, 'l')
        valid = (ctypes.c_uint8 * max((self.n + 7) // 8, 1))()
        nulls = self._lib.gpusnap_analyzer_validity(column.buffers[0], self.n, valid)
        column.valid, column.nulls = (valid, nulls) if nulls else (None, 0)
        return column

    def known(self, field: str, form: str, name: Optional[str] = None) -> arrow.Column:
        """Numbers where 0 is unknown."""
        column = self.plain(field, form, name)
        valid, nulls = arrow.known_ids(column.buffers[0], self.n, 8 if form == 'L' else 4)
        column.valid, column.nulls = (valid, nulls) if nulls else (None, 0)
        return column

    def words(self, field: str, names: Sequence[str]) -> arrow.Column:
        column = self.plain(field, 'C')
        column.words = arrow.texts(field, names)
        return column

    def categories(self) -> arrow.Column:
        """What blocks are for; free memory is for nothing."""
        column = self.words('category', library.words('category'))
        states = ctypes.string_at(self._columns.state, self.n)
        free = _STATES.index('inactive')
        valid, nulls = arrow.bitmap_of(states.translate(bytes(i != free for i in range(256))))
        column.valid, column.nulls = (valid, nulls) if nulls else (None, 0)
        return column

    def tags(self) -> arrow.Column:
        """Tags by name. The library's numbers have gaps, and pandas wants each word once: they are numbered anew."""
        column = self.known('tag', 'I')
        if column.nulls == self.n:
            column.words = arrow.texts('tag', [''])
            return column
        names: Dict[str, int] = {}
        anew: Dict[int, int] = defaultdict(int)
        for row in self._snapshot.query('select id, name from tag'):
            anew[row['id']] = names.setdefault(row['name'], len(names))
        given = (ctypes.c_uint32 * self.n).from_address(column.buffers[0])
        numbers = array('I', map(anew.__getitem__, given))
        column.buffers, column.owner = [numbers.buffer_info()[0]], numbers
        column.words = arrow.texts('tag', list(names) or [''])
        return column


class _Owner:
    """What tables refer to while they need the library's columns."""


def _when_gone(owner: Any, function: Callable[..., None], *arguments: Any) -> Any:
    """Calls it once owner is gone, but not because the program ends: other libraries may still read its tables then."""
    finalizer = weakref.finalize(owner, function, *arguments)
    finalizer.atexit = False
    return finalizer


def _save(path: Union[str, 'os.PathLike[str]'], data: bytes) -> None:
    """Written beside and renamed, so that a failure leaves what was there; behind a link, and through a pipe or device."""
    path = os.path.realpath(os.fspath(path))
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        with open(path, 'wb') as f:
            f.write(data)
        return
    try:
        descriptor, beside = tempfile.mkstemp(prefix='.gpusnap-', dir=os.path.dirname(path) or '.')
    except OSError as e:
        raise OSError(e.errno, e.strerror, path) from None      # the name that was asked for
    try:
        with os.fdopen(descriptor, 'wb') as f:
            f.write(data)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(beside, 0o666 & ~mask)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise
