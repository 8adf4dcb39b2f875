"""A fleet's folder: Parquet files a table, and the manifest that says which of them count.

    OUT/gpusnap-fleet.json                               what this is, and the version of its schema
    OUT/TABLE/day=2026-11-30/job=NAME/BATCH.parquet      rows sorted by rank and dump, zstd
    OUT/_manifest/000000000001.parquet                   a commit: a row a dump that it took in, and a row a file that came or went

A batch is written under names that begin with _ and end in .new, which no reader of the folder takes for data; then its commit is
created under the next number, which only one can have; then the files get their names. A run that dies before its commit has changed
nothing, one that dies after it is finished by the next. What is committed twice at once (two runs over the same dumps) loses the rows
that the other has already. On object stores, where a file cannot be created only if there is none, let one run at a time write."""
from __future__ import annotations

import datetime
import json
import os
import posixpath
import re
import socket
import time
import uuid
from typing import Any, Dict, Iterable, List, Optional, Set, Tuple
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.fs as pafs
import pyarrow.parquet as pq

from . import context, schema

MARK, FORMAT = 'gpusnap-fleet.json', 1
NO_DAY = '__HIVE_DEFAULT_PARTITION__'
_MANIFEST = pa.schema([('snapshot_id', pa.string()), ('path', pa.string()), ('size', pa.int64()), ('mtime_ms', pa.int64()),
                       ('error', pa.string()), ('copy', pa.bool_()), ('added', pa.string()), ('removed', pa.string())])
_ORPHANED = 86400     # seconds after which a file without a commit is nobody's


class NoFleet(Exception):
    """A folder that is none of ours, or one of a newer release."""


Dump = Dict[str, Any]     # a row of _MANIFEST


def partition(found: context.Context) -> str:
    day = found['day']
    return f"day={day.isoformat() if isinstance(day, datetime.date) else NO_DAY}/job={quote(found['job'], safe='')}"


class Part:
    """Dumps' rows, gathered until they are written together."""

    def __init__(self) -> None:
        self.dumps: List[Dump] = []
        self.ids: Set[str] = set()
        self._rows: Dict[Tuple[str, str], List[List[Any]]] = {}

    def add(self, rows: schema.Rows, found: context.Context, dump: Dump) -> None:
        self.ids.add(found['snapshot_id'])
        self.dumps.append(dict(dump, snapshot_id=found['snapshot_id'], error=schema.error_of(rows), copy=False))
        place = partition(found)
        for name, of in rows.items():
            if of:
                self._rows.setdefault((name, place), []).extend(of)

    def note(self, found: context.Context, dump: Dump) -> None:
        """A file that holds a dump which is there already: next time it need not be read."""
        self.dumps.append(dict(dump, snapshot_id=found['snapshot_id'], error=None, copy=True))

    def tables(self) -> Iterable[Tuple[str, str, pa.Table]]:
        """(name, partition, rows) of all."""
        for (name, place), rows in self._rows.items():
            yield name, place, schema.table_of(name, rows)


class Fleet:
    """The tables of a folder, or of an object store by its URI."""

    def __init__(self, out: str, create: bool = False, filesystem: Optional[pafs.FileSystem] = None, read: bool = True) -> None:
        self.out = out
        if filesystem is not None:
            self.fs, self.root = filesystem, out.rstrip('/')
        elif '://' in out:
            self.fs, self.root = pafs.FileSystem.from_uri(out)
        else:
            self.fs, self.root = pafs.LocalFileSystem(), os.path.abspath(out)
        self.local = isinstance(self.fs, pafs.LocalFileSystem)
        self.done: Set[str] = set()                        # snapshot ids
        self.seen: Dict[str, Tuple[int, int]] = {}         # path: size, mtime_ms of what was read there
        self.files: Dict[str, Dict[str, None]] = {name: {} for name in schema.TABLES}     # live ones, in order of their commits
        self._number = 0
        if read:     # else only to write parts
            self._open(create)
            self.refresh()

    # --- files ---------------------------------------------------------------------------------------------------------------------

    def _at(self, *parts: str) -> str:
        return posixpath.join(self.root, *parts)

    def _exists(self, path: str) -> bool:
        return bool(self.fs.get_file_info(path).type != pafs.FileType.NotFound)

    def _open(self, create: bool) -> None:
        mark = self._at(MARK)
        if not self._exists(mark):
            if not create:
                raise NoFleet(f'{self.out}: no tables of a fleet ({MARK} is not there)')
            self._make(mark)
        with self.fs.open_input_file(mark) as f:
            told = json.loads(f.read())
        if told.get('format', 0) > FORMAT or told.get('schema_version', 0) > schema.VERSION:
            raise NoFleet(f"{self.out}: written by a newer gpusnap (schema {told.get('schema_version')}; this one reads up to {schema.VERSION})")

    def _make(self, mark: str) -> None:
        if self._exists(self.root):
            others = [f for f in self.fs.get_file_info(pafs.FileSelector(self.root)) if not f.base_name.startswith(('.', '_'))]
            if others:
                raise NoFleet(f'{self.out}: the folder holds other things ({others[0].base_name})')
        self.fs.create_dir(self._at('_manifest'), recursive=True)
        text = json.dumps({'format': FORMAT, 'schema_version': schema.VERSION, 'tables': list(schema.TABLES)}, indent=1) + '\n'
        beside = f'{self._at("." + MARK)}.{uuid.uuid4().hex}'
        with self.fs.open_output_stream(beside) as f:
            f.write(text.encode())
        self.fs.move(beside, mark)

    def _commit_name(self, number: int) -> str:
        return self._at('_manifest', f'{number:012d}.parquet')

    def refresh(self) -> None:
        """Takes in the commits that came since."""
        infos = self.fs.get_file_info(pafs.FileSelector(self._at('_manifest'), allow_not_found=True))
        numbers = sorted(int(f.base_name[:12]) for f in infos if re.fullmatch(r'\d{12}\.parquet', f.base_name))
        for number in (n for n in numbers if n > self._number):
            with self.fs.open_input_file(self._commit_name(number)) as f:
                self._take(pq.read_table(f))
            self._number = number

    def _take(self, commit: pa.Table) -> None:
        for path in commit.column('removed').drop_null().to_pylist():
            self.files[path.split('/', 1)[0]].pop(path, None)
        for path in commit.column('added').drop_null().to_pylist():
            self.files.setdefault(path.split('/', 1)[0], {})[path] = None
        self.done.update(commit.column('snapshot_id').drop_null().to_pylist())
        for path, size, mtime in zip(*(commit.column(c).to_pylist() for c in ('path', 'size', 'mtime_ms'))):
            if path is not None:
                self.seen[path] = (size, mtime)

    # --- writing -------------------------------------------------------------------------------------------------------------------

    def write(self, part: Part) -> List[str]:
        """Writes a part's files under their names before the commit; returns what they will be called."""
        batch = f'{time.time_ns() // 1000000:013d}-{socket.gethostname()[:20]}-{os.getpid()}-{uuid.uuid4().hex[:8]}'
        batch = re.sub(r'[^A-Za-z0-9-]', '-', batch)
        return [self._write(name, f'{name}/{place}/{batch}.parquet', rows) for name, place, rows in part.tables()]

    def _new(self, path: str) -> str:
        folder, _, name = path.rpartition('/')
        return self._at(folder, f'_{name}.new')

    def _write(self, table: str, path: str, rows: pa.Table) -> str:
        rows = rows.take(pc.sort_indices(rows, [('rank', 'ascending'), ('snapshot_id', 'ascending')]))
        self.fs.create_dir(posixpath.dirname(self._at(path)), recursive=True)
        # Arrow's own description of the schema would be the larger part of a small file, and says nothing that Parquet does not
        rows = rows.cast(pa.schema([pa.field(f.name, f.type) for f in rows.schema]))
        with self.fs.open_output_stream(self._new(path)) as f, pq.ParquetWriter(
                f, rows.schema, compression='zstd', store_schema=False) as writer:
            writer.write_table(rows)
            writer.add_key_value_metadata({'gpusnap.table': table, 'gpusnap.schema_version': str(schema.VERSION)})
        return path

    def commit(self, added: List[str], dumps: List[Dump], removed: Iterable[str] = ()) -> int:
        """Makes files count, and notes their dumps as done; removed: files that they replace. Returns how many of the dumps another
        run had committed meanwhile, whose rows are left out. A replacement that lost its race is dropped."""
        taken, removed, mine = 0, list(removed), list(dumps)
        while True:
            self.refresh()
            twice = {d['snapshot_id'] for d in mine if not d['copy']} & self.done
            if twice:
                added = [path for path in added if self._leave_out(path, twice)]
                mine = [dict(d, copy=d['copy'] or d['snapshot_id'] in twice) for d in mine]
                taken += len(twice)
            if any(path not in self.files[path.split('/', 1)[0]] for path in removed):
                for path in added:
                    self._delete(self._new(path))
                return taken
            if not added and not mine or self._create(self._number + 1, added, removed, mine):
                break
        self._settle(added, removed)
        self.refresh()
        return taken

    def _leave_out(self, path: str, ids: Set[str]) -> bool:
        """Rewrites a file without the rows of those dumps; false where nothing is left."""
        with self.fs.open_input_file(self._new(path)) as f:
            rows = pq.read_table(f)
        kept = rows.filter(pc.invert(pc.is_in(rows.column('snapshot_id'), pa.array(sorted(ids)))))
        if not len(kept):
            self._delete(self._new(path))
            return False
        if len(kept) < len(rows):
            self._write(path.split('/', 1)[0], path, kept)
        return True

    def _create(self, number: int, added: List[str], removed: List[str], dumps: List[Dump]) -> bool:
        """Creates the commit of that number; false where there is one."""
        table = pa.Table.from_pylist(dumps + [{'added': path} for path in added] + [{'removed': path} for path in removed], schema=_MANIFEST)
        final, beside = self._commit_name(number), self._at('_manifest', f'.{uuid.uuid4().hex}')
        with self.fs.open_output_stream(beside) as f:
            pq.write_table(table, f, compression='zstd')
        try:
            if self.local:
                os.link(beside, final)
                return True
            if self._exists(final):
                return False
            self.fs.copy_file(beside, final)
            return True
        except FileExistsError:
            return False
        finally:
            self._delete(beside)

    def _settle(self, added: Iterable[str], removed: Iterable[str]) -> None:
        """Gives committed files their names, and takes away those that they replace."""
        for path in added:
            try:
                self.fs.move(self._new(path), self._at(path))
            except OSError:     # another run finished this commit
                if not self._exists(self._at(path)):
                    raise
        for path in removed:
            self._delete(self._at(path))

    def _delete(self, path: str) -> None:
        try:
            self.fs.delete_file(path)
        except OSError:
            pass

    def recover(self) -> int:
        """Finishes commits of runs that died, and takes away what others left long ago without one. Returns how many files were
        given their names."""
        live = {path for files in self.files.values() for path in files}
        finished, now = 0, time.time()
        for info in self.fs.get_file_info(pafs.FileSelector(self.root, recursive=True, allow_not_found=True)):
            path = info.path[len(self.root):].lstrip('/')
            if info.type != pafs.FileType.File or path.split('/', 1)[0] not in schema.TABLES:
                continue
            folder, _, name = path.rpartition('/')
            if name.startswith('_') and name.endswith('.new'):
                final = f'{folder}/{name[1:-4]}'
                if final in live:
                    self._settle([final], [])
                    finished += 1
                elif info.mtime_ns is not None and now - info.mtime_ns / 1e9 > _ORPHANED:
                    self._delete(info.path)
            elif name.endswith('.parquet') and path not in live:     # replaced, by a run that died before it took them away
                self._delete(info.path)
        return finished

    def compact(self, most: int = 1, largest: int = 64 << 20) -> int:
        """Merges the files of each partition of which there are more than `most`, but for large ones. Returns how many went."""
        went = 0
        for table, files in self.files.items():
            places: Dict[str, List[str]] = {}
            for path in files:
                places.setdefault(path.rpartition('/')[0], []).append(path)
            for place, paths in places.items():
                if len(paths) <= most:
                    continue
                sizes = self.fs.get_file_info([self._at(p) for p in paths])
                small = [p for p, info in zip(paths, sizes) if (info.size or 0) < largest]
                if len(small) > 1:
                    went += self._merge(table, place, small)
        return went

    def _merge(self, table: str, place: str, paths: List[str]) -> int:
        rows = ds.dataset([self._at(p) for p in paths], schema=schema.SCHEMAS[table], format='parquet', filesystem=self.fs).to_table()
        added = self._write(table, f'{place}/{time.time_ns() // 1000000:013d}-merged-{uuid.uuid4().hex[:8]}.parquet', rows)
        self.commit([added], [], paths)
        return len(paths) - 1

    # --- reading -------------------------------------------------------------------------------------------------------------------

    def dataset(self, table: str) -> ds.Dataset:
        """A table as pyarrow's dataset: what is committed, no more."""
        if not self.files[table]:
            return ds.dataset(schema.whole(table).empty_table())
        return ds.dataset([self._at(path) for path in self.files[table]], schema=schema.whole(table), format='parquet',
                          filesystem=self.fs, partition_base_dir=self._at(table),
                          partitioning=ds.partitioning(schema.PARTITIONS, flavor='hive'))

    def paths(self, table: str) -> List[str]:
        """The files of a table that count."""
        return [self._at(path) for path in self.files[table]]


def is_fleet(path: str) -> bool:
    return os.path.exists(os.path.join(path, MARK))
