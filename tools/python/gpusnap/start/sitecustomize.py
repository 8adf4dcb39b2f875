"""Put before a program's Python path by `gpusnap run`: when the program imports torch, it is recorded. Then the sitecustomize that
would have run without us runs."""
import importlib.util
import os
import sys


def _chain(here):
    """The next sitecustomize on the path; where there is none, this module stays under that name."""
    ours = sys.modules.pop('sitecustomize', None)
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or '.') != here]
    if importlib.util.find_spec('sitecustomize') is not None:
        importlib.import_module('sitecustomize')
    elif ours is not None:
        sys.modules['sitecustomize'] = ours


def _start(here):
    """Our package under its own name, wherever it lies, without a place on the path; one that is installed goes first."""
    package = os.path.dirname(here)
    spec = importlib.util.find_spec('gpusnap') or importlib.util.spec_from_file_location(
        'gpusnap', os.path.join(package, '__init__.py'), submodule_search_locations=[package])
    if 'gpusnap' not in sys.modules:
        module = importlib.util.module_from_spec(spec)
        sys.modules['gpusnap'] = module
        spec.loader.exec_module(module)
    importlib.import_module('gpusnap.hook').install()


_here = os.path.dirname(os.path.abspath(__file__))
try:
    _start(_here)
except Exception as e:
    print(f'gpusnap: Python is not recorded: {type(e).__name__}: {e}', file=sys.stderr)
_chain(_here)
