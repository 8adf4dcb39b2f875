"""Trains, and keeps every loss for a plot. Each loss holds the graph that made it."""
import gpusnap.torch
import torch
from torch.nn import functional as F
from model import Model

gpusnap.torch.attach()
model = Model(layers=2).cuda()
optimizer = torch.optim.AdamW(model.parameters())
losses = []
for step in range(100):
    tokens = torch.randint(0, 16384, (2, 513), device="cuda")
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    losses.append(loss)                          # losses.append(loss.item()) would keep a number
    torch.autograd.backward(loss, retain_graph=True)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
