"""A small training loop for the tests: real layers, sizes that vary, a list that only grows. It asks the allocator for the same things every time.

usage: loop.py MODE STEPS      MODE: train, serve, leak, graph, devices, caught, empties
Prints one JSON line at the end: failed, peak_reserved, retries, allocations of device 0.
SNAPSHOT=FILE records everything from the start, and writes a snapshot there at the end. STREAM=FILE lets gpusnap record the run there.
FRACTION=PART is the memory that the process may have."""
import json
import os
import random
import sys

import torch
import torch.nn as nn

torch.backends.cudnn.enabled = False
MIB = 1 << 20
LEAK = int(os.environ.get('LEAK_MIB', 40))
mode, steps = sys.argv[1], int(sys.argv[2])
random.seed(11)
kept = []


class Net(nn.Module):
    def __init__(self, width=1024):
        super().__init__()
        self.layers = nn.Sequential(*[nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
                                      for _ in range(3)])

    def forward(self, x):
        return self.layers(x).square().mean()


def keep_activations(size, device='cuda'):
    kept.append(torch.empty(size, dtype=torch.uint8, device=device))


def train():
    net = Net().cuda()
    optimizer = torch.optim.AdamW(net.parameters())
    for _ in range(steps):
        net(torch.empty(random.randint(64, 2048), 1024, device='cuda')).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if mode == 'leak':
            keep_activations(LEAK * MIB)


def serve():
    """Caches of sequences that grow and end at random."""
    live = []
    for _ in range(steps):
        for _ in range(6):
            if len(live) < 24 and random.random() < .6:
                live.append([None, random.randint(3, 40)])
            for s in list(live):
                s[0] = torch.empty((0 if s[0] is None else s[0].shape[0]) + random.randint(1, 3) * 1300, 1024, dtype=torch.float16, device='cuda')
                s[1] -= 1
                if s[1] == 0:
                    live[:] = [o for o in live if o is not s]


def empties():
    """Empties the cache after each step, as some trainers do, whether there is anything to give back or not."""
    live = []
    for _ in range(steps):
        for _ in range(30):
            if live and random.random() < .45:
                live.pop(random.randrange(len(live)))
            elif len(live) < 60:
                size = random.choice([random.randint(1, MIB // 2), random.randint(MIB, 9 * MIB), random.randint(10 * MIB, 60 * MIB)])
                live.append(torch.empty(size, dtype=torch.uint8, device='cuda'))
        torch.cuda.empty_cache()


def graph():
    """Memory of a captured graph stays with the graph."""
    pool, static = torch.cuda.CUDAGraph(), torch.empty(8 * MIB, dtype=torch.uint8, device='cuda')
    with torch.cuda.graph(pool):
        inner = torch.empty(300 * MIB, dtype=torch.uint8, device='cuda')
        del inner
    for _ in range(steps):
        keep_activations(100 * MIB)
    return static


def devices():
    keep_activations(50 * MIB, 'cuda:0')
    for _ in range(steps):
        keep_activations(100 * MIB, 'cuda:1')


def caught():
    """As trainers do: the failure is caught, the batch made smaller, and training goes on. Three different failures."""
    failures = 0
    for size in (900, 800, 700):
        try:
            keep_activations(size * MIB)
            keep_activations(size * MIB)
        except torch.OutOfMemoryError:
            failures += 1
            kept.clear()
    keep_activations(10 * MIB)
    return failures


if os.environ.get('STREAM'):
    import gpusnap.torch
    gpusnap.torch.attach(stream=os.environ['STREAM'])
if os.environ.get('FRACTION'):
    torch.cuda.set_per_process_memory_fraction(float(os.environ['FRACTION']))
if os.environ.get('SNAPSHOT'):
    torch.cuda.memory._record_memory_history(max_entries=1000000, stacks='python')
failed = False
result = None
try:
    result = {'train': train, 'leak': train, 'serve': serve, 'graph': graph, 'devices': devices, 'caught': caught, 'empties': empties}[mode]()
except torch.OutOfMemoryError as e:
    failed = str(e).split('. ')[0]
if 'gpusnap.torch' in sys.modules:
    stats = sys.modules['gpusnap.torch'].memory_stats(0)
else:
    stats = torch.cuda.memory_stats(0)
print(json.dumps({'failed': failed, 'peak_reserved': stats['reserved_bytes.all.peak'], 'retries': stats['num_alloc_retries'],
                  'allocations': stats['allocation.all.allocated'], 'result': result if isinstance(result, int) else None}))
if os.environ.get('SNAPSHOT'):
    torch.cuda.memory._dump_snapshot(os.environ['SNAPSHOT'])
