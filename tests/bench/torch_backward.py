#!/usr/bin/env python3
"""What names for the backward pass cost a PyTorch program on the pretend CUDA: an operation that autograd differentiates, 20 Python frames
deep, and a training step.
usage: torch_backward.py PYTHON BUILD      (PYTHON has torch; tests/torch/check_torch.py builds the pretend CUDA)
Each figure is the least of RUNS (9) runs, each way in a process of its own, in turn, in the processor's time of the process: other
programs only add to it. Ratios are of this run."""
import os
import subprocess
import sys

OPERATIONS, ROUNDS, DEEP = 1000, 25, 18

if len(sys.argv) == 2:
    import time
    import torch
    if sys.argv[1] != 'plain':
        import gpusnap.torch
        gpusnap.torch.attach()
    torch.backends.cudnn.enabled = False
    if sys.argv[1] == 'anomaly':
        torch.autograd.set_detect_anomaly(True, check_nan=False)
    x = torch.ones(64, device='cuda', requires_grad=True)
    net = torch.nn.Sequential(*(torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True) for _ in range(4))).cuda()
    data = torch.ones(8, 16, 64, device='cuda')

    def best(what, count):
        def once():
            start = time.process_time()
            what()
            return (time.process_time() - start) / count
        once()
        return min(once() for _ in range(ROUNDS))

    def operations():
        y = x
        for _ in range(OPERATIONS):
            y = y + 1

    def deep(n, what):
        return what() if n == 0 else deep(n - 1, what)

    def step():
        for _ in range(3):
            net(data).sum().backward()

    print(best(lambda: deep(DEEP, operations), OPERATIONS) * 1e9, best(lambda: deep(DEEP, step), 3) * 1e6)
    sys.exit()

python, build = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
release = subprocess.run([python, '-c', 'import torch; print(torch.__version__)'], capture_output=True, text=True, check=True).stdout.strip()
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
environment = {**os.environ, 'LD_PRELOAD': f'{build}/pretend-{release}.so', 'PYTHONPATH': root + '/tools/python', 'GPUSNAP_LIBRARY': build + '/libgpusnap.so.1'}
ways = {'plain': 'PyTorch, nothing recorded', 'attach': 'gpusnap.torch.attach()', 'places': '… with GPUSNAP_BACKWARD=1', 'anomaly': "… with PyTorch's anomaly mode"}
times = {}
for _ in range(int(os.environ.get('RUNS', 9))):
    for way in ways:
        done = subprocess.run([python, __file__, way], capture_output=True, text=True, check=True, env={**environment, 'GPUSNAP_BACKWARD': str(int(way == 'places'))})
        times.setdefault(way, []).append([float(n) for n in done.stdout.split()[-2:]])
least = {way: [min(n) for n in zip(*rows)] for way, rows in times.items()}
print(f'torch {release}')
for way, what in ways.items():
    ns, us = least[way]
    print(f"{what:32} {ns:8.0f} ns an operation ({ns - least['attach'][0]:+7.0f}) {us:8.0f} µs a step ({us / least['plain'][1]:.2f})")
