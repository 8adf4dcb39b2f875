"""gpusnap for CuPy: the recording pool as its allocator."""
import ctypes

import cupy

from . import native

_MALLOC = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
_FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
_kept = None


def _malloc(_, size, device):
    """CuPy passes no stream: the current one is read here."""
    ptr = ctypes.c_void_p()
    stream = cupy.cuda.get_current_stream().ptr
    return ptr.value if native.lib.gpusnap_malloc(device, size, stream, ptr) == native.OK else None


def _free(_, ptr, device):
    native.lib.gpusnap_free(device, ptr)


def use(**settings):
    """Makes the recording pool CuPy's allocator. settings: those of gpusnap_config, e.g. dir, stacks, conf. A failure raises CuPy's
    OutOfMemoryError after the dump is written."""
    global _kept
    if _kept is not None:
        return
    native.open_recorder(**settings)
    callbacks = _MALLOC(_malloc), _FREE(_free)
    addresses = [ctypes.cast(c, ctypes.c_void_p).value for c in callbacks]
    allocator = cupy.cuda.CFunctionAllocator(0, *addresses, callbacks)

    def malloc(size):
        memory = allocator.malloc(size)
        if size and not memory.ptr:
            device = cupy.cuda.Device().id
            used = native.stats(device)['allocated_bytes.all.current']
            raise cupy.cuda.memory.OutOfMemoryError(size, used, cupy.cuda.Device().mem_info[1])
        return memory

    _kept = allocator, callbacks, malloc
    cupy.cuda.set_allocator(malloc)
