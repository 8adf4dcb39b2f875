"""Pinned host memory beside GPU memory: the batches of a loader. usage: pinned.py OUT.pickle (PyTorch 2.15 or later)"""
import sys

import torch

torch.cuda.init()
torch.cuda.memory._record_memory_history(max_entries=1000, stacks='python', record_pinned_host_memory=True)


def load(n, mib):
    return [torch.empty(mib << 20, dtype=torch.uint8, pin_memory=True) for _ in range(n)]


def stage():
    return torch.empty(3 << 20, dtype=torch.uint8, pin_memory=True)


weights = torch.empty(40 << 20, dtype=torch.uint8, device='cuda')
batches = load(4, 16)
staged = stage()
del batches[1], staged
flags = torch.empty(700, dtype=torch.uint8, pin_memory=True)
scratch = torch.empty(1 << 20, dtype=torch.uint8, device='cuda')
del scratch
torch.cuda.memory._dump_snapshot(sys.argv[1])
