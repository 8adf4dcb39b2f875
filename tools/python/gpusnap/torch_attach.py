"""attach(): watching PyTorch's own allocator."""
import ctypes
import os

import torch

from . import hook, native, preload, torch_build, torch_history, variables

_attached = None
NO_CACHING = 'PYTORCH_NO_CUDA_MEMORY_CACHING'
_BY_SIGNAL = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_int)


class Attached:
    """What attach() set up. recording: how PyTorch is watched (torch_watch.Watch, else torch_history.History), None before CUDA is in use,
    and where it cannot be."""

    def __init__(self, max_entries, stacks, stream=None):
        from .torch_watch import TheirHistory, tell_empty_cache
        self.max_entries, self.stacks, self.stream = max_entries, stacks, stream
        self.recording, self.cancelled = None, False
        self._by_signal = _BY_SIGNAL(self._dump_by_signal)
        # from now on, so that the signal never kills, and what is tagged first has its tag
        native.open_watch(self._by_signal, events=max_entries, stacks=stacks or (None if variables.is_set('GPUSNAP_STACKS') else 'python'),
                          stream=stream)
        self.theirs = TheirHistory(self)
        tell_empty_cache(self)

    @property
    def dumps(self):
        return self.recording.dumps if self.recording else []

    def _dump_by_signal(self, device, reason):
        """On a thread of the recorder's."""
        try:
            if self.recording is not None:
                self.recording.write_dump(device, reason=reason)
        except Exception as e:
            variables.say(f'no dump: {e}')

    def start(self):
        """When PyTorch begins to use CUDA. Nothing may get out of here: the program goes on without us."""
        if self.cancelled or self.recording:
            return
        why = _cannot_be_watched()
        if why is None:
            try:
                self.recording = self._begin()
                preload.leave_out('libc10_cuda', 'libtorch_cuda')     # PyTorch tells itself what it asks of the driver
                return
            except Exception as e:
                why = f'{type(e).__name__}: {str(e).splitlines()[0] if str(e) else ""}'
        variables.say(f'PyTorch\'s allocator cannot be watched ({why}): ' + (
            'its calls to the driver are recorded instead' if preload.present() else
            'nothing is recorded; under `gpusnap run` its calls to the driver would be'))

    def _begin(self):
        """Through the hooks in C++; where these cannot be compiled, or the program's own history is on already, through PyTorch's
        history in Python."""
        from .torch_watch import Watch
        try:
            if torch_history.is_on():
                why = 'the program records PyTorch\'s history itself'
            else:
                return Watch.load().begin()
        except torch_build.CannotCompile as e:
            why = str(e)
        variables.say(f'PyTorch is watched through its history in Python, where a dump takes seconds: {why}')
        if self.stream or variables.is_set('GPUSNAP_STREAM'):
            variables.say('the whole run is not recorded: that takes the hooks')
        return torch_history.History(self.max_entries, self.stacks)


def _cannot_be_watched():
    """Why not, or None."""
    if NO_CACHING in os.environ:
        return f'{NO_CACHING} is set'
    backend = torch.cuda.memory.get_allocator_backend()
    if backend == 'native':
        return None
    return 'a pluggable allocator is in its place' if backend == 'pluggable' else f'backend:{backend}'


def attach(max_entries=None, stacks=None, stream=None):
    """Records PyTorch's allocations (the last max_entries of a device; default GPUSNAP_EVENTS, 100000) with their stacks ('none', 'c',
    'python' or 'all'; default GPUSNAP_STACKS, 'python'), and writes a dump whenever it raises an out-of-memory error. stream: a file
    (a pattern as in GPUSNAP_STREAM) that gets every event of the run, to be looked at while it grows. Does not touch CUDA before the program does, and leaves PyTorch's own history to the program. Where PyTorch's allocator cannot be watched (another
    backend, a pluggable allocator, caching off) it says so once and steps aside."""
    global _attached
    if variables.disabled():
        return _attached
    if _attached is None:
        stream = None if stream is None else os.fspath(stream)
        _attached = Attached(max_entries, stacks, stream)
        if torch.cuda.is_initialized():
            _attached.start()
        else:
            torch.cuda._lazy_call(_attached.start)
    elif any(value is not None and value != was for value, was in (
            (max_entries, _attached.max_entries), (stacks, _attached.stacks), (stream and os.fspath(stream), _attached.stream))):
        variables.say('attach() was called before (`gpusnap run` does it): what it was told then holds')
    return _attached


def attached():
    """What attach() returned, or None."""
    return _attached


def step_aside():
    """The recording pool takes the place of PyTorch's allocator: there is nothing to watch."""
    if _attached is not None and not _attached.cancelled and _attached.recording is None:
        _attached.cancelled = True
        native.lib.gpusnap_watch_close()


hook.module_is_whole()
