"""The command line behind `gpusnap fleet` and `gpusnap query OUT NAME`, which check their options and start it."""
from __future__ import annotations

import argparse
import json
import os
import sys
import time
from typing import Any, Dict, List


def _need(*modules: str) -> None:
    import importlib
    for name in modules:
        try:
            importlib.import_module(name)
        except ImportError as e:
            raise SystemExit(_fail(f"this needs the Python package {name}, which {sys.executable} does not have "
                                   f"(pip install 'gpusnap[fleet]'): {e}"))


def _fail(text: str, status: int = 1) -> int:
    print('gpusnap: ' + text.encode('utf-8', 'replace').decode(), file=sys.stderr)
    return status


class _Progress:
    """A line on a terminal that tells how far the run is."""

    def __init__(self) -> None:
        self._began = self._last = time.monotonic()
        self._shown = False

    def __call__(self, result: Dict[str, int]) -> None:
        now = time.monotonic()
        if now - self._began < 1 or now - self._last < 0.2:
            return
        self._last, self._shown = now, True
        rate = result['new'] / (now - self._began)
        sys.stderr.write(f"\r\033[Kgpusnap: {result['new']:,} dumps analyzed, {rate:.0f} a second"
                         + (f"; {result['known']:,} there already" if result['known'] else ''))
        sys.stderr.flush()

    def end(self) -> None:
        if self._shown:
            sys.stderr.write('\r\033[K')


def _s(n: int, what: str = 'dump') -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _run(a: argparse.Namespace) -> int:
    _need('pyarrow')
    from . import local, store
    progress = _Progress() if sys.stderr.isatty() and not a.quiet else None
    try:
        result = local.run(a.inputs, a.output, rule=a.context, jobs=a.jobs or None, seconds=a.seconds, memory=a.memory, progress=progress)
    except store.NoFleet as e:
        return _fail(str(e))
    except (OSError, ValueError) as e:
        name = getattr(e, 'filename', None)
        return _fail(f'{name}: {e.strerror}' if name and isinstance(e, OSError) else str(e))
    except KeyboardInterrupt:
        _fail(f'stopped; what was analyzed is in {a.output}, the next run goes on')
        return 130
    finally:
        if progress:
            progress.end()
    if not result['dumps']:
        return _fail(f"{a.inputs[0]}: the directory holds no file")
    for path, error in result['errors'][:0 if a.quiet else 5]:
        _fail(f'{path}: {error}')
    if not a.quiet:
        left = len(result['errors']) - 5
        if left > 0:
            _fail(f"{result['failed'] - 5:,} more that could not be read: gpusnap query {a.output} errors")
        rate = result['new'] / result['seconds'] if result['seconds'] > 0 else 0
        told = [f"{_s(result['new'])} analyzed" + (f" ({rate:.1f} a second)" if result['new'] else '')]
        if result['failed']:
            told.append(f"{result['failed']:,} of them could not be read")
        if result['known'] or not result['new']:
            told.append(f"{result['known']:,} there already")
        _fail(f"{', '.join(told)}; {a.output}")
    return 0


def _refuse(text: str, hint: str = '', usage: bool = False) -> int:
    """An answer that is none, for the command to tell."""
    told = {'error': text, **({'hint': hint} if hint else {}), **({'usage': 'query'} if usage else {})}
    print(json.dumps(told))
    return 2 if usage else 1


def _ask(a: argparse.Namespace) -> int:
    try:
        import duckdb
        import pyarrow  # noqa: F401
    except ImportError as e:
        return _refuse(f"questions need the Python package {e.name}, which {sys.executable} does not have", "pip install 'gpusnap[fleet]'")
    from . import questions, store
    try:
        if a.show is not None:
            print(questions.whole(a.show), end='')
            return 0
        fleet = store.Fleet(a.out)
        if a.list:
            lines = questions.lines('list', questions.listed())
        else:
            name = a.question if questions.is_sql(a.question) else questions.find(a.question)
            lines = questions.lines(name, questions.ask(fleet, name, since=a.since, seconds=a.seconds))
        for line in lines:
            print(line)
    except questions.Unknown as e:
        near = f'did you mean {e.near}? ' if e.near else ''
        if a.show is not None:
            return _fail(f'{e}\n  {near}', 2)
        return _refuse(str(e), f'{near}`gpusnap query {a.out} --list` names them all', True)
    except store.NoFleet as e:
        return _refuse(str(e))
    except ValueError as e:
        return _refuse(str(e), usage=True)
    except (duckdb.Error, OSError) as e:
        return _refuse(f"{a.out}: {str(e).splitlines()[0]}")
    return 0


def _compact(a: argparse.Namespace) -> int:
    _need('pyarrow')
    from . import store
    try:
        fleet = store.Fleet(a.output)
        fleet.recover()
        went = fleet.compact()
    except (store.NoFleet, OSError) as e:
        return _fail(str(e))
    if not a.quiet:
        _fail(f"{_s(went, 'file')} merged into others; {a.output}")
    return 0


def _arguments() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(prog='python -m gpusnap.fleet', description=__doc__)
    commands = p.add_subparsers(dest='command', required=True)
    r = commands.add_parser('run', help='dumps into Parquet tables')
    r.add_argument('inputs', nargs='+'), r.add_argument('--output', '-o', required=True)
    r.add_argument('--jobs', type=int, default=0), r.add_argument('--seconds', type=float, default=60)
    r.add_argument('--memory', type=int, default=2 << 30), r.add_argument('--context'), r.add_argument('--quiet', '-q', action='store_true')
    r.set_defaults(do=_run)
    q = commands.add_parser('ask', help='a question, its answer as lines of JSON')
    q.add_argument('out'), q.add_argument('question', nargs='?', default=''), q.add_argument('--since')
    q.add_argument('--seconds', type=float, default=0)
    q.add_argument('--list', action='store_true'), q.add_argument('--show')
    q.set_defaults(do=_ask)
    c = commands.add_parser('compact', help='merge small files')
    c.add_argument('--output', '-o', required=True), c.add_argument('--quiet', '-q', action='store_true')
    c.set_defaults(do=_compact)
    return p


def main(arguments: List[str]) -> int:
    a: Any = _arguments().parse_args(arguments)
    try:
        status: int = a.do(a)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
