#!/usr/bin/env python3
"""What half the batch would need, as `whatif --scale activation=0.5` foretells it from a recording of the whole one, held against the
same training loop really run with half: each program of meaning_loops.py and meaning_more.py, and of ../shared/meaning/loops.py where
that is there. By a real PyTorch on the pretend CUDA. usage: check_batch.py PYTHON BUILD [PROGRAM…]
Ends with `batch RELEASE: N passed, N failed`."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

from check_torch_env import prepare

python, build = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
here = os.path.dirname(os.path.abspath(__file__))
release, fake = prepare(python, build)
OWN = here + '/meaning_loops.py', here + '/meaning_more.py'
MORE = os.path.join(here, '../../../shared/meaning/loops.py')
ALLOWED = 0.05


def programs():
    for loops in OWN:
        own = re.search(r'^programs = dict\((.*?)\)', open(loops).read(), re.M | re.S)[1]
        yield from ((loops, name) for name in re.findall(r'(\w+)=', own))
    if os.path.exists(MORE):
        yield from ((MORE, name) for name in re.search(r'^PROGRAM: (.*)', open(MORE).read(), re.M)[1].split())


def record(loops, program, batch, folder):
    out = f'{folder}/{program}-{batch}'
    env = {**os.environ, 'LD_PRELOAD': f'{fake}:{fake[:-3]}.nvml.so', 'FAKE_CUDA_MIB': '24000', 'FAKE_CUDA_EVENTS': 'lazy', 'BATCH': str(batch)}
    subprocess.run([python, loops, program, 'end3', 'python', out], env=env, check=True, capture_output=True, timeout=300)
    return out + '.pickle'


def peak(snapshot, *options):
    p = subprocess.run([build + '/gpusnap', 'whatif', '-q', '--json', snapshot, *options], capture_output=True, text=True)
    assert p.returncode == 0, p.stderr
    return json.loads(p.stdout)['rows'][0]['peak_reserved']


good = bad = 0
with tempfile.TemporaryDirectory() as folder:
    for loops, program in programs():
        if sys.argv[3:] and program not in sys.argv[3:]:
            continue
        told = peak(record(loops, program, 1, folder), '--scale', 'activation=0.5')
        real = peak(record(loops, program, 0.5, folder))
        fits = abs(told / real - 1) <= ALLOWED
        good, bad = good + fits, bad + (not fits)
        if not fits or os.environ.get('V'):
            print('%-14s foretold %.1f MiB, was %.1f: %.3f' % (program, told / 2**20, real / 2**20, told / real))
        for f in glob.glob(folder + '/*'):
            os.remove(f)
print(f'batch {release}: {good} passed, {bad} failed')
sys.exit(bad != 0)
