"""Glue that the wheel brings compiled: gpusnap/torch_prebuilt.zip holds RELEASE-abiN/NAME.so for the releases of PyTorch that were known,
by their first two numbers, for within those the headers stay as they are. A release that is not among them is compiled for."""
import hashlib
import os
import pathlib
import re
import zipfile

import torch

ARCHIVE = pathlib.Path(__file__).resolve().parent / 'torch_prebuilt.zip'
_RELEASED = re.compile(r'(\d+\.\d+)\.\d+(?:\+(?:cu\d+|cpu)(?:\..*)?)?')     # not 2.6.0a0+…, whose headers may be any


def kind():
    """The archive's folder for this PyTorch; None where it is no released one with CUDA."""
    found = _RELEASED.fullmatch(torch.__version__)
    return f'{found[1]}-abi{int(torch._C._GLIBCXX_USE_CXX11_ABI)}' if found and torch.version.cuda else None


def releases():
    """The releases that the archive has glue for, the oldest first; none where there is no archive."""
    try:
        with zipfile.ZipFile(ARCHIVE) as archive:
            found = {name.split('-abi')[0] for name in archive.namelist()}
    except (OSError, zipfile.BadZipFile):
        return []
    return sorted(found, key=lambda release: tuple(map(int, release.split('.'))))


def library(name, folder):
    """The path of the library NAME for this PyTorch, unpacked into folder; None where the archive has none."""
    try:
        with zipfile.ZipFile(ARCHIVE) as archive:
            data = archive.read(f'{kind()}/{name}.so')
    except (OSError, KeyError, zipfile.BadZipFile):
        return None
    target = pathlib.Path(folder) / f'libgpusnap-{name}-{hashlib.sha256(data).hexdigest()[:16]}.so'
    if not target.exists():
        part = target.with_suffix(f'.{os.getpid()}.part')
        part.write_bytes(data)
        os.replace(part, target)
    return str(target)
