"""gpusnap for PyTorch.

attach()          watch PyTorch's own allocator; a dump at each out-of-memory
use()             the recording pool as PyTorch's allocator (before the first CUDA call)
mem_pool()        a torch.cuda.MemPool whose segments come from the recording pool
dump()            a dump of the state now
memory_stats(), memory_summary()   what torch.cuda's tell, also under use()"""
from .torch_attach import attach
from .torch_use import mem_pool, memory_stats, memory_summary, use

__all__ = ['attach', 'use', 'mem_pool', 'dump', 'memory_stats', 'memory_summary']


def dump(path=None, device=None):
    """Writes a .gsnap of a device (default: the current one) now; returns its path. Such a dump tells of no failure: it is named
    dump-… and does not count against GPUSNAP_MAX_DUMPS."""
    import ctypes

    import torch
    from . import native, torch_attach, torch_use
    device = torch.cuda.current_device() if device is None else torch.device(device).index or 0
    if torch_use.in_use():
        written = ctypes.create_string_buffer(8192)
        native.check(native.lib.gpusnap_dump(device, None if path is None else str(path).encode(), written, len(written)))
        return written.value.decode(errors='replace')
    attached = torch_attach.attached()
    if attached is None or attached.recording is None:
        raise RuntimeError('gpusnap.torch: neither attach() nor use() was called' if attached is None else
                           'gpusnap.torch: nothing is recorded: PyTorch has not used CUDA yet, or its allocator cannot be watched')
    return attached.recording.write_dump(device, path=path)
