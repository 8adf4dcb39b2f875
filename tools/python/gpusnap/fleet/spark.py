"""Dumps by Spark: `binaryFile` reads them from wherever Spark reads, `mapInArrow` runs the same step as one machine does.

    gpusnap.fleet.spark.run(spark, 's3a://dumps/2026/*', '/shared/fleet')     # the tables in a folder, as `gpusnap fleet` writes them
    gpusnap.fleet.spark.ask(spark, '/shared/fleet', 'first failure').show()   # a question by Spark SQL

    rows = gpusnap.fleet.spark.analyze(spark, 's3a://dumps/2026/*')           # or DataFrames, to be written by Spark where you like
    gpusnap.fleet.spark.table(rows, 'diagnosis').write.format('delta').save(…)

Executors need the packages gpusnap and pyarrow, and write to OUT through pyarrow.fs: a folder that all of them see, or s3://, gs://,
hdfs://."""
from __future__ import annotations

import contextlib
import re
import time
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import pyarrow as pa

from . import context, guard, local, questions, schema, source, store, task

# Dumps of one job of Spark's: what is committed together, and what a killed run loses at most.
CHUNK = 50000

Inputs = Union[str, Sequence[str]]
def _load(spark: Any, paths: Sequence[str]) -> Any:
    return spark.read.format('binaryFile').option('recursiveFileLookup', 'true').load(list(paths))


def _is_local(paths: Sequence[str]) -> bool:
    return all('://' not in path or path.startswith('file:') for path in paths)


@contextlib.contextmanager
def _listed_here(spark: Any, local_paths: bool) -> Iterator[None]:
    """Spark starts a task a path to look whether it is there, which on a disk takes longer than the work itself."""
    key = 'spark.sql.sources.parallelPartitionDiscovery.threshold'
    before = spark.conf.get(key)
    if local_paths:
        spark.conf.set(key, '1000000')
    try:
        yield
    finally:
        spark.conf.set(key, before)


def _files(spark: Any, paths: List[str]) -> Iterator[source.File]:
    """What there is; nothing of it is read. Of an object store Spark leaves out files without a byte."""
    if _is_local(paths):
        yield from source.files(paths)
        return
    bases = source.bases(paths)
    for row in _load(spark, paths).selectExpr('path', 'length', 'unix_millis(modificationTime) as mtime').toLocalIterator():
        below = source.below(row.path, bases)
        if source.is_candidate(below):
            yield {'path': source.normal(row.path), 'below': below, 'size': row.length, 'mtime_ms': row.mtime}


class _Files:
    """What tasks get from Spark, as (file, bytes)."""

    def __init__(self, bases: List[str]) -> None:
        self.bases = bases

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[Tuple[source.File, bytes]]:
        for batch in batches:
            for path, size, mtime, content in zip(*(batch.column(c) for c in ('path', 'length', 'mtime', 'content'))):
                name = source.normal(path.as_py())
                yield {'path': name, 'below': source.below(name, self.bases), 'size': size.as_py(), 'mtime_ms': mtime.as_py()}, content.as_py()


def _read(spark: Any, paths: Sequence[str], partitions: Optional[int]) -> Any:
    rows = _load(spark, paths).selectExpr('path', 'length', 'unix_millis(modificationTime) as mtime', 'content')
    return rows.repartition(partitions) if partitions else rows


def run(spark: Any, dumps: Inputs, out: str, *, rule: context.Rule = None, seconds: float = guard.SECONDS, memory: int = guard.MEMORY,
        batch: int = local.BATCH, partitions: Optional[int] = None, compact: bool = True) -> local.Result:
    """gpusnap.fleet.run by Spark: the same rows in the same folder. rule must be known to the executors: a pattern, a function of a
    module that they have, or one that Spark can send."""
    began, paths = time.monotonic(), [dumps] if isinstance(dumps, str) else list(dumps)
    fleet = store.Fleet(out, create=True)
    fleet.recover()
    result = local.Result(dumps=0, new=0, failed=0, known=0, twice=0, seconds=0.0, errors=[])
    new = []
    for file in _files(spark, paths):
        result['dumps'] += 1
        if fleet.seen.get(file['path']) == (file['size'], file['mtime_ms']):
            result['known'] += 1
        else:
            new.append(file)
    files, bounds, found = _Files(source.bases(paths)), (seconds, memory), context.rule_of(rule)
    full, empty = [f['path'] for f in new if f['size']], [(f, b'') for f in new if not f['size']]
    if empty:     # which Spark would leave out
        task.commit(fleet, task.work(empty, out, found, bounds, batch), result)
    for at in range(0, len(full), CHUNK):
        some = full[at:at + CHUNK]
        with _listed_here(spark, _is_local(paths)):
            rows = _read(spark, some, partitions)
        if not partitions:     # a task writes a file a partition: fewer tasks, larger files
            rows = rows.coalesce(max(2 * spark.sparkContext.defaultParallelism, -(-len(some) // batch)))
        rows = rows.mapInArrow(
            lambda batches: _batches(task.work(files(batches), out, found, bounds, batch)), 'dumps long, failed long, commit string')
        task.commit(fleet, (row.asDict() for row in rows.collect()), result)
    if compact:
        fleet.compact(local.MOST_FILES)
    result['seconds'] = time.monotonic() - began
    return result


def _batches(answers: Iterator[Dict[str, Any]]) -> Iterator[pa.RecordBatch]:
    for answer in answers:
        yield pa.RecordBatch.from_pylist([answer], schema=task.ANSWER)


_SPARK = {'text': 'string', 'int': 'bigint', 'real': 'double', 'bool': 'boolean'}


def struct(table: str) -> str:
    """A table's columns in Spark's words."""
    return ', '.join(f'`{name}`: {_SPARK[kind]}' for name, kind, _ in schema.columns(table))


def analyze(spark: Any, dumps: Inputs, *, rule: context.Rule = None, seconds: float = guard.SECONDS, memory: int = guard.MEMORY,
            partitions: Optional[int] = None) -> Any:
    """A DataFrame of a row a dump: day, job, and a column a table that holds its rows. table() makes DataFrames of it; cache it, or
    each of them analyzes the dumps again."""
    paths = [dumps] if isinstance(dumps, str) else list(dumps)
    files, bounds, found = _Files(source.bases(paths)), (seconds, memory), context.rule_of(rule)
    columns = ', '.join(f'{name} array<struct<{struct(name)}>>' for name in schema.TABLES)
    return _read(spark, paths, partitions).mapInArrow(
        lambda batches: _nested(files(batches), found, bounds), f'day date, job string, {columns}')


def _nested(files: Iterator[Tuple[source.File, bytes]], rule: Any, bounds: Tuple[float, int]) -> Iterator[pa.RecordBatch]:
    wanted = pa.schema([('day', pa.date32()), ('job', pa.string())] + [
        (name, pa.list_(pa.struct(list(schema.SCHEMAS[name])))) for name in schema.TABLES])
    guarded = task._guards.setdefault(bounds, guard.Guard(*bounds))
    for file, data in files:
        if not source.is_candidate(file['below']):
            continue
        rows, of, _ = local.step(file, rule, guarded, data)
        row = dict({name: schema.table_of(name, found).to_pylist() for name, found in rows.items()}, day=of['day'], job=of['job'])
        yield pa.RecordBatch.from_pylist([row], schema=wanted)


def table(rows: Any, name: str) -> Any:
    """One table of analyze()'s DataFrame."""
    return rows.selectExpr(f'inline({name})', 'day', 'job')


def tables(spark: Any, out: Union[str, store.Fleet]) -> Dict[str, Any]:
    """The tables of a folder as DataFrames: what is committed, no more."""
    fleet = store.Fleet(out) if isinstance(out, str) else out
    return {name: _table(spark, fleet, name) for name in schema.TABLES}


def _table(spark: Any, fleet: store.Fleet, name: str) -> Any:
    columns = ', '.join(f'`{c}` {_SPARK[kind]}' for c, kind, _ in schema.columns(name)) + ', day date, job string'
    if not fleet.files[name]:
        return spark.createDataFrame([], columns)
    scheme = fleet.out.split('://', 1)[0] + '://' if '://' in fleet.out else 'file://'
    return spark.read.schema(columns).option('basePath', f'{scheme}{fleet.root}/{name}').parquet(
        *[scheme + path for path in fleet.paths(name)])


def views(spark: Any, out: Union[str, store.Fleet], since: questions.Day = None, only: Optional[str] = None) -> None:
    """Makes the tables (of which a text speaks) known to Spark SQL by their names, and `asked` as questions want it."""
    fleet = store.Fleet(out) if isinstance(out, str) else out
    with _listed_here(spark, fleet.local):
        for name in schema.TABLES:
            if only is None or re.search(rf'\b{name}\b', only):
                _table(spark, fleet, name).createOrReplaceTempView(name)
    day = questions.asked(fleet, since).column('since')[0].as_py()
    spark.createDataFrame([(day,)], 'since date').createOrReplaceTempView('asked')


def ask(spark: Any, out: Union[str, store.Fleet], question: str, *, since: questions.Day = None) -> Any:
    """The answer of a named question, or of SQL, by Spark: a DataFrame."""
    text = question if questions.is_sql(question) else questions.sql(question)
    views(spark, out, since, text)
    return spark.sql(text)
