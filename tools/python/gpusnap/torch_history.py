"""Watching PyTorch's own allocator by its Python interface: its history of events, and a dump from its out-of-memory observer. The way
for where the hooks in C++ (torch_watch) cannot be compiled."""
import sys

import torch

from . import native, nvml, variables
from .snapshot import Builder, add_annotations, add_settings, add_trace

LIMIT, EXISTS = 10, 9


def is_on():
    """Whether somebody records PyTorch's history already. False where this release does not tell."""
    tell = getattr(torch._C, '_cuda_isHistoryEnabled', None)
    return bool(tell and tell())


class History:
    """How much is recorded, and since when."""

    def __init__(self, max_entries, stacks):
        self.max_entries = max_entries = max_entries or max(variables.number('GPUSNAP_EVENTS', 100000), 1)
        self.stacks = stacks = stacks or variables.stacks()
        self.from_start = all(torch.cuda.memory_reserved(d) == 0 for d in range(torch.cuda.device_count()))
        self.dumps = []             # paths written
        self.theirs = is_on()   # the program's own history stays as it is
        if self.theirs:
            self.from_start = False
        else:
            torch.cuda.memory._record_memory_history(context=None if stacks == 'none' else 'all', max_entries=max_entries,
                                                     stacks='python' if stacks in ('python', 'none') else 'all')
        torch._C._cuda_attach_out_of_memory_observer(self.on_oom)

    def on_oom(self, device, needed, capacity, device_free):
        """Called by PyTorch before the exception unwinds. Nothing may get out of here: the program deals with its own failure."""
        try:
            self.write_dump(device, failure=(needed, capacity, device_free))
        except native.Error as e:
            if e.status not in (EXISTS, LIMIT):     # a dump stands for this failure already, or none is wanted
                variables.say(f'no dump: {e}')
        except Exception as e:
            variables.say(f'no dump: {type(e).__name__}: {e}')

    def write_dump(self, device, path=None, reason=native.BY_DEMAND, failure=None):
        """A .gsnap of PyTorch's state now; failure: what the observer was told of one that is being raised. Returns its path."""
        identity = failure and (_stack_number(), failure[0])
        if failure:
            native.check(native.lib.gpusnap_failure(device, *identity))
        builder = Builder()
        try:
            _fill(builder, self, device, failure, torch.cuda.memory._snapshot())
            if failure:
                native.check(native.lib.gpusnap_builder_failure(builder.handle, device, *identity))
            else:
                native.check(native.lib.gpusnap_builder_reason(builder.handle, reason))
            written = builder.write(device, path)
        finally:
            builder.close()
        self.dumps.append(written)
        return written


def _stack_number():
    """The same for the same stack of the calling thread."""
    frame, found = sys._getframe(2), []
    while frame is not None:
        found.append((id(frame.f_code), frame.f_lasti))
        frame = frame.f_back
    return hash(tuple(found)) & (2**64 - 1)


def _capacity_and_limit(device):
    properties = torch.cuda.get_device_properties(device)
    fraction = torch.cuda.get_per_process_memory_fraction(device) if hasattr(torch.cuda, 'get_per_process_memory_fraction') else 1.0
    return properties.name, properties.total_memory, fraction, getattr(properties, 'uuid', None)


def _add_device(builder, device, trace, history, failure):
    """failure: (needed, capacity, device_free) of the failing device, else None."""
    name, capacity, fraction, uuid = _capacity_and_limit(device)
    whole = history.from_start and len(trace) < history.max_entries
    at_oom = bool(failure and trace and trace[-1]['action'] == 'oom')
    if failure and not at_oom:
        builder.warn(f'device {device}: other threads acted between the failure and this dump' if trace else
                     f'device {device}: PyTorch recorded no history, so the size of the failed request is not known')
    device_free = failure[2] if failure else torch.cuda.mem_get_info(device)[0]
    others = nvml.others(f'GPU-{uuid}') if uuid is not None else None
    row = native.Device(device=device, name=name.encode(), capacity=failure[1] if failure else capacity, device_free=device_free,
                        allowed=int(fraction * capacity) if fraction < 1 else native.UNKNOWN,
                        others=native.UNKNOWN if others is None else others, dropped=0,
                        complete=1 if whole else -1 if len(trace) < history.max_entries else 0, layout_at_oom=int(at_oom))
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


def _fill(builder, history, device, failure, snapshot):
    builder.fact('tool', f'PyTorch {torch.__version__}')
    builder.fact('rules', torch.__version__.split('+')[0])
    builder.fact('library', 'pytorch')
    add_settings(builder, snapshot)
    used = {s['device'] for s in snapshot['segments']}
    for number, trace in enumerate(snapshot['device_traces']):
        if not trace and number not in used and number != device:
            continue
        failing = failure is not None and number == device
        row = _add_device(builder, number, trace, history, failure if failing else None)
        add_trace(builder, number, trace)
        builder.stats(number, torch.cuda.memory_stats(number))
        if failing:
            _add_oom(builder, number, trace, row, failure[0])
    for s in snapshot['segments']:
        builder.segment(s)
    add_annotations(builder, snapshot)
