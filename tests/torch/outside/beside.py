"""PyTorch beside a library that asks CUDA for memory itself, until memory runs out. usage: beside.py LIBRARY"""
import ctypes
import sys

import torch


def communicate(library):
    assert library.grabs_take(ctypes.c_ulong(192 << 20)) == 0


held = [torch.empty(100 << 20, dtype=torch.uint8, device='cuda')]
communicate(ctypes.CDLL(sys.argv[1]))
try:
    while True:
        held.append(torch.empty(64 << 20, dtype=torch.uint8, device='cuda'))
except torch.OutOfMemoryError as e:
    print(type(e).__name__)
