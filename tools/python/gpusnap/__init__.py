"""gpusnap in Python: record GPU memory, and leave a dump that names the lines holding it when it runs out.

    import gpusnap.torch; gpusnap.torch.attach()     # PyTorch's own allocator, watched
    import gpusnap.torch; gpusnap.torch.use()        # the recording pool in its place
    import gpusnap.cupy;  gpusnap.cupy.use()
    python -m gpusnap run train.py …                 # attach() without touching the program

    gpusnap.step(7)                                  # what a program says of itself
    with gpusnap.tag('kv cache'): …
    gpusnap.dump('before evaluation')

    s = gpusnap.open('dump.gsnap')                   # and what a dump tells
    print(s.diagnose())
    s.holders().df()

Dumps go to $GPUSNAP_DIR (./gpusnap-dumps) and are read with the command `gpusnap` too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from ._version import release as _release
from .marking import dump, step, tag

if TYPE_CHECKING:
    from .library import Error, UsageError
    from .snapshots import Diagnosis, Picture, Snapshot, Source
    from .tables import Table

__all__ = ['Diagnosis', 'Error', 'Picture', 'Snapshot', 'Table', 'UsageError', 'dump', 'open', 'step', 'tag']
__version__ = _release()

# Analysis is imported when it is first asked for: a program that only records does not pay for it.
_HOMES = {'Diagnosis': 'snapshots', 'Error': 'library', 'Picture': 'snapshots', 'Snapshot': 'snapshots', 'Table': 'tables',
          'UsageError': 'library'}


def open(source: Source, number: int = 0, *, name: Optional[str] = None) -> Snapshot:
    """Reads a snapshot: a path, or the bytes of a file, of any kind that the command reads: .gsnap, PyTorch's pickles, JSON, the
    text of an error. number: which, in a file with several. name: what answers call bytes.

    FileNotFoundError where the path is not there; gpusnap.Error with .path and .reason where it cannot be read."""
    from .snapshots import Snapshot
    return Snapshot(source, number, name)


def load_ipython_extension(ipython: Any) -> None:
    """`%load_ext gpusnap` brings the magic `%gpusnap FILE [QUERY]`."""
    from . import notebook
    notebook.load(ipython)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        import importlib
        return getattr(importlib.import_module('.' + _HOMES[name], __name__), name)
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
