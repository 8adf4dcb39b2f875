"""attach(): watching PyTorch's own allocator."""
import os

import torch

from . import hook, preload, variables

_attached = None
NO_CACHING = 'PYTORCH_NO_CUDA_MEMORY_CACHING'


class Attached:
    """What attach() set up. recording: how PyTorch is watched, None before CUDA is in use, and where it cannot be."""

    def __init__(self, max_entries, stacks):
        self.max_entries, self.stacks = max_entries, stacks
        self.recording = None
        self.cancelled = False

    @property
    def dumps(self):
        return self.recording.dumps if self.recording else []

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
        from .torch_history import History
        return History(self.max_entries, self.stacks)


def _cannot_be_watched():
    """Why not, or None."""
    if NO_CACHING in os.environ:
        return f'{NO_CACHING} is set'
    backend = torch.cuda.memory.get_allocator_backend()
    if backend == 'native':
        return None
    return 'a pluggable allocator is in its place' if backend == 'pluggable' else f'backend:{backend}'


def attach(max_entries=None, stacks=None):
    """Records PyTorch's allocations (the last max_entries of a device; default GPUSNAP_EVENTS, 100000) with their stacks ('none', 'c',
    'python' or 'all'; default GPUSNAP_STACKS, 'python'), and writes a dump whenever it raises an out-of-memory error. Does not touch
    CUDA before the program does. Where PyTorch's allocator cannot be watched (another backend, a pluggable allocator, caching off) it
    says so once and steps aside."""
    global _attached
    if variables.disabled():
        return _attached
    if _attached is None:
        _attached = Attached(max_entries or variables.number('GPUSNAP_EVENTS', 100000, 1), stacks or variables.stacks())
        if torch.cuda.is_initialized():
            _attached.start()
        else:
            torch.cuda._lazy_call(_attached.start)
    elif _attached.recording is None:       # attached by `gpusnap run`: the program's own wishes come first
        _attached.max_entries, _attached.stacks = max_entries or _attached.max_entries, stacks or _attached.stacks
    return _attached


def attached():
    """What attach() returned, or None."""
    return _attached


def step_aside():
    """The recording pool takes the place of PyTorch's allocator: there is nothing to watch."""
    if _attached is not None:
        _attached.cancelled = True


hook.module_is_whole()
