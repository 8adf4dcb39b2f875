"""The engine of one machine: a process a core that analyzes, threads that feed them, one writer."""
from __future__ import annotations

import os
import queue
import threading
import time
from typing import Any, Callable, Dict, Iterator, Optional, Sequence, Union

from . import context, guard, source, store

# A batch is written when it has so many dumps, or after so many seconds: what a killed run loses at most.
BATCH, BATCH_SECONDS = 1000, 30.0
# Partitions with more files than that are merged at the end of a run.
MOST_FILES = 8

Report = Callable[[Dict[str, int]], None]


class Result(Dict[str, Any]):
    """What a run did: dumps (files looked at), new, failed (of them, told in `errors`), known (taken in before), seconds."""


def step(file: source.File, rule: Any, guarded: guard.Guard, data: Optional[bytes] = None) -> Any:
    """Rows, context and manifest row of a file, whose bytes may be there already; None where it is gone."""
    try:
        rows, found = guarded.analyze(source.given(file, rule), source.read(file['path']) if data is None else data)
    except FileNotFoundError:
        return None
    except OSError as e:
        rows, found = guard._failed(source.given(file, rule), b'', e.strerror or str(e))
    return rows, found, {'path': file['path'], 'size': file['size'], 'mtime_ms': file['mtime_ms']}


class _Workers:
    """Threads that take files from a queue, each with a process of its own, and put what became of them into another."""

    def __init__(self, jobs: int, rule: Any, seconds: float, memory: int) -> None:
        self.todo: 'queue.Queue[Optional[source.File]]' = queue.Queue(maxsize=jobs * 4)
        self.done: 'queue.Queue[Any]' = queue.Queue(maxsize=jobs * 64)
        self._stop, self._rule, self._bounds = threading.Event(), rule, (seconds, memory)
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(jobs)]
        for thread in self._threads:
            thread.start()

    def _work(self) -> None:
        guarded = guard.Guard(*self._bounds)
        try:
            while not self._stop.is_set():
                file = self.todo.get()
                if file is None:
                    break
                self.done.put((file, step(file, self._rule, guarded)))
        except Exception as e:     # of ours, not of a dump's
            self.done.put(e)
        finally:
            guarded.close()
            self.done.put(None)

    def feed(self, files: Iterator[source.File]) -> None:
        def put() -> None:
            try:
                for file in files:
                    while not self._stop.is_set():
                        try:
                            self.todo.put(file, timeout=0.2)
                            break
                        except queue.Full:
                            pass
            except Exception as e:
                self.done.put(e)
            for _ in self._threads:
                while not self._stop.is_set():
                    try:
                        self.todo.put(None, timeout=0.2)
                        break
                    except queue.Full:
                        pass
        threading.Thread(target=put, daemon=True).start()

    def results(self) -> Iterator[Any]:
        left = len(self._threads)
        while left:
            found = self.done.get()
            if found is None:
                left -= 1
            elif isinstance(found, Exception):
                raise found
            else:
                yield found

    def stop(self) -> None:
        self._stop.set()


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count() or 1


def run(dumps: Union[str, Sequence[str]], out: str, *, rule: context.Rule = None, jobs: Optional[int] = None,
        seconds: float = guard.SECONDS, memory: int = guard.MEMORY, batch: int = BATCH, compact: bool = True,
        progress: Optional[Report] = None) -> Result:
    """Analyzes the dumps of folders, globs or URIs that OUT does not have yet, and writes their rows there.

    rule: what a dump belongs to where neither it nor its path tells: a path pattern ('{job}/{host}-{rank}.gsnap'), a function from a
    path to {'job': …, 'rank': …, 'host': …, 'day': …}, or the name of one ('FILE.py:NAME'). jobs: processes, all cores by default.
    seconds, memory (bytes): the most that one dump may take. A dump that cannot be read is a row with its error, counted in the
    result's `failed`. May be killed at any time: the next run goes on."""
    began, paths = time.monotonic(), [dumps] if isinstance(dumps, str) else list(dumps)
    fleet = store.Fleet(out, create=True)
    fleet.recover()
    result = Result(dumps=0, new=0, failed=0, known=0, twice=0, seconds=0.0, errors=[])
    lock = threading.Lock()

    def new() -> Iterator[source.File]:
        known = dict(fleet.seen)
        for file in source.files(paths):
            with lock:
                result['dumps'] += 1
                if known.get(file['path']) == (file['size'], file['mtime_ms']):
                    result['known'] += 1
                    continue
            yield file
    workers = _Workers(jobs or cores(), context.rule_of(rule), seconds, memory)
    part, since = store.Part(), time.monotonic()
    try:
        workers.feed(new())
        for file, found in workers.results():
            if found is None:
                continue
            _take(fleet, part, found, result)
            if len(part.dumps) >= batch or time.monotonic() - since > BATCH_SECONDS:
                _flush(fleet, part, result)
                part, since = store.Part(), time.monotonic()
            if progress:
                progress(result)
    except KeyboardInterrupt:
        workers.stop()
        _flush(fleet, part, result)
        raise
    finally:
        workers.stop()
    _flush(fleet, part, result)
    if compact:
        fleet.compact(MOST_FILES)
    result['seconds'] = time.monotonic() - began
    return result


def _take(fleet: store.Fleet, part: store.Part, found: Any, result: Result) -> None:
    rows, of, dump = found
    if of['snapshot_id'] in fleet.done or of['snapshot_id'] in part.ids:
        result['known'] += 1     # the same dump at another place, or touched since
        part.note(of, dump)
        return
    part.add(rows, of, dump)
    result['new'] += 1
    error = part.dumps[-1]['error']
    if error is not None:
        result['failed'] += 1
        if len(result['errors']) < 1000:
            result['errors'].append((dump['path'], error))


def _flush(fleet: store.Fleet, part: store.Part, result: Result) -> None:
    if part.dumps:
        twice = fleet.commit(fleet.write(part), part.dumps)
        result['twice'] += twice
        result['new'] -= twice
