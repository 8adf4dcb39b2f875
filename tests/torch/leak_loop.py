"""A loop that leaks as people's do: the outputs of each step go into a list. usage: leak_loop.py STEPS [attach|use STREAM]
With STREAM the whole run is recorded there in that way, and when the steps are done it says so and waits for a line. Prints the allocator's figures."""
import json
import sys
import torch
import torch.nn as nn
import torch.nn.functional as F

steps, way, stream = int(sys.argv[1]), *(sys.argv[2:4] if len(sys.argv) > 2 else (None, None))
if stream:
    import gpusnap.torch
    getattr(gpusnap.torch, way)(stream=stream)
torch.backends.cudnn.enabled = False    # the pretend CUDA has none
dev = 'cuda'


class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.n1, self.qkv, self.proj = nn.LayerNorm(d), nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.n2, self.up, self.down, self.heads = nn.LayerNorm(d), nn.Linear(d, 4 * d), nn.Linear(4 * d, d), heads

    def attend(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        return self.proj((torch.softmax(q @ k.transpose(-1, -2), -1) @ v).transpose(1, 2).reshape(b, t, d))

    def forward(self, x):
        x = x + self.attend(self.n1(x))
        return x + self.down(F.gelu(self.up(self.n2(x))))


class Transformer(nn.Module):
    def __init__(self, d=256, layers=6):
        super().__init__()
        self.emb, self.blocks, self.head = nn.Embedding(4000, d), nn.ModuleList(Block(d, 8) for _ in range(layers)), nn.Linear(d, 4000)

    def forward(self, ids):
        x = self.emb(ids)
        for b in self.blocks:
            x = b(x)
        return self.head(x)


kept = []


def remember(z):
    kept.append(z.detach() * 1)


model = Transformer().to(dev)
optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
for step in range(steps):
    if stream:
        gpusnap.step(step)
    ids, y = torch.zeros(8, 128, dtype=torch.long, device=dev), torch.zeros(8 * 128, dtype=torch.long, device=dev)
    z = model(ids)
    F.cross_entropy(z.view(y.numel(), -1), y).backward()
    optimizer.step()
    remember(z)
    optimizer.zero_grad(set_to_none=True)
stats = torch.cuda.memory_stats()
if stream:
    print('done', flush=True)
    sys.stdin.readline()
print(json.dumps({'peak_reserved': stats['reserved_bytes.all.peak'], 'peak_allocated': stats['allocated_bytes.all.peak'],
                  'allocations': stats['allocation.all.allocated'], 'retries': stats['num_alloc_retries']}))
