"""attach() as soon as a program imports torch, without touching the program.

The finder stays in sys.meta_path until torch has run: a program may look for torch without importing it (importlib.util.find_spec),
import it lazily, or import it again. Loaders keep their class; only the one that will run torch learns to call us afterwards."""
import sys

_due = False        # torch was imported by our own module: attach() when that is whole


def _attach():
    global _due
    watching = sys.modules.get(__package__ + '.torch_attach')
    if watching is not None and not hasattr(watching, 'attach'):
        _due = True
        return
    from . import torch_attach
    torch_attach.attach()


def _attach_or_say():
    try:
        _attach()
    except Exception as e:      # the program goes on without
        print(f'gpusnap: PyTorch is not recorded: {type(e).__name__}: {e}', file=sys.stderr)


def module_is_whole():
    """Called at the end of torch_attach, which may have been the first to import torch."""
    global _due
    if _due:
        _due = False
        _attach_or_say()


def _tell_when_run(loader):
    """Makes that loader call us after it has run the module."""
    run = getattr(loader, 'exec_module', None)
    if run is None:
        return

    def exec_module(module):
        run(module)
        _attach_or_say()

    try:
        loader.exec_module = exec_module
    except AttributeError:
        print('gpusnap: PyTorch is not recorded: its loader cannot be followed', file=sys.stderr)


def find_spec(name, path=None, target=None):
    """torch as the other finders find it."""
    for finder in list(sys.meta_path):
        if isinstance(finder, _Finder) or not hasattr(finder, 'find_spec'):
            continue
        spec = finder.find_spec(name, path, target)
        if spec is not None:
            if spec.loader is not None:
                _tell_when_run(spec.loader)
            return spec
    return None


class _Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return find_spec(name, path, target) if name == 'torch' else None


def install():
    if 'torch' in sys.modules:
        _attach_or_say()
    elif not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
