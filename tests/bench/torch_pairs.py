#!/usr/bin/env python3
"""What recording costs a PyTorch program: an allocation and its free, 20 Python frames deep, on the pretend CUDA.
usage: torch_pairs.py BUILD PYTHON…      (each PYTHON has a torch; the pretend CUDA for it is built in BUILD)
Each figure is the median of RUNS (20) runs, each way in a process of its own, in turn; a run is the best of several rounds, in the
processor's time. Ratios are of this run."""
import os
import statistics
import subprocess
import sys

PAIRS, ROUNDS, DEEP = 20000, 5, 18

WAYS = {'plain': 'PyTorch, nothing recorded', 'history': "PyTorch's own history, Python stacks", 'attach': 'gpusnap.torch.attach()',
        'use': 'gpusnap.torch.use(), Python stacks'}

if sys.argv[1] in WAYS:
    mode = sys.argv[1]
    import time
    import torch
    if mode == 'use':
        import gpusnap.torch
        gpusnap.torch.use(stacks='python', depth=20, log='none')
    elif mode == 'attach':
        import gpusnap.torch
        gpusnap.torch.attach()
    torch.cuda.init()
    if mode == 'history':
        torch.cuda.memory._record_memory_history(max_entries=100000, stacks='python')

    def pairs():
        empty = torch.empty
        start = time.thread_time()
        for _ in range(PAIRS):
            empty(4096, dtype=torch.uint8, device='cuda')
        return (time.thread_time() - start) / PAIRS * 1e9

    def deep(n):
        return pairs() if n == 0 else deep(n - 1)

    deep(DEEP)
    print(min(deep(DEEP) for _ in range(ROUNDS)))
    sys.exit()

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(here), 'torch'))
from check_torch_env import prepare  # noqa: E402


def measure(build, python):
    release, fake = prepare(python, build)
    environment = {**os.environ, 'LD_PRELOAD': f'{fake}:{fake[:-3]}.nvml.so', 'PYTHONPATH': os.path.dirname(os.path.dirname(here)) + '/tools/python',
                   'GPUSNAP_LIBRARY': build + '/libgpusnap.so.1'}
    times = {way: [] for way in WAYS}
    for _ in range(int(os.environ.get('RUNS', 20))):
        for way in WAYS:
            done = subprocess.run([python, __file__, way], stdout=subprocess.PIPE, text=True, check=True, env=environment)
            times[way].append(float(done.stdout.split()[-1]))
    return release, {way: statistics.median(ns) for way, ns in times.items()}


def tell(release, ns):
    print(f'torch {release}: nanoseconds of the processor for an allocation and its free, 20 Python frames deep')
    for way, what in WAYS.items():
        print(f"  {what:38} {ns[way]:8.0f}   {ns[way] - ns['plain']:+6.0f}")
    print(f"  attach() adds {(ns['attach'] - ns['plain']) / (ns['history'] - ns['plain']):.2f} of what PyTorch's history adds (goal 0.3)")
    print(f"  use() takes {ns['use'] / ns['history']:.2f} of PyTorch with its history (goal 0.8)")


for interpreter in sys.argv[2:]:
    tell(*measure(os.path.abspath(sys.argv[1]), os.path.abspath(interpreter)))
