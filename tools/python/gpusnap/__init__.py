"""gpusnap in Python: record GPU memory, and leave a dump that names the lines holding it when it runs out.

    import gpusnap.torch; gpusnap.torch.attach()     # PyTorch's own allocator, watched
    import gpusnap.torch; gpusnap.torch.use()        # the recording pool in its place
    import gpusnap.cupy;  gpusnap.cupy.use()
    python -m gpusnap run train.py …                 # attach() without touching the program

    gpusnap.step(7)                                  # what a program says of itself
    with gpusnap.tag('kv cache'): …
    gpusnap.dump('before evaluation')

Dumps go to $GPUSNAP_DIR (./gpusnap-dumps) and are read with the command `gpusnap`."""

from ._version import release as _release
from .marking import dump, step, tag

__all__ = ['dump', 'step', 'tag']
__version__ = _release()
