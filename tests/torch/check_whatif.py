#!/usr/bin/env python3
"""gpusnap whatif held against the truth: a loop is recorded once by a real PyTorch on the pretend CUDA, what-if foretells it under other
settings and capacities, and the same loop is really run under each. usage: check_whatif.py PYTHON BUILD
Ends with `whatif RELEASE: N passed, N failed`."""
import json
import os
import subprocess
import sys
import tempfile

from check_torch_env import prepare

python, build = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
here = os.path.dirname(os.path.abspath(__file__))
release, fake = prepare(python, build)
SETTINGS = ('', 'expandable_segments:True', 'max_split_size_mb:64', 'roundup_power2_divisions:4', 'garbage_collection_threshold:0.6')
LOOPS = (('train', 12, (80000, 420, 300)), ('serve', 60, (80000, 2600, 1800)))


def run(mode, steps, capacity, conf, snapshot=''):
    env = {**os.environ, 'LD_PRELOAD': f'{fake}:{fake[:-3]}.nvml.so', 'FAKE_CUDA_MIB': str(capacity), 'PYTORCH_CUDA_ALLOC_CONF': conf, 'SNAPSHOT': snapshot}
    p = subprocess.run([python, here + '/loop.py', mode, str(steps)], capture_output=True, text=True, env=env, check=True)
    return json.loads(p.stdout.strip().splitlines()[-1])


def foretell(snapshot, capacity):
    confs = [word for conf in SETTINGS for word in ('--conf', conf)]
    p = subprocess.run([build + '/gpusnap', 'whatif', snapshot, '--json', '--capacity', f'{capacity}MiB', '--rules', release.split('+')[0], *confs],
                       capture_output=True, text=True)
    assert p.returncode == 0, p.stderr
    return json.loads(p.stdout)['rows']


good = bad = 0
for mode, steps, capacities in LOOPS:
    snapshot = tempfile.mkdtemp() + '/recording.pickle'
    run(mode, steps, 80000, '', snapshot)
    for capacity in capacities:
        for conf, told in zip(SETTINGS, foretell(snapshot, capacity)):
            real = run(mode, steps, capacity, conf)
            want = {'fits': not real['failed'], **{k: real[k] for k in ('peak_reserved', 'retries', 'allocations')}}
            got = {'fits': bool(told['fits']), **{k: told[k] for k in ('peak_reserved', 'retries', 'allocations')}}
            if want == got:
                good += 1
            else:
                bad += 1
                print(f'whatif {release}: FAILED {mode} {capacity} MiB {conf!r}: real {want}, foretold {got}')
print(f'whatif {release}: {good} passed, {bad} failed')
sys.exit(bad > 0)
