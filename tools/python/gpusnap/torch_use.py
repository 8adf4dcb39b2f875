"""The recording pool as PyTorch's allocator."""
import ctypes
import functools
import types

import torch

from . import native, preload, torch_attach, torch_build, variables

_glue = None        # the compiled glue, its path
_in_use = False


def in_use():
    return _in_use


def _load_glue():
    global _glue
    if _glue is None:
        try:
            _glue = torch_build.load('torch_glue', ('c10',))
        except torch_build.CannotCompile as e:
            raise RuntimeError(f'gpusnap.torch.use(): {e}; without it an out-of-memory cannot become torch.OutOfMemoryError. '
                               'gpusnap.torch.attach() can do without.') from None
    return _glue


def _address(name):
    return ctypes.cast(getattr(_load_glue()[0], name), ctypes.c_void_p).value


def _install_whole(library):
    library.gpusnap_torch_use.restype = ctypes.c_char_p
    why = library.gpusnap_torch_use()
    if why is not None:
        raise RuntimeError('gpusnap.torch.use(): ' + why.decode(errors='replace'))


def _install_pluggable():
    allocator = torch.cuda.memory.CUDAPluggableAllocator(_load_glue()[1], 'gpusnap_torch_alloc', 'gpusnap_torch_free')
    inner = allocator.allocator()
    inner.set_record_stream_fn(_address('gpusnap_torch_record_stream'))
    inner.set_reset_fn(_address('gpusnap_torch_reset'))
    inner.set_memory_fraction_fn(_address('gpusnap_torch_fraction'))
    inner.set_base_alloc_fn(_address('gpusnap_torch_base'))
    inner.set_begin_allocate_to_pool(_address('gpusnap_torch_begin'))
    inner.set_end_allocate_to_pool_fn(_address('gpusnap_torch_end'))
    inner.set_release_pool(_address('gpusnap_torch_release'))
    torch.cuda.memory.change_current_allocator(allocator)


def _whole_or_pluggable():
    """What puts the pool into PyTorch's place: with all that PyTorch's own allocator answers, else, without CUDA's headers, with
    what a pluggable allocator can."""
    try:
        library, _ = torch_build.load('torch_use', ('c10', 'c10_cuda', 'torch_cpu', 'torch_cuda'), cuda=True)
        return lambda: _install_whole(library)
    except torch_build.CannotCompile as e:
        _load_glue()
        variables.say(f'torch.cuda.memory_stats() and its like do not work under use(): {e}')
        return _install_pluggable


def _configure(text, refused=False):
    """The recording pool's settings from now on, as PyTorch has just read them. refused: PyTorch raised, with what stands before the fault
    set already; so does our pool."""
    for device in range(native.lib.gpusnap_devices()):
        if native.lib.gpusnap_configure(device, text.encode()) and not refused:
            why = native.lib.gpusnap_error().decode(errors='replace')
            variables.say(f'under use() the allocator settings {text!r} have no effect: {why}')


def _follow_settings():
    """What a program sets later is told to PyTorch's own allocator alone, by these functions: ours is told as well."""
    for name in ('_cuda_cudaCachingAllocator_set_allocator_settings', '_accelerator_setAllocatorSettings'):
        original = getattr(torch._C, name, None)
        if original is None:
            continue

        def follow(text, original=original):
            try:
                result = original(text)
            except Exception:
                _configure(str(text), refused=True)
                raise
            _configure(text)
            return result
        setattr(torch._C, name, functools.wraps(original)(follow))


def use(conf=None, rules=None, **settings):
    """Makes the recording pool PyTorch's allocator, with the rules of this release. Before anything was allocated on a GPU.
    conf: allocator settings (default: the variables PyTorch reads); what _set_allocator_settings sets later holds too. settings: others of gpusnap_config, e.g. dir, stacks, depth,
    stream (a file that gets every event of the run)."""
    global _in_use
    if _in_use or variables.disabled():
        return
    if torch.cuda.is_initialized():
        raise RuntimeError('gpusnap.torch.use() comes too late: CUDA is initialised already; call it right after `import torch`')
    install = _whole_or_pluggable()
    torch_attach.step_aside()
    native.open_recorder(conf=conf, rules=rules or torch.__version__.split('+')[0], **settings)
    install()
    _follow_settings()
    preload.leave_out('libgpusnap.so')      # the pool records what it asks of the driver
    _in_use = True


def mem_pool(**settings):
    """A torch.cuda.MemPool whose segments the recording pool serves; the native allocator stays on top of it."""
    path = _load_glue()[1]
    if not _in_use and native.lib.gpusnap_devices() == 0:
        native.open_recorder(**settings)
    allocator = torch.cuda.memory.CUDAPluggableAllocator(path, 'gpusnap_torch_alloc_or_null', 'gpusnap_torch_free')
    pool = torch.cuda.MemPool(allocator.allocator())
    pool._gpusnap_allocator = allocator     # the pool does not keep it
    return pool


def memory_stats(device=None):
    """As torch.cuda.memory_stats(); under use(), the recording pool's."""
    if not _in_use:
        return torch.cuda.memory_stats(device)
    index = torch.cuda.current_device() if device is None else torch.device(device).index or 0 if not isinstance(device, int) else device
    return native.stats(index)


def memory_summary(device=None, abbreviated=False):
    """As torch.cuda.memory_summary(); under use(), the recording pool's."""
    if not _in_use:
        return torch.cuda.memory_summary(device, abbreviated)
    theirs = torch.cuda.memory.memory_summary
    ours = types.FunctionType(theirs.__code__, {**theirs.__globals__, 'memory_stats': memory_stats}, theirs.__name__, theirs.__defaults__)
    return ours(device, abbreviated)
