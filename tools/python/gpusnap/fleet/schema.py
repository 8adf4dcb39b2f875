"""The tables of a fleet: names, columns, what they mean. The one place that says so: Arrow's schemas, Parquet's, the documentation's
tables come from here.

Every table begins with snapshot_id and rank, and is partitioned by day and job. Sizes are bytes, times microseconds since 1970 UTC,
unknown is NULL."""
from __future__ import annotations

from typing import Any, Dict, List, Sequence, Tuple

import pyarrow as pa

# Raised when a column changes its meaning or goes; a column that is added raises nothing. Readers take what they know by name.
VERSION = 1

_TYPES = {'text': pa.string(), 'int': pa.int64(), 'real': pa.float64(), 'bool': pa.bool_()}

# What a partition is named by.
PARTITIONS = pa.schema([pa.field('day', pa.date32()), pa.field('job', pa.string())])

_KEY = [('snapshot_id', 'text', "the dump: of its bytes, job, rank and host, so that it is the same wherever it lies"),
        ('rank', 'int', 'of the process')]

# table: what a row is; columns: name, type, meaning
TABLES: Dict[str, Tuple[str, List[Tuple[str, str, str]]]] = {
    'snapshot': ('a dump, also one that cannot be read', [
        ('path', 'text', 'where it lay'),
        ('host', 'text', 'of the process'),
        ('pid', 'int', 'the process'),
        ('time_us', 'int', 'when it failed; without a failure when the dump was made'),
        ('error', 'text', 'why it cannot be read; NULL where it can. Such a dump has no row elsewhere'),
        ('size', 'int', 'bytes of the file'),
        ('sha256', 'text', 'of its bytes'),
        ('kind', 'text', 'gsnap, pytorch, text …'),
        ('library', 'text', 'whose allocator it is'),
        ('tool', 'text', 'what wrote it'),
        ('release', 'text', "of the library, where the file tells"),
        ('complete', 'bool', 'false: cut, its whole parts answer'),
        ('devices', 'int', 'number of its devices'),
        ('events', 'int', 'recorded, of all devices'),
        ('ooms', 'int', 'out-of-memory errors in it; 0: it did not fail')]),
    'device': ('a device of a dump', [
        ('device', 'int', 'its number'),
        ('name', 'text', 'model'),
        ('capacity', 'int', 'bytes of memory in all'),
        ('device_free', 'int', 'bytes free on it'),
        ('allowed', 'int', "limit of the allocator (memory fraction) in bytes"),
        ('segments', 'int', 'at the failure, else as captured; so are those that follow'),
        ('blocks', 'int', 'blocks of all states'),
        ('reserved', 'int', 'bytes of all segments'),
        ('allocated', 'int', 'bytes of live blocks'),
        ('pending', 'int', 'bytes freed that a stream may still use'),
        ('free', 'int', 'bytes of inactive blocks'),
        ('free_blocks', 'int', 'holes'),
        ('largest_free', 'int', 'bytes of the largest hole'),
        ('free_whole', 'int', 'bytes that emptying the cache gives back'),
        ('rounding', 'int', 'bytes allocated beyond those asked for'),
        ('events', 'int', 'recorded'),
        ('ooms', 'int', 'out-of-memory errors'),
        ('peak_allocated', 'int', 'most allocated in the recording'),
        ('peak_reserved', 'int', 'reserved at that moment'),
        ('peak_idx', 'int', 'event of the peak')]),
    'oom': ('an out-of-memory error', [
        ('device', 'int', 'the device'),
        ('idx', 'int', 'its event; NULL for a message'),
        ('time_us', 'int', 'when'),
        ('requested', 'int', 'bytes asked for, rounded; of a message what it prints'),
        ('needed', 'int', 'bytes of the segment that was asked of the driver'),
        ('device_free', 'int', 'bytes free on the device'),
        ('capacity', 'int', 'bytes of the device'),
        ('allocated', 'int', 'bytes of live blocks then'),
        ('reserved', 'int', 'bytes of all segments then'),
        ('allowed', 'int', 'limit of the allocator'),
        ('library', 'text', 'whose error it is'),
        ('pool', 'text', 'small or large'),
        ('pool_id', 'text', '0,0 is the default pool'),
        ('stream', 'int', 'that asked'),
        ('user_frame', 'text', "innermost frame of the user's code"),
        ('message', 'text', 'of a text: its words')]),
    'diagnosis': ('the verdict on a dump: its last failure, or that there is none', [
        ('host', 'text', 'of the process'),
        ('time_us', 'int', 'when it failed'),
        ('device', 'int', 'the device'),
        ('idx', 'int', 'the event'),
        ('verdict', 'text', 'the first true step of the ladder; NULL: nothing failed'),
        ('kind', 'text', 'of verdict: defect, limit, fragmentation, outside, shortage, unknown'),
        ('exact', 'bool', 'false: a step before it could not be decided'),
        ('requested', 'int', 'bytes asked for, rounded'),
        ('needed', 'int', 'bytes of the segment that was asked of the driver'),
        ('pool', 'text', 'small or large'),
        ('pool_id', 'text', 'pool of the request'),
        ('stream', 'int', 'stream of the request'),
        ('free', 'int', "bytes of the holes of the request's pool"),
        ('free_blocks', 'int', 'those holes'),
        ('largest_free', 'int', 'the largest of them'),
        ('device_free', 'int', 'bytes free on the device'),
        ('free_whole', 'int', 'bytes that emptying the cache gives back'),
        ('missing', 'int', 'of a shortage: bytes'),
        ('refused_by', 'text', 'of a limit: fraction or driver'),
        ('where', 'text', 'who asked: file:line function'),
        ('holder', 'text', 'who holds most'),
        ('holder_bytes', 'int', 'how much'),
        ('category', 'text', 'what that memory is for'),
        ('signature', 'text', "of the cause: verdict, request's place, top holder, category; the same on every host and rank and when "
                              'lines move'),
        ('cause', 'text', 'the same in words, places without their lines'),
        ('advice', 'text', 'what to do first'),
        ('advice_known', 'text', 'replayed, computed, estimated or untried'),
        ('headline', 'text', 'the verdict in a sentence')]),
    'ladder': ('a step of the verdict: would it have fit if …', [
        ('step', 'text', 'its name'),
        ('fits', 'bool', 'the answer; NULL: cannot be decided'),
        ('available', 'int', 'bytes that there would be'),
        ('needed', 'int', 'bytes that it takes')]),
    'holders': ('a place in the program that holds memory at the failure (else as captured), the largest 100', [
        ('device', 'int', 'the device'),
        ('where', 'text', 'file:line function'),
        ('place', 'text', 'the same without its line, which stays when code moves'),
        ('called_by', 'text', 'nearest other place that called'),
        ('category', 'text', 'what it is for'),
        ('bytes', 'int', 'live'),
        ('blocks', 'int', 'live')]),
    'categories': ('what memory is for at the failure (else as captured)', [
        ('device', 'int', 'the device'),
        ('category', 'text', 'parameter, gradient, activation …'),
        ('bytes', 'int', 'live'),
        ('blocks', 'int', 'live'),
        ('share', 'real', 'of all that is allocated')]),
    'steps': ("a step of the program, the last 1000", [
        ('device', 'int', 'the device'),
        ('step', 'int', 'its number'),
        ('name', 'text', 'its name'),
        ('first_idx', 'int', 'first event'),
        ('last_idx', 'int', 'last event'),
        ('start_allocated', 'int', 'bytes at its begin'),
        ('peak_allocated', 'int', 'most bytes in it'),
        ('peak_reserved', 'int', 'most bytes reserved in it'),
        ('peak_idx', 'int', 'event of the peak'),
        ('end_allocated', 'int', 'bytes at its end'),
        ('growth', 'int', 'end less begin'),
        ('retries', 'int', 'of the allocator'),
        ('how', 'text', 'annotation or period')]),
    'whatif': ('a failed run replayed with other settings, on the same device', [
        ('conf', 'text', "PYTORCH_CUDA_ALLOC_CONF's words; empty: the defaults"),
        ('recorded', 'bool', 'the settings that the run had'),
        ('capacity', 'int', 'bytes it may reserve'),
        ('fits', 'bool', 'nothing failed'),
        ('allocations', 'int', 'that succeeded'),
        ('oom_idx', 'int', 'event of the first failure'),
        ('peak_reserved', 'int', 'most bytes reserved'),
        ('reserved', 'int', 'at the end'),
        ('largest_free', 'int', 'hole at the end'),
        ('retries', 'int', 'of the allocator'),
        ('exact', 'bool', 'false: the recording leaves something open'),
        ('least_capacity', 'int', 'of the recorded settings and of expandable segments: bytes with which the recorded requests all pass')]),
}


def columns(table: str) -> List[Tuple[str, str, str]]:
    """(name, type, meaning) of a table's columns, in order, the partition's left out."""
    return _KEY + TABLES[table][1]


def schema(table: str) -> pa.Schema:
    """Arrow's schema of a table's files; the partition's columns are in their path."""
    return pa.schema([pa.field(name, _TYPES[kind], metadata={'comment': meaning}) for name, kind, meaning in columns(table)],
                     metadata={'gpusnap.table': table, 'gpusnap.schema_version': str(VERSION)})


SCHEMAS = {table: schema(table) for table in TABLES}


def whole(table: str) -> pa.Schema:
    """The schema with day and job, as readers see the table."""
    found = SCHEMAS[table]
    for field in PARTITIONS:
        found = found.append(field)
    return found


Rows = Dict[str, List[List[Any]]]     # of each table, values in the order of its columns

_NAMES = {table: [name for name, _, _ in columns(table)] for table in TABLES}
_WHERE_ERROR = _NAMES['snapshot'].index('error')


def rows_of(found: Dict[str, List[Dict[str, Any]]]) -> Rows:
    """Rows as dicts, of which each table takes the columns it knows."""
    return {table: [[row.get(name) for name in names] for row in found.get(table, ())] for table, names in _NAMES.items()}


def error_of(rows: Rows) -> Any:
    """Why the dump of these rows cannot be read; None where it can."""
    return rows['snapshot'][0][_WHERE_ERROR]


def dicts(table: str, rows: List[List[Any]]) -> List[Dict[str, Any]]:
    return [dict(zip(_NAMES[table], row)) for row in rows]


def table_of(table: str, rows: List[List[Any]]) -> pa.Table:
    """Rows as an Arrow table. Made of many dumps at once: it costs as much for a thousand rows as for one."""
    found = SCHEMAS[table]
    return pa.table([_array(values, f.type) for f, values in zip(found, zip(*rows) if rows else [()] * len(found))], schema=found)


def _array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    try:
        return pa.array(values, kind)
    except (OverflowError, UnicodeEncodeError, pa.ArrowException):
        return pa.array([_fitting(v, kind) for v in values], kind)


def _fitting(value: Any, kind: pa.DataType) -> Any:
    """A value as its column takes it: numbers of 64 bits without a sign (streams) by the same bits with one; text without halves of
    letters; booleans that SQL gave as numbers."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 2**63:
        return value - 2**64 if value < 2**64 else None
    if kind == pa.bool_() and value is not None:
        return bool(value)
    if isinstance(value, str) and kind == pa.string():
        return value.encode('utf-8', 'replace').decode()
    return value
