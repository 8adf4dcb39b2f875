"""What `gpusnap run` has put into the process, if it has."""
import ctypes


def _function():
    try:
        return ctypes.CDLL(None).gpusnap_preload_leave_out
    except (OSError, AttributeError):
        return None


def present():
    return _function() is not None


def leave_out(*libraries):
    """Driver calls of these libraries (parts of their file names) are recorded by others: the preload leaves them out."""
    f = _function()
    for library in libraries if f is not None else ():
        f(library.encode())
