"""What stands between the user's PyTorch and our library in C++: brought compiled by the wheel for the releases that it knows
(torch_prebuilt), else compiled here, once for each release, and kept in the user's cache folder."""
import ctypes
import hashlib
import os
import pathlib
import shutil
import subprocess
import sysconfig
import tempfile

import torch

from . import native, torch_prebuilt, variables

_HERE = pathlib.Path(__file__).resolve().parent


class CannotCompile(RuntimeError):
    pass


def _cache():
    base = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
    folder = pathlib.Path(base) / 'gpusnap'
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    return pathlib.Path(tempfile.mkdtemp(prefix='gpusnap-'))


def _brought():
    """What the package brings compiled, for a message about a PyTorch that is not among it."""
    known = torch_prebuilt.releases()
    return f'; gpusnap brings its hooks compiled for torch {known[0]} to {known[-1]}, and this is {torch.__version__}' if known else ''


def _compiler():
    found = next((c for c in (os.environ.get('CXX'), 'c++', 'g++', 'clang++') if c and shutil.which(c)), None)
    if found is None:
        raise CannotCompile('no C++ compiler is found (c++, g++ or clang++, or $CXX)' + _brought())
    return found


def _header():
    """The folder of gpusnap.h: in the package, or in the source tree."""
    for folder in (_HERE, _HERE.parent.parent.parent / 'recorder'):
        if (folder / 'gpusnap.h').exists():
            return folder
    raise CannotCompile('gpusnap.h is not in the package')


def _cuda_headers():
    """Where cuda_runtime_api.h is: CUDA_HOME, the wheels that PyTorch needs, the toolkit."""
    site = pathlib.Path(torch.__file__).resolve().parent.parent
    version = (torch.version.cuda or '').split('.')[0]
    places = [pathlib.Path(os.environ[v]) / 'include' for v in ('CUDA_HOME', 'CUDA_PATH') if os.environ.get(v)]
    places += [site / 'nvidia' / f'cu{version}' / 'include', site / 'nvidia' / 'cuda_runtime' / 'include']
    places += [pathlib.Path(sysconfig.get_path('purelib')) / 'nvidia' / 'cuda_runtime' / 'include', pathlib.Path('/usr/local/cuda/include')]
    for place in places:
        if (place / 'cuda_runtime_api.h').exists():
            return place
    raise CannotCompile('cuda_runtime_api.h is not found (set CUDA_HOME)')


def _run(command, source):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode and 'C++20' in done.stderr and '-std=c++17' in command:      # headers of later releases
        command[command.index('-std=c++17')] = '-std=c++20'
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        log = _cache() / (pathlib.Path(source).stem + '.log')
        log.write_text(' '.join(command) + '\n' + done.stderr)
        raise CannotCompile(f'{command[0]} cannot compile {source} for torch {torch.__version__}; its words are in {log}{_brought()}')


def build(name, libraries, cuda=False):
    """The path of the library made of the source NAME.cpp, linked with PyTorch's libraries and our own. CannotCompile."""
    source, library = _HERE / f'{name}.cpp', pathlib.Path(native.path).resolve()
    parts = [torch.__version__, str(library), source.read_text(), *libraries]
    if cuda:
        parts += [(_header() / 'gpusnap.h').read_text(), *(header.read_text() for header in sorted(_HERE.glob('torch_*.h')))]
    key = hashlib.sha256('\0'.join(parts).encode()).hexdigest()[:16]
    target = _cache() / f'libgpusnap-{name}-{key}.so'
    if target.exists():
        return str(target)
    root = pathlib.Path(torch.__file__).parent
    compiler, part = _compiler(), target.with_suffix(f'.{os.getpid()}.part')
    newer = tuple(int(n) for n in torch.__version__.split('+')[0].split('.')[:2] if n.isdigit()) >= (2, 12)
    command = [compiler, '-shared', '-fPIC', '-O2', '-w', '-std=c++20' if cuda and newer else '-std=c++17',
               f'-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}', f'-I{root}/include']
    if cuda:
        command += [f'-I{_header()}', f'-I{_cuda_headers()}']
        variables.say(f'compiling its hooks for torch {torch.__version__}, this once')
    command += [str(source), '-o', str(part), f'-L{root}/lib', *(f'-l{name}' for name in libraries), str(library),
                f'-Wl,-rpath,{root}/lib', f'-Wl,-rpath,{library.parent}']
    _run(command, source.name)
    os.replace(part, target)
    return str(target)


def load(name, libraries, cuda=False):
    """(the library, its path). CannotCompile where it is neither brought nor can be compiled."""
    ready = torch_prebuilt.library(name, _cache())
    if ready is not None:
        try:
            return ctypes.CDLL(ready), ready
        except OSError as e:
            variables.say(f'the hooks that gpusnap brings for torch {torch_prebuilt.kind()} do not load ({e}): they are compiled here')
    path = build(name, libraries, cuda)
    try:
        return ctypes.CDLL(path), path
    except OSError as e:
        raise CannotCompile(str(e)) from None
