"""What a program says of itself: its steps, and tags for what it allocates. Nothing happens where nothing is recorded, and nothing is
imported for it: a library may call these without making its users pay."""
import contextlib
import sys


def _native():
    """The recorder's library, if the program has loaded it."""
    return sys.modules.get(__package__ + '.native')


def step(number):
    """A step of the program begins, and ends the one before: queries, plots and leaks are then told step by step."""
    native, number = _native(), int(number)
    if native is not None:
        native.lib.gpusnap_step(number)


@contextlib.contextmanager
def tag(name):
    """Allocations of this thread carry that name, inside `with gpusnap.tag('kv'):`, or in a function decorated `@gpusnap.tag('kv')`."""
    native = _native()
    pushed = native is not None and native.lib.gpusnap_push_tag(str(name).encode()) == native.OK
    try:
        yield
    finally:
        if pushed:
            native.lib.gpusnap_pop_tag()


def dump(reason=None, device=None):
    """Writes a dump of the state now and returns its path; reason: a few words for why, kept among the dump's annotations. None where
    nothing is recorded."""
    native = _native()
    torch = sys.modules.get(__package__ + '.torch')
    if native is None:
        return None
    if reason is not None:
        native.lib.gpusnap_annotate(str(reason).encode(), None)
    if torch is not None:
        return torch.dump(device=device)
    if not native.lib.gpusnap_devices():
        return None
    import ctypes
    written = ctypes.create_string_buffer(8192)
    native.check(native.lib.gpusnap_dump(device or 0, None, written, len(written)))
    return written.value.decode(errors='replace')
