"""Tables in Arrow's memory, given away by the PyCapsule interface, so that pyarrow, pandas, polars and DuckDB take them without a
copy of values through Python. Only what results need: 64-bit integers, smaller unsigned ones, doubles, booleans, texts, and texts
by number (a dictionary). Layouts follow the Arrow C data interface."""
from __future__ import annotations

import ctypes
import itertools
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from typing import Any, Dict, List, Optional, Sequence, Tuple


class _Schema(Structure):
    pass


class _Array(Structure):
    pass


class _Stream(Structure):
    pass


_Schema._fields_ = [('format', c_char_p), ('name', c_char_p), ('metadata', c_char_p), ('flags', c_int64), ('n_children', c_int64),
                    ('children', POINTER(POINTER(_Schema))), ('dictionary', POINTER(_Schema)),
                    ('release', CFUNCTYPE(None, POINTER(_Schema))), ('private', c_void_p)]
_Array._fields_ = [('length', c_int64), ('null_count', c_int64), ('offset', c_int64), ('n_buffers', c_int64), ('n_children', c_int64),
                   ('buffers', POINTER(c_void_p)), ('children', POINTER(POINTER(_Array))), ('dictionary', POINTER(_Array)),
                   ('release', CFUNCTYPE(None, POINTER(_Array))), ('private', c_void_p)]
_Stream._fields_ = [('get_schema', CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Schema))),
                    ('get_next', CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Array))),
                    ('get_last_error', CFUNCTYPE(c_void_p, POINTER(_Stream))),
                    ('release', CFUNCTYPE(None, POINTER(_Stream))), ('private', c_void_p)]

_NULLABLE = 2
_NO_MEMORY = 12
_CTYPES = {'l': ctypes.c_int64, 'L': ctypes.c_uint64, 'I': ctypes.c_uint32, 'C': ctypes.c_uint8, 'g': ctypes.c_double}

# What a structure that was given away refers to, until its release; by a number of ours.
_kept: Dict[Any, Tuple[Any, ...]] = {}
_numbers = itertools.count(1)


def _keep(*things: Any) -> int:
    number = next(_numbers)
    _kept[number] = things
    return number


class Column:
    """A column: a format of Arrow ('l' int64, 'L' uint64, 'I' uint32, 'C' uint8, 'g' double, 'b' boolean, 'U' text), its buffers
    without the validity bitmap (each a ctypes array or an address), the bitmap or None. words: the texts that the numbers name.
    owner: what keeps memory that buffers only point to."""

    def __init__(self, name: str, form: str, n: int, buffers: Sequence[Any], valid: Any = None, nulls: int = 0,
                 words: Optional['Column'] = None, owner: Any = None) -> None:
        self.name, self.format, self.n, self.buffers = name, form, n, buffers
        self.valid, self.nulls, self.words, self.owner = valid, nulls, words, owner

    def values(self, start: int = 0, stop: Optional[int] = None) -> List[Any]:
        """The rows from start to before stop as Python's values; unknown is None."""
        stop = self.n if stop is None else min(stop, self.n)
        if start >= stop:
            return []
        found = self._texts(start, stop) if self.format == 'U' else self._numbers(start, stop)
        if self.words is not None:
            names = self.words.values()
            found = [names[v] if v < len(names) else None for v in found]
        if self.nulls:
            found = [v if self.valid[i >> 3] >> (i & 7) & 1 else None for i, v in enumerate(found, start)]
        return found

    def _numbers(self, start: int, stop: int) -> List[Any]:
        if self.format == 'b':
            return [bool(self.buffers[0][i >> 3] >> (i & 7) & 1) for i in range(start, stop)]
        kind = _CTYPES[self.format]
        at = _address(self.buffers[0]) + start * ctypes.sizeof(kind)
        return list((kind * (stop - start)).from_address(at))

    def _texts(self, start: int, stop: int) -> List[str]:
        offsets, whole = self.buffers[0], self.buffers[1].raw
        return [whole[offsets[i]:offsets[i + 1]].decode('utf-8', 'replace') for i in range(start, stop)]


def _bitmap(flags: Sequence[Any]) -> Any:
    bits = bytearray((len(flags) + 7) // 8 or 1)
    for i, flag in enumerate(flags):
        if flag:
            bits[i >> 3] |= 1 << (i & 7)
    return (ctypes.c_uint8 * len(bits)).from_buffer(bits)


def bitmap_of(flags: bytes) -> Tuple[Any, int]:
    """The validity bitmap of a byte a row, 0 where it is unknown and 1 where it is known, and how many are unknown. Bytes are looked
    at as a whole: a million rows take milliseconds."""
    size, bits = max((len(flags) + 7) // 8, 1), 0
    for i in range(8):
        bits |= int.from_bytes(flags[i::8], 'little') << i
    return (ctypes.c_uint8 * size).from_buffer_copy(bits.to_bytes(size, 'little')), flags.count(0)


def known_ids(address: int, n: int, width: int) -> Tuple[Any, int]:
    """bitmap_of unsigned numbers of `width` bytes where 0 is unknown."""
    memory, lanes = ctypes.string_at(address, n * width), 0
    for i in range(width):
        lanes |= int.from_bytes(memory[i::width], 'little')
    return bitmap_of(lanes.to_bytes(n, 'little').translate(b'\0' + b'\1' * 255))


def column_of(name: str, values: Sequence[Any]) -> Column:
    """A column of Python's values (None: unknown); of several types they become texts."""
    known = [v for v in values if v is not None]
    nulls, kinds = len(values) - len(known), {type(v) for v in known}
    valid = _bitmap([v is not None for v in values]) if nulls else None
    if kinds == {bool}:
        return Column(name, 'b', len(values), [_bitmap(values)], valid, nulls)
    form = _number_form(kinds, known)
    if form is None:
        return texts(name, values, valid, nulls)
    return Column(name, form, len(values), [(_CTYPES[form] * max(len(values), 1))(*[v or 0 for v in values])], valid, nulls)


def _number_form(kinds: Any, known: Sequence[Any]) -> Optional[str]:
    if kinds == {int}:
        least, most = min(known), max(known)
        if least >= -2**63 and most < 2**63:
            return 'l'
        return 'L' if least >= 0 and most < 2**64 else 'g'
    return 'g' if kinds and kinds <= {int, float} else None


def texts(name: str, values: Sequence[Any], valid: Any = None, nulls: int = 0) -> Column:
    """A column of texts."""
    encoded = [b'' if v is None else str(v).encode('utf-8', 'replace') for v in values]
    offsets = (ctypes.c_int64 * (len(values) + 1))(0, *itertools.accumulate(len(v) for v in encoded))
    whole = b''.join(encoded)
    return Column(name, 'U', len(values), [offsets, ctypes.create_string_buffer(whole, len(whole) + 1)], valid, nulls)


def _fill_schema(schema: Any, column: Column) -> None:
    form, name, words = column.format.encode(), column.name.encode(), None
    schema.format, schema.name, schema.flags = form, name, _NULLABLE
    if column.words is not None:
        words = _Schema()
        _fill_schema(words, column.words)
        schema.dictionary = ctypes.pointer(words)
    schema.private = _keep(form, name, words)
    schema.release = _release_schema


def _address(buffer: Any) -> Any:
    return buffer if buffer is None or isinstance(buffer, int) else ctypes.addressof(buffer)


def _fill_array(array: Any, column: Column) -> None:
    buffers = (c_void_p * (len(column.buffers) + 1))(_address(column.valid), *[_address(b) for b in column.buffers])
    array.length, array.null_count, array.n_buffers, array.buffers = column.n, column.nulls, len(buffers), buffers
    words = None
    if column.words is not None:
        words = _Array()
        _fill_array(words, column.words)
        array.dictionary = ctypes.pointer(words)
    array.private = _keep(buffers, column, words)
    array.release = _release_array


def _family(kind: Any, fill: Any, columns: Sequence[Column]) -> Tuple[Any, Any]:
    """A structure for each column, and the array of pointers to them."""
    children = [kind() for _ in columns]
    for child, column in zip(children, columns):
        fill(child, column)
    return children, (POINTER(kind) * max(len(columns), 1))(*[ctypes.pointer(c) for c in children])


def _table_schema(schema: Any, columns: Sequence[Column]) -> None:
    ctypes.memset(ctypes.addressof(schema), 0, ctypes.sizeof(schema))
    children, pointers = _family(_Schema, _fill_schema, columns)
    form, name = b'+s', b''
    schema.format, schema.name, schema.n_children, schema.children = form, name, len(columns), pointers
    schema.private = _keep(children, pointers, form, name)
    schema.release = _release_schema


def _table_array(array: Any, columns: Sequence[Column], n: int) -> None:
    ctypes.memset(ctypes.addressof(array), 0, ctypes.sizeof(array))
    children, pointers = _family(_Array, _fill_array, columns)
    buffers = (c_void_p * 1)(None)
    array.length, array.n_buffers, array.buffers = n, 1, buffers
    array.n_children, array.children = len(columns), pointers
    array.private = _keep(children, pointers, buffers)
    array.release = _release_array


# Callbacks are called as long as somebody holds a table, even while the interpreter takes its modules down: they reach what they
# need by their arguments' defaults, and are never freed.

def _callback(kind: Any) -> Any:
    def wrap(function: Any) -> Any:
        made = kind(function)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))
        return made
    return wrap


def _release_any(kind: Any) -> Any:
    nothing = CFUNCTYPE(None, POINTER(kind))

    def release(pointer: Any, kept: Any = _kept, nothing: Any = nothing) -> None:
        thing = pointer.contents
        for i in range(thing.n_children):
            child = thing.children[i]
            if child.contents.release:
                child.contents.release(child)
        if thing.dictionary and thing.dictionary.contents.release:
            thing.dictionary.contents.release(thing.dictionary)
        kept.pop(thing.private, None)
        thing.release = nothing()
    return _callback(nothing)(release)


_release_schema = _release_any(_Schema)
_release_array = _release_any(_Array)


class _Source:
    """A stream of one batch."""

    def __init__(self, columns: Sequence[Column], n: int) -> None:
        self.columns, self.n, self.given = columns, n, False


@_callback(CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Schema)))
def _get_schema(stream, out):
    try:
        _table_schema(out.contents, _kept[stream.contents.private][0].columns)
    except Exception:
        return _NO_MEMORY
    return 0


@_callback(CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Array)))
def _get_next(stream, out):
    try:
        source = _kept[stream.contents.private][0]
        if source.given:
            ctypes.memset(out, 0, ctypes.sizeof(_Array))     # no release: the end
        else:
            source.given = True
            _table_array(out.contents, source.columns, source.n)
    except Exception:
        return _NO_MEMORY
    return 0


@_callback(CFUNCTYPE(c_void_p, POINTER(_Stream)))
def _get_last_error(stream):
    return None


@_callback(CFUNCTYPE(None, POINTER(_Stream)))
def _release_stream(stream, kept=_kept, nothing=_Stream._fields_[3][1]):
    kept.pop(stream.contents.private, None)
    stream.contents.release = nothing()


_CAPSULE = b'arrow_array_stream'
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
# by a prototype of its own: it must not look at an exception that is on its way while a capsule goes
_capsule_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(('PyCapsule_GetPointer', ctypes.pythonapi))


@_callback(CFUNCTYPE(None, c_void_p))
def _drop_capsule(capsule, kept=_kept, name=_CAPSULE, pointer=_capsule_pointer, kind=_Stream):
    """A capsule that nobody took the stream from releases it; the structure itself goes in any case."""
    at = pointer(capsule, name)
    stream = kind.from_address(at)
    if stream.release:
        kept.pop(stream.private, None)
    kept.pop(('stream', at), None)


def capsule(columns: Sequence[Column], n: int) -> object:
    """A PyCapsule with an ArrowArrayStream of these columns, n rows each."""
    stream = _Stream(_get_schema, _get_next, _get_last_error, _release_stream, _keep(_Source(columns, n)))
    at = ctypes.addressof(stream)
    _kept['stream', at] = (stream,)
    return _new_capsule(at, _CAPSULE, ctypes.cast(_drop_capsule, c_void_p))
