"""GPU memory in pytest: `pytest --gpusnap` measures the tests that say what they may use,

    @pytest.mark.gpu_memory(peak='2 GiB', growth=0, baseline='tests/base.gsnap', tolerance='5%')

peak: the most that may be allocated while the test's function runs, with what was there before; growth: how much more may be
allocated after it than before it; baseline: a dump of an earlier run, relative to pytest's root folder, whose peak may be exceeded by
tolerance, a share or a size (5% where it is left out); `--gpusnap-update` writes it anew. device: 0 where it is left out. Without
`--gpusnap` the mark does nothing."""
from __future__ import annotations

import os
import re
import sys
import tempfile
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Union

import pytest

_UNITS = {'': 1, 'b': 1, 'kib': 1 << 10, 'mib': 1 << 20, 'gib': 1 << 30, 'tib': 1 << 40, 'kb': 10**3, 'mb': 10**6, 'gb': 10**9, 'tb': 10**12}
_MARK = 'gpusnap: a test begins'
_SHOWN = 5          # lines of holders in a failure


class _Limits(NamedTuple):
    peak: Optional[int]
    growth: Optional[int]
    baseline: Optional[str]
    tolerance: Union[int, str]
    device: int


class _Peak(NamedTuple):
    """first: the test's first event, None where it is no longer among those kept. idx: the event of the peak."""
    first: Optional[int]
    idx: Optional[int]
    bytes: int


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup('gpusnap', 'GPU memory')
    group.addoption('--gpusnap', action='store_true', help='hold tests marked gpu_memory to what they may use')
    group.addoption('--gpusnap-update', action='store_true', help='the same, and write their baselines anew')


def _on(config: Any) -> bool:
    return bool(config.getoption('--gpusnap') or config.getoption('--gpusnap-update'))


def pytest_configure(config: Any) -> None:
    config.addinivalue_line('markers', 'gpu_memory(peak=None, growth=None, baseline=None, tolerance="5%", device=0): GPU memory the '
                            'test may use, under --gpusnap')
    if _on(config):
        from . import hook
        hook.install()      # recording begins when the tests import torch


def _size(value: Any, what: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    found = re.fullmatch(r'\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*', value) if isinstance(value, str) else None
    if not found or found[2].lower() not in _UNITS:
        raise ValueError(f'{what}={value!r} is not a size, such as 1024 or "2 GiB"')
    return int(float(found[1]) * _UNITS[found[2].lower()])


def _limits(peak: Any = None, growth: Any = None, baseline: Any = None, tolerance: Any = '5%', device: Any = 0) -> _Limits:
    share = isinstance(tolerance, str) and re.fullmatch(r'\s*\d+(\.\d+)?\s*%\s*', tolerance)
    if not isinstance(device, int) or device < 0:
        raise ValueError(f'device={device!r} is not the number of a device')
    return _Limits(None if peak is None else _size(peak, 'peak'), None if growth is None else _size(growth, 'growth'),
                   None if baseline is None else os.fspath(baseline), tolerance.strip() if share else _size(tolerance, 'tolerance'), device)


def _asked(item: Any) -> Optional[_Limits]:
    mark = item.get_closest_marker('gpu_memory') if _on(item.config) else None
    if mark is None:
        return None
    try:
        return _limits(*mark.args, **mark.kwargs)
    except (TypeError, ValueError) as e:
        wrong = str(e).replace('_limits() ', '')
    pytest.fail(f'gpu_memory: {wrong}', pytrace=False)  # a line that names the mark, not a traceback through this file


def _allowed(base: int, tolerance: Union[int, str]) -> int:
    return base + (int(base * float(tolerance.rstrip('% ')) / 100) if isinstance(tolerance, str) else tolerance)


def _why_not(device: int) -> Optional[str]:
    """Why nothing can be measured here."""
    try:
        import torch
    except ImportError as e:
        return f'PyTorch cannot be imported ({e})'
    if not torch.cuda.is_available():
        return 'no CUDA device is here'
    if device >= torch.cuda.device_count():
        return f'device {device} is not here'
    from . import phases, torch_attach, torch_use
    phases.record()
    torch.cuda.init()
    attached = torch_attach.attached()
    if not torch_use.in_use() and (attached is None or attached.recording is None):
        return "PyTorch's allocator cannot be watched"
    return None


def _allocated(device: int) -> int:
    """What is allocated once everything that may go has gone."""
    import gc

    import torch
    from . import torch as recorded
    for name in ('last_type', 'last_value', 'last_traceback', 'last_exc'):      # of an earlier failure, whose frames hold tensors
        if hasattr(sys, name):
            delattr(sys, name)
    gc.collect()
    torch.cuda.synchronize(device)
    clear = getattr(torch._C, '_cuda_clearCublasWorkspaces', None)      # the library's, not the test's
    if clear is not None:
        clear()
    return int(recorded.memory_stats(device).get('allocated_bytes.all.current', 0))


def _words(n: int) -> str:
    for unit, size in (('GiB', 1 << 30), ('MiB', 1 << 20), ('KiB', 1 << 10)):
        if abs(n) >= size:
            return f'{n / size:.2f} {unit}'
    return f'{n} bytes'


def _begin() -> None:
    """Marks where a test begins: by an annotation, for the program's steps are its own."""
    from . import native
    native.check(native.lib.gpusnap_annotate(_MARK.encode(), None))


def _first(snapshot: Any, device: int, times: List[int]) -> Optional[int]:
    """The first event of the last test, len(times) where it had none; None where it is not known."""
    begun = snapshot.query(f"select max(time_us) as time from annotation where name = '{_MARK}'").column('time')
    if not begun or begun[0] is None:
        return None
    first = next((i for i, time in enumerate(times) if time is not None and time >= begun[0]), len(times))
    lost = any(snapshot.query(f'select dropped from device where device = {device}').column('dropped'))
    return None if first == 0 and lost else first


def _peak(snapshot: Any, device: int) -> _Peak:
    """The peak since the last test began; where that is not known, that of all events."""
    events = snapshot.events(device=device)
    allocated, first = events.column('allocated'), _first(snapshot, device, events.column('time_us'))
    start = max((first or 0) - 1, 0)        # with what was there before
    known = [(n, i) for i, n in enumerate(allocated[start:], start) if n is not None]
    most, idx = max(known, key=lambda pair: (pair[0], -pair[1]), default=(0, None))
    return _Peak(first, idx, most)


def _line(row: Dict[str, Any], n: int) -> str:
    by = f', called by {row["called_by"]}' if row.get('called_by') else ''
    return f'  {_words(n):>12}  {row["where"]}{by}'


def _listed(rows: List[Dict[str, Any]], column: str) -> List[str]:
    more = [f'  … and {len(rows) - _SHOWN} more'] if len(rows) > _SHOWN else []
    return [_line(row, row[column]) for row in rows[:_SHOWN]] + more


def _holders(snapshot: Any, peak: _Peak, device: int) -> List[str]:
    if peak.idx is None:
        return []
    return [f'held at the peak, {_words(peak.bytes)}:'] + _listed(snapshot.holders(state=str(peak.idx), device=device).rows, 'bytes')


def _grown(snapshot: Any, peak: _Peak, device: int) -> List[str]:
    """Who holds more at the end than where the test began."""
    if peak.first:
        rows = snapshot.diff(from_state=str(peak.first - 1), to_state='captured', device=device).rows
    else:       # nothing came before it, or that is no longer known
        rows = [{**row, 'change': row['bytes']} for row in snapshot.holders(state='captured', device=device)]
    return ['grown since the test began:'] + _listed([row for row in rows if row['change'] > 0], 'change')


def _against(path: str, snapshot: Any, peak: _Peak, limits: _Limits) -> List[str]:
    """What a baseline has against this peak."""
    import gpusnap
    if not os.path.exists(path):
        return [f'there is no baseline {path}: pytest --gpusnap-update writes it']
    with gpusnap.open(path) as base:
        was = _peak(base, limits.device)
        if peak.bytes <= _allowed(was.bytes, limits.tolerance):
            return []
        said = [f'peak {_words(peak.bytes)}, in the baseline {limits.baseline} {_words(was.bytes)} (tolerance {limits.tolerance})']
        if was.idx is None or peak.idx is None:
            return said
        rows = base.diff(snapshot, from_state=str(was.idx), to_state=str(peak.idx), device=limits.device).rows
        rows.sort(key=lambda row: -abs(row['change']))
        return said + ['more or less at the peak than in the baseline:'] + _listed(rows, 'change')


def _judge(item: Any, limits: _Limits, before: int) -> Optional[str]:
    """What is wrong, or None."""
    import gpusnap
    from . import torch as recorded
    growth = _allocated(limits.device) - before
    baseline = None if limits.baseline is None else os.path.join(str(item.config.rootpath), limits.baseline)
    with tempfile.TemporaryDirectory() as folder:
        dump = recorded.dump(path=os.path.join(folder, 'test.gsnap'), device=limits.device)
        with gpusnap.open(dump) as snapshot:
            peak = _peak(snapshot, limits.device)
            peak = peak._replace(bytes=max(peak.bytes, before))
            item.user_properties += [('gpusnap_peak', peak.bytes), ('gpusnap_growth', growth)]
            wrong = [] if peak.first is not None else ['the test had more events than are kept: set GPUSNAP_EVENTS higher']
            over = limits.peak is not None and peak.bytes > limits.peak
            if over:
                wrong.append(f'peak {_words(peak.bytes)}, allowed {_words(limits.peak or 0)}')
            if limits.growth is not None and growth > limits.growth:
                wrong += [f'growth {_words(growth)}, allowed {_words(limits.growth)}'] + _grown(snapshot, peak, limits.device)
            if baseline is not None and not item.config.getoption('--gpusnap-update'):
                wrong += _against(baseline, snapshot, peak, limits)
            if wrong:
                return '\n'.join(['GPU memory: ' + wrong[0]] + wrong[1:] + _holders(snapshot, peak, limits.device))
        if baseline is not None and item.config.getoption('--gpusnap-update'):
            _keep(dump, baseline)
    return None


def _keep(dump: str, baseline: str) -> None:
    """Written beside and renamed: a worker that reads it meanwhile has the old one whole."""
    import shutil
    baseline = os.path.realpath(baseline)
    os.makedirs(os.path.dirname(baseline), exist_ok=True)
    beside = f'{baseline}.{os.getpid()}'
    shutil.copyfile(dump, beside)
    os.replace(beside, baseline)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: Any) -> None:
    limits = _asked(item)
    why = None if limits is None else _why_not(limits.device)
    if why is not None:
        pytest.skip(f'gpusnap: {why}')


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: Any) -> Iterator[None]:
    limits = _asked(item)
    if limits is None:
        yield
        return
    before = _allocated(limits.device)
    _begin()
    outcome: Any = yield
    if outcome.excinfo is None:
        try:
            wrong = _judge(item, limits, before)
            if wrong:
                pytest.fail(wrong, pytrace=False)
        except BaseException as e:
            outcome.force_exception(e)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    lines = []
    for reports in (terminalreporter.stats.get(word, []) for word in ('passed', 'failed')):
        for report in reports:
            told = dict(getattr(report, 'user_properties', ()))
            if getattr(report, 'when', None) == 'call' and 'gpusnap_peak' in told:
                lines.append((told['gpusnap_peak'], told['gpusnap_growth'], report.nodeid))
    if lines:
        terminalreporter.section('GPU memory (gpusnap)')
        for peak, growth, name in sorted(lines, key=lambda line: (-line[0], line[2])):
            terminalreporter.write_line(f'peak {_words(peak):>12}  growth {_words(growth):>12}  {name}')
