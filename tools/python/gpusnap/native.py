"""libgpusnap by ctypes: the functions and rows of gpusnap.h that the other modules use."""
import ctypes
import os
import pathlib
from ctypes import (POINTER, Structure, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p)

UNKNOWN = -2**63
OK, OUT_OF_MEMORY = 0, 1
BY_FAILURE, BY_SIGNAL, BY_DEMAND = 0, 1, 2     # gpusnap_reason
ACTIONS = {word: number for number, word in enumerate(
    'alloc free_requested free_completed segment_alloc segment_free segment_map segment_unmap snapshot oom refused '
    'record_stream empty_cache annotate'.split())}
STATES = {'active_allocated': 0, 'active_pending_free': 1, 'active_awaiting_free': 1, 'inactive': 2}
CLASSES = {'small': 0, 'large': 1}


class Error(RuntimeError):
    """What the library answered; .status is its number."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class PoolId(Structure):
    _fields_ = [('a', c_uint64), ('b', c_uint64)]


class Row(Structure):
    """A row of the builder: `size` first, unknown numbers as UNKNOWN."""

    def __init__(self, **values):
        super().__init__(**values)
        self.size = ctypes.sizeof(self)


class Config(Structure):
    _fields_ = [('size', c_size_t), ('dir', c_char_p), ('name', c_char_p), ('stacks', c_char_p), ('conf', c_char_p),
                ('signal', c_char_p), ('log', c_char_p), ('events', c_int64), ('depth', c_int64), ('level', c_int64),
                ('max_dumps', c_int64), ('max_mb', c_int64), ('disable', c_int64), ('rank', c_int64), ('rules', c_char_p),
                ('memory_fraction', c_double), ('simulated', c_int64), ('simulated_bytes', c_uint64),
                ('stream', c_char_p), ('stream_mb', c_int64)]


class Device(Row):
    _fields_ = [('size', c_size_t), ('device', c_int32), ('name', c_char_p), ('capacity', c_int64), ('device_free', c_int64),
                ('allowed', c_int64), ('others', c_int64), ('dropped', c_int64), ('complete', c_int32), ('layout_at_oom', c_int32)]


class Segment(Row):
    _fields_ = [('size', c_size_t), ('device', c_int32), ('address', c_uint64), ('bytes', c_uint64), ('stream', c_uint64),
                ('pool_id', PoolId), ('pool', c_int), ('expandable', c_int32), ('stack', c_uint32)]


class Block(Row):
    _fields_ = [('size', c_size_t), ('device', c_int32), ('address', c_uint64), ('bytes', c_uint64), ('requested', c_int64),
                ('state', c_int), ('stack', c_uint32), ('tag', c_uint32), ('event', c_int64)]


class Event(Row):
    _fields_ = [('size', c_size_t), ('device', c_int32), ('action', c_int), ('address', c_uint64), ('bytes', c_uint64),
                ('time_us', c_int64), ('stream', c_uint64), ('pool_id', PoolId), ('has_pool_id', c_int32), ('stack', c_uint32),
                ('tag', c_uint32)]


class Oom(Row):
    _fields_ = [('size', c_size_t), ('device', c_int32), ('event', c_int64), ('time_us', c_int64), ('requested', c_int64),
                ('needed', c_int64), ('stream', c_int64), ('device_free', c_int64), ('capacity', c_int64), ('allocated', c_int64),
                ('reserved', c_int64), ('allowed', c_int64), ('pool', c_int), ('pool_id', PoolId), ('has_pool_id', c_int32),
                ('message', c_char_p), ('stack', c_uint32)]


class Stat(Row):
    _fields_ = [('size', c_size_t), ('device', c_int32), ('name', c_char_p), ('pool', c_char_p), ('current', c_int64),
                ('peak', c_int64), ('allocated', c_int64), ('freed', c_int64)]


_FUNCTIONS = {
    'version': (c_char_p,), 'error': (c_char_p,), 'config_init_sized': (None, POINTER(Config), c_size_t), 'open': (c_int, POINTER(Config)),
    'close': (None,), 'devices': (c_int,), 'malloc': (c_int, c_int, c_size_t, c_void_p, POINTER(c_void_p)),
    'free': (c_int, c_int, c_void_p), 'empty_cache': (c_int, c_int), 'set_memory_fraction': (c_int, c_int, c_double), 'configure': (c_int, c_int, c_char_p),
    'stat': (c_int, c_int, c_char_p, POINTER(c_int64)), 'stat_name': (c_char_p, c_int), 'reset_peak_stats': (c_int, c_int),
    'reset_accumulated_stats': (c_int, c_int), 'dump': (c_int, c_int, c_char_p, c_char_p, c_size_t),
    'push_tag': (c_int, c_char_p), 'pop_tag': (c_int,), 'memory_info': (c_int, c_int, POINTER(c_uint64), POINTER(c_uint64)),
    'builder_new': (c_void_p,), 'builder_free': (None, c_void_p), 'builder_fact': (c_int, c_void_p, c_char_p, c_char_p),
    'builder_setting': (c_int, c_void_p, c_char_p, c_char_p), 'builder_frame': (c_uint32, c_void_p, c_char_p, c_char_p, c_int64),
    'builder_stack': (c_uint32, c_void_p, POINTER(c_uint32), c_size_t), 'builder_tag': (c_uint32, c_void_p, c_char_p),
    'builder_device': (c_int, c_void_p, POINTER(Device)), 'builder_segment': (c_int, c_void_p, POINTER(Segment)),
    'builder_block': (c_int, c_void_p, POINTER(Block)), 'builder_event': (c_int, c_void_p, POINTER(Event)),
    'builder_oom': (c_int, c_void_p, POINTER(Oom)), 'builder_stat': (c_int, c_void_p, POINTER(Stat)),
    'builder_annotation': (c_int, c_void_p, c_int, c_char_p, c_char_p, c_int64), 'builder_warning': (c_int, c_void_p, c_char_p),
    'failure': (c_int, c_int, c_uint64, c_uint64), 'builder_reason': (c_int, c_void_p, c_int),
    'builder_failure': (c_int, c_void_p, c_int, c_uint64, c_uint64),
    'step': (c_int, c_int64), 'annotate': (c_int, c_char_p, c_char_p), 'hide_python': (None, c_char_p), 'watch_open': (c_int, POINTER(Config), c_void_p), 'watch_close': (None,),
    'builder_write': (c_int, c_void_p, c_int, c_char_p, c_int, c_char_p, c_size_t),
}


def _places():
    here = pathlib.Path(__file__).resolve().parent
    if os.environ.get('GPUSNAP_LIBRARY'):
        yield os.environ['GPUSNAP_LIBRARY']
    yield here / 'libgpusnap.so.1'                                  # in the package
    yield here.parent.parent.parent / 'build' / 'libgpusnap.so.1'   # in the source tree
    yield here.parent.parent.parent / 'libgpusnap.so.1'             # installed as PREFIX/lib/gpusnap/python/gpusnap
    yield 'libgpusnap.so.1'                                         # where the system looks


def _load():
    tried = []
    for place in _places():
        if isinstance(place, pathlib.Path) and not place.exists():
            continue
        try:
            library = ctypes.CDLL(str(place))
        except OSError as e:
            tried.append(str(e))
            continue
        for name, (result, *arguments) in _FUNCTIONS.items():
            f = getattr(library, 'gpusnap_' + name)
            f.restype, f.argtypes = result, arguments
        return library, str(place)
    raise ImportError('gpusnap: libgpusnap.so.1 is not found (set GPUSNAP_LIBRARY to its path): ' + '; '.join(tried))


lib, path = _load()
lib.gpusnap_hide_python(os.fsencode(os.path.dirname(__file__)))    # our own functions are never the culprit


def check(status):
    """Raises what the library said of a status that is not OK."""
    if status != OK:
        raise Error(status, (lib.gpusnap_error() or b'').decode(errors='replace') or f'status {status}')
    return status


def _config(settings):
    config = Config()
    lib.gpusnap_config_init_sized(config, ctypes.sizeof(config))
    for name, value in settings.items():
        if value is not None:
            value = os.fspath(value) if isinstance(value, os.PathLike) else value
            setattr(config, name, value.encode() if isinstance(value, str) else value)
    return config


def open_recorder(**settings):
    """gpusnap_open; settings by the names of gpusnap_config, texts as str."""
    check(lib.gpusnap_open(_config(settings)))


def open_watch(dump, **settings):
    """gpusnap_watch_open; dump(device, reason) is called by a thread of the library's."""
    check(lib.gpusnap_watch_open(_config(settings), dump))


def stats(device):
    """{name: value} of a device, the names of torch.cuda.memory_stats()."""
    found, i = {}, 0
    value = c_int64()
    while (name := lib.gpusnap_stat_name(i)) is not None:
        check(lib.gpusnap_stat(device, name, value))
        found[name.decode()] = value.value
        i += 1
    return found
