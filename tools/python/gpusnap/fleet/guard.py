"""analyze(): one dump in, Arrow tables out, with bounds. The library runs in a process of its own, so that nothing that a dump does to
it (a crash, a loop, memory without end) reaches the engine: the process is ended, the dump gets an error row, the next one a new
process. A process that lives on from dump to dump costs a dump a millisecond; the library's own bounds hold inside it as well."""
from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from typing import Any, Dict, List, Optional, Tuple, Union

import pyarrow as pa

from . import child, context, schema, step

SECONDS, MEMORY = 60, 2 << 30
Source = Union[str, 'os.PathLike[str]', bytes, bytearray, memoryview]


# The folder that the user stands in is no place to import from.
_START = ("import sys; sys.path[:] = [p for p in sys.path if p]; from gpusnap.fleet import child; sys.exit(child.main())")


class Guard:
    """A process that analyzes one dump after the other. Not for two threads at once."""

    def __init__(self, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        self.seconds, self.memory = seconds, memory
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._owner = 0

    def close(self) -> None:
        if self._process and self._owner == os.getpid():
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe:
                    pipe.close()
        self._process = None

    def _start(self) -> Any:
        if self._process and self._owner == os.getpid() and self._process.poll() is None:
            return self._process
        self.close()
        here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        paths = [here] + [p for p in os.environ.get('PYTHONPATH', '').split(os.pathsep) if p]
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(paths), ARROW_DEFAULT_MEMORY_POOL='system', OMP_NUM_THREADS='1')
        self._process = subprocess.Popen(
            [sys.executable, '-c', _START, str(self.memory), str(int(self.seconds) + 1)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=environment, start_new_session=True)     # what the terminal sends is for the engine
        self._owner = os.getpid()
        told = child.receive(self._process.stdout)
        if told != [b'']:
            self.close()
            raise RuntimeError('gpusnap: the process that analyzes dumps does not start: ' +
                               (told[0].decode('utf-8', 'replace') if told else f'{sys.executable} ends at once'))
        return self._process

    def _ask(self, frames: List[Any]) -> Union[List[bytes], str]:
        """The answer, or why there is none."""
        process = self._start()
        end = time.monotonic() + self.seconds
        try:
            child.send(process.stdin, frames)
        except BrokenPipeError:
            return self._died(process)
        if not _waits(process.stdout, end):
            self.close()
            return f'takes more than {self.seconds:g} s'
        answer = child.receive(process.stdout)
        return self._died(process) if answer is None else answer

    def _died(self, process: subprocess.Popen[bytes]) -> str:
        status = process.wait()
        self.close()
        if status == -signal.SIGALRM:
            return f'takes more than {self.seconds:g} s'
        return f'the analyzer was ended by {signal.Signals(-status).name}' if status < 0 else f'the analyzer ended with status {status}'

    def analyze(self, given: context.Context, data: Optional[bytes] = None) -> Tuple[schema.Rows, context.Context]:
        """Rows and settled context of the dump: data, else what lies at given['path']. Raises OSError where that cannot be
        opened, nothing else of a dump's."""
        request = [json.dumps(given, default=str).encode('utf-8', 'surrogateescape')] + ([] if data is None else [data])
        answer = self._ask(request)
        if isinstance(answer, str):
            return _failed(given, data, answer)
        head = json.loads(answer[0])
        if 'unreadable' in head:
            raise OSError(head['unreadable'])
        if 'short' in head:
            return _failed(given, data, f'takes more than {_size(self.memory)} of memory', head.get('sha256'), head.get('size'))
        found = head['context']
        found['day'] = context._day(found['day'])
        return head['rows'], found


def _waits(source: Any, end: float) -> bool:
    """Whether the answer has begun before the end."""
    poll = select.poll()
    poll.register(source, select.POLLIN)
    left = end - time.monotonic()
    return bool(poll.poll(max(left, 0) * 1000))


def _size(n: int) -> str:
    return f'{n / (1 << 30):g} GiB' if n >= 1 << 30 else f'{n / (1 << 20):g} MiB'


def _failed(given: context.Context, data: Optional[bytes], reason: str, sha256: Optional[str] = None,
            size: Optional[int] = None) -> Tuple[schema.Rows, context.Context]:
    import hashlib
    if sha256 is None:
        digest, size = hashlib.sha256(data or b''), len(data or b'')
        if data is None:
            try:
                with open(given['path'], 'rb') as f:
                    for block in iter(lambda: f.read(1 << 20), b''):
                        digest.update(block)
                        size += len(block)
            except OSError:
                pass
        sha256 = digest.hexdigest()
    return step.failed(sha256, size or 0, given, reason)


_shared: Dict[Tuple[float, int], Guard] = {}
_turn = threading.Lock()


@atexit.register
def _close_all() -> None:
    for guard in _shared.values():
        guard.close()


def analyze(source: Source, given: Optional[context.Context] = None, *, seconds: float = SECONDS,
            memory: int = MEMORY) -> Dict[str, pa.Table]:
    """One dump, a path or its bytes, as Arrow tables: snapshot, device, oom, diagnosis, ladder, holders, categories, steps, whatif
    (gpusnap.fleet.schema tells their columns), with day and job as columns. The same dump and context give the same tables, wherever
    and whenever.

    given: what the dump belongs to where it does not tell itself: job, rank, host, day, and path for bytes. A dump that cannot be
    read, or not within so many seconds and bytes of memory, has its reason in the column `error` of its one row, in `snapshot`;
    FileNotFoundError and the like are raised."""
    given, data = dict(given or {}), None
    if isinstance(source, (str, os.PathLike)):
        given['path'] = os.path.abspath(os.fsdecode(source))
        os.stat(given['path'])
    else:
        data = bytes(source)
    with _turn:
        guard = _shared.setdefault((seconds, memory), Guard(seconds, memory))
        rows, found = guard.analyze(given, data)
    return {name: with_partition(schema.table_of(name, of), found) for name, of in rows.items()}


def with_partition(table: pa.Table, found: context.Context) -> pa.Table:
    for field in schema.PARTITIONS:
        table = table.append_column(field, pa.array([found[field.name]] * len(table), field.type))
    return table
