"""Answers requests of many lengths; each keeps a cache until its answer is sent."""
import collections
import gpusnap.torch
import torch

gpusnap.torch.attach()
MIB = 1 << 20


def prefill(mib):
    return torch.empty(mib * MIB, dtype=torch.uint8, device="cuda")


def keep_cache(mib):
    return torch.empty(mib * MIB, dtype=torch.uint8, device="cuda")


answering = collections.deque()
for request in range(200):
    scores = prefill(200 + 60 * (request % 8))               # a large temporary, gone when the prompt is read …
    del scores
    answering.append(keep_cache(24 + 8 * (request % 3)))     # … whose place the caches then cut into pieces
    if len(answering) > 20 + request // 20:
        del answering[request % 7]
