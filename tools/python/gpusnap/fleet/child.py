"""The process that analyzes dumps for guard.py: a request a dump, until its input ends. Not for people to start.

A request is a JSON object, or that and the dump's bytes; an answer is a JSON object. Each is a frame: its length in eight bytes, its
bytes."""
from __future__ import annotations

import json
import os
import resource
import signal
import struct
import sys
from typing import Any, BinaryIO, List, Optional


def send(out: BinaryIO, frames: List[Any]) -> None:
    out.write(struct.pack('<Q', len(frames)) + b''.join(struct.pack('<Q', len(f)) for f in frames))
    for f in frames:
        out.write(f)
    out.flush()


def receive(source: BinaryIO) -> Optional[List[bytes]]:
    """The frames of a message; None at the end."""
    head = source.read(8)
    if len(head) < 8:
        return None
    lengths = source.read(8 * struct.unpack('<Q', head)[0])
    frames = [source.read(n) for n, in struct.iter_unpack('<Q', lengths)]
    return frames if all(len(f) == n for f, (n,) in zip(frames, struct.iter_unpack('<Q', lengths))) else None


def _mapped() -> int:
    with open('/proc/self/statm') as f:
        return int(f.read().split()[0]) * os.sysconf('SC_PAGE_SIZE')


def bound(memory: int) -> None:
    """So much memory beyond what the interpreter has mapped already, and no core of a crash."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        resource.setrlimit(resource.RLIMIT_AS, (_mapped() + memory, resource.RLIM_INFINITY))
    except (OSError, ValueError):     # no /proc, or a lower limit is there already
        pass


def answer(frames: List[bytes]) -> List[Any]:
    import hashlib

    from .. import library
    from . import step
    given = json.loads(frames[0])
    data, size = b'', 0
    try:
        try:
            if len(frames) > 1:
                data = frames[1]
            else:
                with open(given['path'], 'rb') as f:
                    data = f.read()
        except OSError as e:
            return [json.dumps({'unreadable': e.strerror or str(e)}).encode()]
        size = len(data)
        sha256 = hashlib.sha256(data).hexdigest()
        try:
            rows, found = step.analyze(data, given)
        except library.Error as e:
            rows, found = step.failed(sha256, size, given, e.reason)
        except MemoryError:
            raise
        except Exception as e:     # of ours: told, and no other dump's business
            rows, found = step.failed(sha256, size, given, f'the analysis failed: {type(e).__name__}: {e}')
    except MemoryError:
        return [json.dumps({'short': True, 'sha256': hashlib.sha256(data).hexdigest() if size else None, 'size': size}).encode()]
    return [json.dumps({'context': found, 'rows': rows}, default=str).encode()]


def main() -> int:
    memory, seconds = int(sys.argv[1]), int(sys.argv[2])
    source, out = os.fdopen(os.dup(0), 'rb'), os.fdopen(os.dup(1), 'wb')
    os.dup2(2, 1)     # what anything prints must not be taken for an answer
    try:
        from .. import library
        from . import step
        library.load()
        step._question()
    except Exception as e:
        send(out, [f'{type(e).__name__}: {e}'.encode()])
        return 1
    send(out, [b''])
    bound(memory)
    while True:
        frames = receive(source)
        if frames is None:
            return 0
        signal.alarm(seconds + 5)     # should the parent be gone when it is time to stop this
        try:
            send(out, answer(frames))
        except BrokenPipeError:
            return 0
        finally:
            signal.alarm(0)
