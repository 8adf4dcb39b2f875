#!/usr/bin/env python3
"""The glue of PyTorch that a wheel brings: complete, for any Linux with glibc 2.28, with nothing that ties it to one C++ library.
usage: check_glue.py WHEEL PROCESSOR RELEASES; RELEASES as in tools/package/rules.mk, for which there is glue of each kind.
Needs readelf. Prints what is wrong; exit 0 where nothing is, 77 where the wheel brings none."""
import io
import re
import subprocess
import sys
import tempfile
import zipfile

wheel, processor, *releases = sys.argv[1:]
LIBRARIES = ('torch_glue.so', 'torch_use.so', 'torch_watch.so')
NEEDED = {'libc10.so', 'libc10_cuda.so', 'libtorch_cpu.so', 'libtorch_cuda.so', 'libgpusnap.so.1', 'libc.so.6', 'libdl.so.2', 'libpthread.so.0',
          'libm.so.6', 'ld-linux-x86-64.so.2', 'ld-linux-aarch64.so.1'}
MACHINE = {'x86_64': 'X86-64', 'aarch64': 'AArch64'}[processor]

with zipfile.ZipFile(wheel) as w:
    if 'gpusnap/torch_prebuilt.zip' not in w.namelist():
        sys.exit(77)
    archive = zipfile.ZipFile(io.BytesIO(w.read('gpusnap/torch_prebuilt.zip')))
minors = {'.'.join(r.split('.')[:2]) for r in releases}
kinds = {f'{m}-abi1' for m in minors} | {'2.6-abi0'}
wrong = sorted({f'{k}/{n}' for k in kinds for n in LIBRARIES} ^ set(archive.namelist()))
for name in archive.namelist():
    with tempfile.NamedTemporaryFile(suffix='.so') as f:
        f.write(archive.read(name))
        f.flush()
        told = subprocess.run(['readelf', '-hdWV', '--dyn-syms', f.name], capture_output=True, text=True, check=True).stdout
    needed = set(re.findall(r'\(NEEDED\).*\[(.*)\]', told))
    glibc = [tuple(map(int, v.split('.'))) for v in re.findall(r'Name: GLIBC_([\d.]+)', told)]
    versions = set(re.findall(r'Name: (?!GLIBC_)(\S+)', told))
    entry = {'torch_glue.so': 'gpusnap_torch_alloc', 'torch_use.so': 'gpusnap_torch_use', 'torch_watch.so': 'gpusnap_torch_watch'}[name.split('/')[1]]
    undefined = re.findall(r' UND (\S*(?:__libc_single_threaded|__throw_bad_array_new_length)\S*)', told)
    # std::string of C++11 shows in the names of what takes one
    new_strings = '__cxx11' in told
    for bad, what in ((not re.search(rf'Machine:.*{MACHINE}', told), 'another processor'), (needed - NEEDED, f'needs {needed - NEEDED}'),
                      (glibc and max(glibc) > (2, 28), f'glibc {max(glibc, default=0)}'), (versions, f'versions {versions}'),
                      (f' {entry}\n' not in told, f'{entry} is not there'), (undefined, f'newer symbols {undefined}'),
                      (new_strings != name.split('/')[0].endswith('abi1'), 'the other ABI')):
        if bad:
            wrong.append(f'{name}: {what}')
print('\n'.join(wrong))
sys.exit(bool(wrong))
