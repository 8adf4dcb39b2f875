"""From PyTorch's snapshot (a dict, as torch.cuda.memory._snapshot() gives it) to a .gsnap, by the builder of libgpusnap."""
import ctypes

from . import native
from .native import UNKNOWN, lib


def _text(value):
    return str(value).encode(errors='replace')


def _known(value):
    return UNKNOWN if value is None else int(value)


class Builder:
    """A gpusnap_builder. Rows are reused: the library copies them."""

    def __init__(self):
        self.handle = lib.gpusnap_builder_new()
        if not self.handle:
            raise MemoryError('gpusnap: no memory for a builder')
        self._stacks, self._frames = {}, {}   # by identity of the snapshot's objects, which outlive the builder
        self._event, self._block = native.Event(), native.Block()

    def close(self):
        lib.gpusnap_builder_free(self.handle)
        self.handle = None

    def fact(self, name, value):
        if value is not None:
            native.check(lib.gpusnap_builder_fact(self.handle, _text(name), _text(value)))

    def _frame(self, frame):
        known = self._frames.get(id(frame))
        if known is None:
            line = frame.get('line')
            known = self._frames[id(frame)] = lib.gpusnap_builder_frame(
                self.handle, _text(frame.get('name', '')), _text(frame.get('filename', '')), -1 if line is None else line)
        return known

    def stack(self, frames):
        if not frames:
            return 0
        known = self._stacks.get(id(frames))
        if known is None:
            ids = [self._frame(f) for f in frames]
            known = self._stacks[id(frames)] = lib.gpusnap_builder_stack(self.handle, (ctypes.c_uint32 * len(ids))(*ids), len(ids))
        return known

    def segment(self, s):
        pool_id = s.get('segment_pool_id', (0, 0))
        row = native.Segment(device=s['device'], address=s['address'], bytes=s['total_size'], stream=s['stream'] & (2**64 - 1),
                             pool_id=native.PoolId(*pool_id), pool=native.CLASSES.get(s['segment_type'], 2),
                             expandable=int(s.get('is_expandable', False)), stack=self.stack(s.get('frames')))
        native.check(lib.gpusnap_builder_segment(self.handle, row))
        address = s['address']
        for b in s['blocks']:
            self._put_block(s['device'], b, b.get('address', address))
            address += b['size']

    def _put_block(self, device, b, address):
        row = self._block
        row.device, row.address, row.bytes = device, address, b['size']
        row.state = native.STATES[b['state']]
        row.requested = UNKNOWN if b['state'] == 'inactive' else _known(b.get('requested_size'))
        row.stack, row.event = self.stack(b.get('frames')), UNKNOWN
        native.check(lib.gpusnap_builder_block(self.handle, row))

    def event(self, device, e):
        row, action = self._event, e['action']
        row.device, row.action = device, native.ACTIONS[action]
        row.address = e.get('device_free', 0) if action == 'oom' else e.get('addr', 0)
        row.bytes, row.stream, row.time_us = e['size'], e['stream'] & (2**64 - 1), _known(e.get('time_us'))
        pool_id = e.get('pool_id')
        row.has_pool_id = pool_id is not None
        if pool_id is not None:
            row.pool_id.a, row.pool_id.b = pool_id
        row.stack = self.stack(e.get('frames'))
        if lib.gpusnap_builder_event(self.handle, row):
            native.check(native.OUT_OF_MEMORY)

    def stats(self, device, stats):
        """The flat dict of torch.cuda.memory_stats()."""
        arrays, scalars = {}, {}
        for key, value in stats.items():
            name, *rest = key.split('.')
            if len(rest) == 2:
                arrays.setdefault((name, rest[0]), {})[rest[1]] = value
            elif len(rest) == 1:
                arrays.setdefault((name, None), {})[rest[0]] = value
            else:
                scalars[name] = value
        for (name, pool), figures in arrays.items():
            self._stat(device, name, pool, **figures)
        for name, value in scalars.items():
            self._stat(device, name, None, current=value)

    def _stat(self, device, name, pool, current=None, peak=None, allocated=None, freed=None, **_):
        row = native.Stat(device=device, name=_text(name), pool=None if pool is None else _text(pool), current=_known(current),
                          peak=_known(peak), allocated=_known(allocated), freed=_known(freed))
        native.check(lib.gpusnap_builder_stat(self.handle, row))

    def warn(self, text):
        native.check(lib.gpusnap_builder_warning(self.handle, _text(text)))

    def write(self, device, path=None):
        """Writes the file; None: where and as dumps are named. Returns its path."""
        written = ctypes.create_string_buffer(8192)
        native.check(lib.gpusnap_builder_write(self.handle, device, None if path is None else _text(path), 0, written, len(written)))
        return written.value.decode(errors='replace')


def add_trace(builder, device, trace):
    """All events of a device. Actions that this version does not know are left out, and counted in a warning."""
    unknown = 0
    for e in trace:
        if e['action'] in native.ACTIONS:
            builder.event(device, e)
        else:
            unknown += 1
    if unknown:
        builder.warn(f'device {device}: {unknown} events of unknown kinds are left out')


def add_settings(builder, snapshot):
    for name, value in snapshot.get('allocator_settings', {}).items():
        native.check(lib.gpusnap_builder_setting(builder.handle, _text(name), _text(value)))


def add_annotations(builder, snapshot):
    for a in snapshot.get('external_annotations', ()):
        if 'name' in a:
            native.check(lib.gpusnap_builder_annotation(builder.handle, a.get('device', 0), _text(a['name']), _text(a.get('stage', '')),
                                                        _known(a.get('time_us'))))
