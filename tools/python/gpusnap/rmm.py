"""gpusnap for RMM: the recording pool as a memory resource.

    import rmm, gpusnap.rmm
    rmm.mr.set_current_device_resource(gpusnap.rmm.resource())"""
import ctypes

import rmm

from . import native


def _handle(stream):
    """The CUDA handle behind what RMM passes: nothing, a number, or a stream object."""
    if stream is None or isinstance(stream, int):
        return stream
    return stream.__cuda_stream__()[1] if hasattr(stream, '__cuda_stream__') else getattr(stream, 'value', lambda: None)()


def resource(device=0, **settings):
    """A CallbackMemoryResource over the recording pool of that device. settings: those of gpusnap_config. A failure raises MemoryError
    after the dump is written."""
    if native.lib.gpusnap_devices() == 0:
        native.open_recorder(**settings)

    def allocate(size, stream=None):
        ptr = ctypes.c_void_p()
        status = native.lib.gpusnap_malloc(device, size, _handle(stream), ptr)
        if status == native.OUT_OF_MEMORY:
            raise MemoryError(native.lib.gpusnap_error().decode(errors='replace'))
        native.check(status)
        return ptr.value or 0

    def deallocate(ptr, size, stream=None):
        native.check(native.lib.gpusnap_free(device, ptr))

    return rmm.mr.CallbackMemoryResource(allocate, deallocate)
