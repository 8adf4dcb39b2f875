#!/usr/bin/env python3
"""What recording costs a PyTorch program: an allocation and its free, 20 Python frames deep, on the pretend CUDA.
usage: torch_pairs.py PYTHON BUILD      (PYTHON has torch; tests/torch/check_torch.py builds the pretend CUDA)
Each line is the median of RUNS (20) runs, each variant in a process of its own, in turn; a run is the best of several rounds, in the
processor's time. Ratios are of this run."""
import os
import statistics
import subprocess
import sys

PAIRS, ROUNDS, DEEP = 20000, 5, 18

if len(sys.argv) == 2:
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

python, build = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
release = subprocess.run([python, '-c', 'import torch; print(torch.__version__)'], capture_output=True, text=True, check=True).stdout.strip()
fake = f'{build}/pretend-{release}.so'
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
environment = {**os.environ, 'LD_PRELOAD': fake, 'PYTHONPATH': root + '/tools/python', 'GPUSNAP_LIBRARY': build + '/libgpusnap.so.1'}
times = {}
for _ in range(int(os.environ.get('RUNS', 20))):
    for mode in ('plain', 'history', 'attach', 'use'):
        ns = float(subprocess.run([python, __file__, mode], capture_output=True, text=True, check=True, env=environment).stdout.split()[-1])
        times.setdefault(mode, []).append(ns)
best = {mode: statistics.median(all_of_it) for mode, all_of_it in times.items()}
for mode, what in (('plain', 'PyTorch, nothing recorded'), ('history', 'PyTorch, recording Python stacks'), ('attach', 'gpusnap.torch.attach()'),
                   ('use', 'gpusnap.torch.use(), Python stacks')):
    print(f'{what:38} {best[mode]:8.0f} ns a pair')
added = {m: best[m] - best['plain'] for m in best}
print(f"attach() adds {added['attach'] / added['history']:.2f} of what PyTorch's own history adds; use() costs {best['use'] / best['history']:.2f} of PyTorch recording")
