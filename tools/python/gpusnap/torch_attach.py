"""Watching PyTorch's own allocator: history with Python stacks, and a dump from its out-of-memory observer."""
import os
import sys

import torch

from . import native, nvml
from .snapshot import Builder, add_annotations, add_settings, add_trace

_attached = None


class Attached:
    """What attach() set up: how much is recorded, and since when."""

    def __init__(self, max_entries, stacks):
        self.max_entries, self.stacks = max_entries, stacks
        self.from_start = False     # recording began before the first allocation
        self.dumps = []             # paths written

    def start(self):
        self.from_start = not torch.cuda.is_initialized() or all(
            torch.cuda.memory_reserved(d) == 0 for d in range(torch.cuda.device_count()))
        torch.cuda.memory._record_memory_history(max_entries=self.max_entries, stacks=self.stacks)
        torch._C._cuda_attach_out_of_memory_observer(self.on_oom)

    def on_oom(self, device, needed, capacity, device_free):
        """Called by PyTorch before the exception unwinds. Nothing may get out of here: the program deals with its own failure."""
        try:
            self.dumps.append(write_dump(self, device, needed, capacity, device_free))
        except native.Error as e:
            if e.status != 10:      # the limit on dumps: the library has said so once
                print(f'gpusnap: no dump: {e}', file=sys.stderr)
        except Exception as e:
            print(f'gpusnap: no dump: {type(e).__name__}: {e}', file=sys.stderr)


def _capacity_and_limit(device):
    properties = torch.cuda.get_device_properties(device)
    fraction = torch.cuda.get_per_process_memory_fraction(device) if hasattr(torch.cuda, 'get_per_process_memory_fraction') else 1.0
    return properties.name, properties.total_memory, fraction, getattr(properties, 'uuid', None)


def _add_device(builder, device, trace, attached, failure):
    """failure: (needed, capacity, device_free) of the failing device, else None."""
    name, capacity, fraction, uuid = _capacity_and_limit(device)
    whole = attached.from_start and len(trace) < attached.max_entries
    at_oom = bool(failure and trace and trace[-1]['action'] == 'oom')
    if failure and not at_oom:
        builder.warn(f'device {device}: other threads acted between the failure and this dump')
    device_free = failure[2] if failure else torch.cuda.mem_get_info(device)[0]
    others = nvml.others(f'GPU-{uuid}') if uuid is not None else None
    row = native.Device(device=device, name=name.encode(), capacity=failure[1] if failure else capacity, device_free=device_free,
                        allowed=int(fraction * capacity) if fraction < 1 else native.UNKNOWN,
                        others=native.UNKNOWN if others is None else others, dropped=0, complete=1 if whole else -1 if len(trace) < attached.max_entries else 0,
                        layout_at_oom=int(at_oom))
    native.check(native.lib.gpusnap_builder_device(builder.handle, row))
    return row


def _add_oom(builder, device, trace, row, needed):
    at = max((i for i, e in enumerate(trace) if e['action'] == 'oom'), default=None)
    event = trace[at] if at is not None else None
    stats = torch.cuda.memory_stats(device)
    oom = native.Oom(device=device, event=native.UNKNOWN if at is None else at, time_us=event.get('time_us', native.UNKNOWN) if event else native.UNKNOWN,
                     requested=event['size'] if event else native.UNKNOWN, needed=needed,
                     stream=event['stream'] if event else native.UNKNOWN, device_free=row.device_free, capacity=row.capacity,
                     allocated=stats.get('allocated_bytes.all.current', native.UNKNOWN),
                     reserved=stats.get('reserved_bytes.all.current', native.UNKNOWN), allowed=row.allowed, pool=2,
                     stack=builder.stack(event.get('frames')) if event else 0)
    if event:
        oom.pool = 0 if event['size'] <= 1 << 20 else 1
        if event.get('pool_id') is not None:
            oom.has_pool_id, oom.pool_id = 1, native.PoolId(*event['pool_id'])
    native.check(native.lib.gpusnap_builder_oom(builder.handle, oom))


def write_dump(attached, device, needed=None, capacity=None, device_free=None, path=None):
    """A .gsnap of PyTorch's state now; with needed, of a failure that is being raised. Returns its path."""
    snapshot = torch.cuda.memory._snapshot()
    builder = Builder()
    try:
        builder.fact('tool', f'PyTorch {torch.__version__}')
        builder.fact('rules', torch.__version__.split('+')[0])
        builder.fact('library', 'pytorch')
        add_settings(builder, snapshot)
        used = {s['device'] for s in snapshot['segments']}
        for number, trace in enumerate(snapshot['device_traces']):
            if not trace and number not in used and number != device:
                continue
            failing = needed is not None and number == device
            row = _add_device(builder, number, trace, attached, (needed, capacity, device_free) if failing else None)
            add_trace(builder, number, trace)
            builder.stats(number, torch.cuda.memory_stats(number))
            if failing:
                _add_oom(builder, number, trace, row, needed)
        for s in snapshot['segments']:
            builder.segment(s)
        add_annotations(builder, snapshot)
        return builder.write(device, path)
    finally:
        builder.close()


def _leave_native_calls_to_pytorch():
    """Under `gpusnap run`: what PyTorch's allocator asks of the driver is told by PyTorch itself."""
    import ctypes
    try:
        leave_out = ctypes.CDLL(None).gpusnap_preload_leave_out
    except (OSError, AttributeError):
        return
    for library in (b'libc10_cuda', b'libtorch_cuda'):
        leave_out(library)


def attach(max_entries=None, stacks='python'):
    """Records PyTorch's allocations (the last max_entries of a device; default GPUSNAP_EVENTS, 100000) with their stacks ('python' or
    'all'), and writes a dump whenever it raises an out-of-memory error. Does not touch CUDA before the program does."""
    global _attached
    if _attached is not None or os.environ.get('GPUSNAP_DISABLE', '0') not in ('', '0'):
        return _attached
    if max_entries is None:
        max_entries = int(os.environ.get('GPUSNAP_EVENTS') or 100000)
    _attached = Attached(max_entries, stacks)
    _leave_native_calls_to_pytorch()
    if torch.cuda.is_initialized():
        _attached.start()
    else:
        torch.cuda._lazy_call(_attached.start)
    return _attached


def attached():
    """What attach() returned, or None."""
    return _attached
