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
LOOPS = (('train', 12, (80000, 420, 300)), ('serve', 60, (80000, 2600, 1800)), ('empties', 60, (80000, 1200)))


# what it rests on: PyTorch's history does not tell of calls of empty_cache() that gave nothing back, our stream does
TOLD = {'train': ('SNAPSHOT',), 'serve': ('SNAPSHOT',), 'empties': ('SNAPSHOT', 'STREAM')}
package = os.path.dirname(os.path.dirname(here)) + '/tools/python'


def run(mode, steps, capacity, conf, **how):
    env = {**os.environ, 'LD_PRELOAD': f'{fake}:{fake[:-3]}.nvml.so', 'FAKE_CUDA_MIB': str(capacity), 'PYTORCH_CUDA_ALLOC_CONF': conf,
           'PYTHONPATH': package, 'GPUSNAP_LIBRARY': build + '/libgpusnap.so.1', **how}
    p = subprocess.run([python, here + '/loop.py', mode, str(steps)], capture_output=True, text=True, env=env, check=True)
    return json.loads(p.stdout.strip().splitlines()[-1])


def foretell(recording, capacity):
    confs = [word for conf in SETTINGS for word in ('--conf', conf)]
    p = subprocess.run([build + '/gpusnap', 'whatif', recording, '--json', '--capacity', f'{capacity}MiB', '--rules', release.split('+')[0], *confs],
                       capture_output=True, text=True)
    assert p.returncode == 0, p.stderr
    return json.loads(p.stdout)['rows']


def compare(mode, by, capacity, conf, real, told):
    """Only a row that is not called exact may be wrong, and only of calls that are not recorded it may be called that."""
    global good, bad
    want = {'fits': not real['failed'], **{k: real[k] for k in ('peak_reserved', 'retries', 'allocations')}}
    got = {'fits': bool(told['fits']), **{k: told[k] for k in ('peak_reserved', 'retries', 'allocations')}}
    unknown = mode == 'empties' and by == 'SNAPSHOT' and not told['exact']
    if unknown and 'empty_cache()' in told['note'] or told['exact'] and want == got:
        good += 1
    else:
        bad += 1
        print(f'whatif {release}: FAILED {mode} by {by} {capacity} MiB {conf!r}: real {want}, foretold {got}, {told["exact"]} {told["note"]}')


good = bad = 0
for mode, steps, capacities in LOOPS:
    recordings = {by: f'{tempfile.mkdtemp()}/recording.{"gsnap" if by == "STREAM" else "pickle"}' for by in TOLD[mode]}
    for by, path in recordings.items():
        run(mode, steps, 80000, '', **{by: path})
    for capacity in capacities:
        told = {by: foretell(path, capacity) for by, path in recordings.items()}
        for i, conf in enumerate(SETTINGS):
            real = run(mode, steps, capacity, conf)
            for by in told:
                compare(mode, by, capacity, conf, real, told[by][i])
print(f'whatif {release}: {good} passed, {bad} failed')
sys.exit(bad > 0)
