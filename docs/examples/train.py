"""Trains the model for a few steps. usage: train.py [--batch N] [--steps N]"""
import argparse
import torch
from torch.nn import functional as F
from model import Model

parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int, default=8)
parser.add_argument("--steps", type=int, default=4)
options = parser.parse_args()

torch.cuda.memory._record_memory_history(stacks="python")
model = Model().cuda()
optimizer = torch.optim.AdamW(model.parameters())
try:
    for step in range(options.steps):
        tokens = torch.randint(0, 16384, (options.batch, 513), device="cuda")
        logits = model(tokens[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
finally:
    torch.cuda.memory._dump_snapshot("train.pickle")
