"""attach() as soon as a program imports torch, without touching the program."""
import importlib.abc
import sys


class _Loader(importlib.abc.Loader):
    """Torch's own loader, and attach() when it is done."""

    def __init__(self, loader):
        self.loader = loader

    def __getattr__(self, name):
        return getattr(self.loader, name)

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
        try:
            from . import torch_attach
            torch_attach.attach()
        except Exception as e:      # the program goes on without
            print(f'gpusnap: PyTorch is not recorded: {type(e).__name__}: {e}', file=sys.stderr)


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name != 'torch':
            return None
        sys.meta_path.remove(self)
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if hasattr(finder, 'find_spec') else None
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Loader(spec.loader)
                return spec
        return None


def install():
    if 'torch' in sys.modules:
        from . import torch_attach
        torch_attach.attach()
    elif not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
