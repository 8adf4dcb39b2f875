"""Run by `gpusnap run` in every Python program, before its own first line: `folder` is where this package lies. Of what the program
sees, only sys.meta_path has two entries more; the package itself is loaded when torch or gpusnap is looked for."""
import sys


def _spec(name, folder):
    import importlib.util
    import os
    return importlib.util.spec_from_file_location(name, os.path.join(folder, '__init__.py'), submodule_search_locations=[folder])


class _Package:
    """Last in sys.meta_path: what is run may `import gpusnap`, for steps and tags, though nobody put the package where Python looks."""

    def __init__(self, folder):
        self.folder = folder

    def find_spec(self, name, path=None, target=None):
        return _spec(name, self.folder) if name == 'gpusnap' else None


def _package(folder):
    """The name of our package: the one that is imported, else the one that is installed, else the one in the folder; under another
    name where the program has something else called gpusnap."""
    import importlib.util
    import os

    def ours(spec):
        return spec is not None and any(os.path.exists(os.path.join(place, 'hook.py')) for place in spec.submodule_search_locations or ())

    found, spec = sys.modules.get('gpusnap'), None
    if found is not None:
        spec = getattr(found, '__spec__', None)
    else:
        try:
            spec = importlib.util.find_spec('gpusnap')
        except (ImportError, ValueError):
            pass
    if ours(spec):
        return 'gpusnap'
    name = 'gpusnap' if spec is None and found is None else '_gpusnap'
    spec = _spec(name, folder)
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    return name


def _hook(folder):
    """Our package's hook, at work; None, and a line, where that fails: the program goes on without."""
    try:
        import importlib
        hook = importlib.import_module(_package(folder) + '.hook')
        hook.install()
        return hook
    except Exception as e:
        print(f'gpusnap: PyTorch is not recorded: {type(e).__name__}: {e}', file=sys.stderr)
        return None


class _Start:
    """In sys.meta_path until torch is looked for; then the hook's own finder stands there."""

    def __init__(self, folder):
        self.folder = folder

    def find_spec(self, name, path=None, target=None):
        if name != 'torch':
            return None
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        hook = _hook(self.folder)
        return hook and hook.find_spec(name, path, target)


def begin(folder):
    sys.meta_path.append(_Package(folder))
    if 'torch' in sys.modules:
        _hook(folder)
    else:
        sys.meta_path.insert(0, _Start(folder))
