"""Watching PyTorch's own allocator through its hooks in C++ (torch_watch.cpp): its events go into our ring, and a failure becomes a dump
without Python. The program's own history of PyTorch's stays the program's own."""
import ctypes
import time
from ctypes import c_char, c_char_p, c_int, c_int64, c_size_t

import torch

from . import native, torch_build

_FUNCTIONS = {
    'device': (None, c_char_p, c_char_p, c_int64), 'setting': (None, c_char_p, c_char_p),
    'dump': (c_int, c_int, c_char_p, c_int, c_char_p, c_size_t, c_char_p), 'history': (None, c_size_t, c_int, c_char, c_char_p),
    'watch': (c_char_p, c_char_p, c_int), 'emptied': (None,),
}
_LIBRARIES = ('c10', 'c10_cuda', 'torch_cpu')
_NEVER, _STATE, _ALLOC, _ALL = range(4)     # PyTorch's RecordContext


class Watch:
    """PyTorch's allocator, watched: load(), then begin()."""

    def __init__(self, library):
        self.library = library
        self.dumps = []             # paths of dumps on demand

    @classmethod
    def load(cls):
        """CannotCompile where the hooks cannot be had."""
        library, _ = torch_build.load('torch_watch', _LIBRARIES, cuda=True)
        for name, (result, *arguments) in _FUNCTIONS.items():
            f = getattr(library, 'gpusnap_torch_' + name)
            f.restype, f.argtypes = result, arguments
        return cls(library)

    def begin(self):
        """The recorder of watched devices is open."""
        for d in range(torch.cuda.device_count()):
            about = torch.cuda.get_device_properties(d)
            uuid = getattr(about, 'uuid', None)
            self.library.gpusnap_torch_device(about.name.encode(), b'' if uuid is None else f'GPU-{uuid}'.encode(), about.total_memory)
        for name, value in torch.cuda.memory._snapshot().get('allocator_settings', {}).items():
            self.library.gpusnap_torch_setting(str(name).encode(), str(value).encode())
        self.library.gpusnap_torch_setting(b'empty_cache_calls', b'recorded')     # tell_empty_cache
        empty = all(torch.cuda.memory_reserved(d) == 0 for d in range(torch.cuda.device_count()))
        why = self.library.gpusnap_torch_watch(torch.__version__.encode(), int(empty))
        if why is not None:
            raise RuntimeError(why.decode(errors='replace'))
        return self

    def write_dump(self, device, path=None, reason=native.BY_DEMAND):
        written, why = ctypes.create_string_buffer(8192), ctypes.create_string_buffer(8192)
        status = self.library.gpusnap_torch_dump(device, None if path is None else str(path).encode(), reason, written, len(written), why)
        if status:
            raise native.Error(status, why.value.decode(errors='replace') or f'status {status}')
        self.dumps.append(written.value.decode(errors='replace'))
        return self.dumps[-1]

    def history(self, entries, when, stacks, skipped):
        self.library.gpusnap_torch_history(entries, when, stacks, '\n'.join(skipped).encode())


def tell_empty_cache(attached):
    """Stands before the functions by which a program empties the cache: of a call that gives nothing back PyTorch tells nothing, and under
    other settings it would have."""
    def telling(original):
        def empty_cache(*args, **named):
            if isinstance(attached.recording, Watch):
                attached.recording.library.gpusnap_torch_emptied()
            return original(*args, **named)
        return empty_cache

    for name in ('_cuda_emptyCache', '_accelerator_emptyCache'):
        original = getattr(torch._C, name, None)
        if original is not None:
            setattr(torch._C, name, telling(original))


class TheirHistory:
    """Stands before the functions by which a program begins, ends and reads PyTorch's history: they do as before, and our context function
    stays beside theirs. Only that is kept from it that is ours: the one entry that a history of ours must have."""

    def __init__(self, attached):
        self.attached, self.on, self.began = attached, False, 0
        for name in ('_cuda_record_memory_history', '_cuda_record_memory_history_legacy', '_cuda_memorySnapshot', '_cuda_isHistoryEnabled'):
            original = getattr(torch._C, name, None)
            if original is not None:
                setattr(torch._C, name, getattr(self, name)(original))

    def _watch(self):
        return self.attached.recording if isinstance(self.attached.recording, Watch) else None

    def _begin_first(self):
        """CUDA begins with the history; ours is to be there before it."""
        if not self.on:
            self.began = time.time_ns() // 1000
        if not torch.cuda.is_initialized() and not self.attached.cancelled:
            torch.cuda.init()

    def _cuda_record_memory_history(self, original):
        def _cuda_record_memory_history(enabled, context='all', stacks='all', max_entries=1, *rest, **named):
            self._begin_first()
            original(enabled, context, stacks, max_entries, *rest, **named)
            skipped = named.get('skip_actions', rest[3] if len(rest) > 3 else ())
            if len(rest) > 5 and not rest[5]:       # record_cuda=False: host memory only
                return
            when = {None: _NEVER, 'state': _STATE, 'alloc': _ALLOC, 'all': _ALL}.get(context, _ALL)
            self._theirs(enabled is not None, max_entries if enabled == 'all' else 1, when, b'a' if stacks == 'all' else b'p', skipped or ())
        return _cuda_record_memory_history

    def _cuda_record_memory_history_legacy(self, original):
        def _cuda_record_memory_history_legacy(enabled, record_context=True, max_entries=1, alloc_context=False, cpp=False, *rest, **named):
            self._begin_first()
            original(enabled, record_context, max_entries, alloc_context, cpp, *rest, **named)
            self._theirs(bool(enabled), max_entries, _ALLOC if alloc_context else _STATE if record_context else _NEVER, b'a' if cpp else b'p', ())
        return _cuda_record_memory_history_legacy

    def _theirs(self, on, entries, when, stacks, skipped):
        watch = self._watch()
        self.on = on
        if watch is not None:
            watch.history(max(int(entries), 1) if on else 0, when, stacks if on and when else b'n', skipped)

    def _cuda_memorySnapshot(self, original):
        def _cuda_memorySnapshot(*args, **named):
            snapshot = original(*args, **named)
            if self._watch() is not None and 'device_traces' in snapshot:
                snapshot['device_traces'] = [self._of_theirs(trace) for trace in snapshot['device_traces']]
            return snapshot
        return _cuda_memorySnapshot

    def _of_theirs(self, trace):
        """Without the entry that was ours."""
        ours = 0
        while self.on and ours < len(trace) and trace[ours].get('time_us', self.began) < self.began:
            ours += 1
        return trace[ours:] if self.on else []

    def _cuda_isHistoryEnabled(self, original):
        def _cuda_isHistoryEnabled():
            return self.on if self._watch() is not None else original()
        return _cuda_isHistoryEnabled
