#!/usr/bin/env python3
"""What is said to grow of the programs of growth_loops.py, recorded anew by a real PyTorch on the pretend CUDA, held against what they keep.
usage: check_growth.py PYTHON BUILD [PROGRAM…]      KEEP=FOLDER in the environment: recordings as .gsnap with their truths, to become tests/data/growth"""
import glob
import json
import os
import pickle
import subprocess
import sys
import tempfile

from check_torch_env import prepare

python, build = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
here = os.path.dirname(os.path.abspath(__file__))
release, fake = prepare(python, build)
PATHS = {os.path.dirname(os.path.dirname(python)): '/opt/venv', here: '/srv/serve'}


def plain(path):
    """A path that does not tell where this was recorded."""
    for of, to in PATHS.items():
        path = path.replace(of, to)
    return path


def keep(folder, to):
    truths = {}
    for path in sorted(glob.glob(folder + '/*.pickle')):
        snapshot, name = pickle.load(open(path, 'rb')), os.path.basename(path)[:-7]
        stacks = [x for s in snapshot['segments'] for x in [s, *s['blocks']]] + [e for t in snapshot['device_traces'] for e in t]
        for x in stacks:
            for f in x.get('frames', []):
                f['filename'] = plain(f['filename'])
        pickle.dump(snapshot, open(path, 'wb'), protocol=4)
        subprocess.run([build + '/gpusnap', 'export', '-qf', '--format', 'gsnap', path, '-o', f'{to}/{name}.gsnap'], check=True)
        truths[name] = json.load(open(path[:-7] + '.truth.json'))
    with open(to + '/truths.json', 'w') as out:
        out.write('{\n' + ',\n'.join(f' {json.dumps(k)}: {json.dumps(v)}' for k, v in truths.items()) + '\n}\n')


with tempfile.TemporaryDirectory() as folder:
    env = {**os.environ, 'LD_PRELOAD': f'{fake}:{fake[:-3]}.nvml.so', 'FAKE_CUDA_MIB': '24000', 'FAKE_CUDA_EVENTS': 'lazy'}
    subprocess.run([python, here + '/growth_loops.py', folder, *sys.argv[3:]], env=env, check=True, stdout=subprocess.DEVNULL)
    status = subprocess.run([sys.executable, here + '/../meaning/check_growth.py', build + '/gpusnap', folder]).returncode
    if os.environ.get('KEEP'):
        keep(folder, os.environ['KEEP'])
sys.exit(status)
