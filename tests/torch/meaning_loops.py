"""What live memory is, by the program's own objects: runs a training loop on a real PyTorch (the pretend CUDA
beside this file) and writes, at a chosen moment, a snapshot and the truth: for each live block its category.

usage: meaning_loops.py PROGRAM MOMENT STACKS OUT      writes OUT.pickle and OUT.truth.json
PROGRAM: see `programs` below
MOMENT:  forward1 backward1 step1 forward3 backward3 step3 (an out-of-memory in that phase of that step), end3
         (captured after step 3 without a failure)
STACKS:  python all
BATCH=0.5 in the environment: half the batch.  LATE=2: the recording begins after step 2.

Truth: parameter buffer gradient optimizer_state input activation (saved for backward by autograd), kept (held by the
program's own lists), workspace (cuBLAS), other (the rest).
"""
import copy, json, os, pickle, sys
import torch, torch.nn as nn, torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

dev = 'cuda'
now = {'step': 0, 'phase': '', 'at': 0}
saved = {}


class Held:
    """A tensor that autograd holds; counts how often each storage is."""
    def __init__(self, t):
        self.t, self.a = t, t.untyped_storage().data_ptr()
        saved[self.a] = saved.get(self.a, 0) + 1

    def __del__(self):
        saved[self.a] -= 1
        if not saved[self.a]:
            del saved[self.a]


def boom(phase):
    if now['phase'] == phase and now['step'] == now['at']:
        torch.empty(1 << 42, dtype=torch.uint8, device=dev)


class Point(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        boom('forward')
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        boom('backward')
        return g


class Break(nn.Module):
    def forward(self, x):
        return Point.apply(x)


def batch_of(n):
    return max(1, int(n * float(os.environ.get('BATCH', 1))))


class Program:
    """A loop: models, optimizers, what it keeps; `step` runs one step."""
    def __init__(self):
        self.models, self.optimizers, self.inputs, self.kept = [], [], [], []
        self.build()

    def add(self, model, optimizer=None, **options):
        model = model.to(dev)
        self.models.append(model)
        if optimizer:
            self.optimizers.append(optimizer([p for p in model.parameters() if p.requires_grad], **options))
        return model

    def train(self, loss_of, batch):
        self.inputs[:] = batch()
        loss = loss_of(*self.inputs)
        loss.backward()
        for o in self.optimizers:
            o.step()
        boom('step')
        for o in self.optimizers:
            o.zero_grad(set_to_none=True)


class Lstm(Program):
    def build(self):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.emb = nn.Embedding(2000, 256)
                self.cells = nn.ModuleList([nn.LSTMCell(256, 512), nn.LSTMCell(512, 512)])
                self.mid, self.out = Break(), nn.Linear(512, 2000)

            def forward(self, ids):
                x = self.emb(ids)
                states = [None, None]
                outs = []
                for t in range(x.shape[1]):
                    h = x[:, t]
                    for k, cell in enumerate(self.cells):
                        states[k] = cell(h, states[k])
                        h = states[k][0]
                    outs.append(h)
                return self.out(self.mid(torch.stack(outs, 1)))
        self.net = self.add(Net(), torch.optim.Adam, lr=1e-3)

    def step(self):
        ids = lambda: [torch.zeros(batch_of(32), 24, dtype=torch.long, device=dev) for _ in range(2)]
        self.train(lambda x, y: F.cross_entropy(self.net(x).flatten(0, 1), y.flatten()), ids)


class Lora(Program):
    def build(self):
        class LoraLinear(nn.Module):
            def __init__(self, base, r):
                super().__init__()
                self.base = base
                for p in base.parameters():
                    p.requires_grad = False
                self.a = nn.Parameter(torch.zeros(r, base.in_features))
                self.b = nn.Parameter(torch.zeros(base.out_features, r))

            def forward(self, x):
                return self.base(x) + (x @ self.a.t()) @ self.b.t()
        layers = []
        for _ in range(4):
            layers += [LoraLinear(nn.Linear(1024, 1024), 8), nn.GELU()]
        self.net = self.add(nn.Sequential(*layers, Break(), nn.Linear(1024, 10)), torch.optim.AdamW, lr=1e-3)

    def step(self):
        b = lambda: [torch.randn(batch_of(1024), 1024, device=dev)]
        self.train(lambda x: self.net(x).square().mean(), b)


class Gan(Program):
    def build(self):
        g = nn.Sequential(nn.Linear(128, 512), nn.ReLU(), nn.Linear(512, 1024), nn.ReLU(), Break(), nn.Linear(1024, 3072), nn.Tanh())
        d = nn.Sequential(nn.Linear(3072, 1024), nn.LeakyReLU(0.2), nn.Linear(1024, 256), nn.LeakyReLU(0.2), nn.Linear(256, 1))
        self.g = self.add(g, torch.optim.Adam, lr=2e-4)
        self.d = self.add(d, torch.optim.Adam, lr=2e-4)

    def step(self):
        n = batch_of(256)
        real, z = torch.randn(n, 3072, device=dev), torch.randn(n, 128, device=dev)
        self.inputs[:] = [real, z]
        og, od = self.optimizers
        fake = self.g(z)
        od.zero_grad()
        loss_d = F.softplus(-self.d(real)).mean() + F.softplus(self.d(fake.detach())).mean()
        loss_d.backward()
        od.step()
        og.zero_grad()
        loss_g = F.softplus(-self.d(fake)).mean()
        loss_g.backward()
        og.step()
        boom('step')


class Ema(Program):
    def build(self):
        self.net = self.add(nn.Sequential(nn.Linear(512, 1024), nn.ReLU(), Break(), nn.Linear(1024, 512)), torch.optim.AdamW, lr=1e-3)
        self.average = copy.deepcopy(self.net)
        self.models.append(self.average)

    def step(self):
        b = lambda: [torch.randn(batch_of(512), 512, device=dev), torch.randn(batch_of(512), 512, device=dev)]
        self.train(lambda x, y: F.mse_loss(self.net(x), y), b)
        with torch.no_grad():
            for a, p in zip(self.average.parameters(), self.net.parameters()):
                a.mul_(0.99).add_(p, alpha=0.01)


class Accumulate(Program):
    def build(self):
        self.net = self.add(nn.Sequential(nn.Linear(512, 2048), nn.GELU(), nn.LayerNorm(2048), Break(), nn.Linear(2048, 512)), torch.optim.AdamW, lr=1e-3)

    def step(self):
        o = self.optimizers[0]
        o.zero_grad()
        for micro in range(4):
            x = torch.randn(batch_of(256), 512, device=dev)
            self.inputs[:] = [x]
            loss = self.net(x).pow(2).mean() / 4
            loss.backward()
        o.step()
        boom('step')


class PlainSgd(Program):
    """An optimizer without state, and gradients that stay until the next step."""
    def build(self):
        self.net = self.add(nn.Sequential(nn.Linear(784, 1024), nn.ReLU(), Break(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10)), torch.optim.SGD, lr=0.1)

    def step(self):
        x, y = torch.randn(batch_of(512), 784, device=dev), torch.zeros(batch_of(512), dtype=torch.long, device=dev)
        self.inputs[:] = [x, y]
        self.optimizers[0].zero_grad()
        loss = F.cross_entropy(self.net(x), y)
        loss.backward()
        self.optimizers[0].step()
        boom('step')


class Attention(Program):
    """scaled_dot_product_attention, norms, bfloat16 weights made on the device."""
    def build(self):
        class Block(nn.Module):
            def __init__(self, d, heads):
                super().__init__()
                self.heads, self.qkv, self.proj = heads, nn.Linear(d, 3 * d, bias=False), nn.Linear(d, d, bias=False)
                self.gate, self.up, self.down = nn.Linear(d, 2 * d, bias=False), nn.Linear(d, 2 * d, bias=False), nn.Linear(2 * d, d, bias=False)
                self.scale = nn.Parameter(torch.ones(d))

            def norm(self, x):
                return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.scale

            def forward(self, x):
                b, t, d = x.shape
                q, k, v = self.qkv(self.norm(x)).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
                x = x + self.proj(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, d))
                n = self.norm(x)
                return x + self.down(F.silu(self.gate(n)) * self.up(n))

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.emb = nn.Embedding(4000, 256)
                self.blocks = nn.ModuleList(Block(256, 4) for _ in range(4))
                self.mid, self.head = Break(), nn.Linear(256, 4000, bias=False)

            def forward(self, ids):
                x = self.emb(ids)
                for i, b in enumerate(self.blocks):
                    x = b(x)
                    if i == 2:
                        x = self.mid(x)
                return self.head(x)
        with torch.device(dev):
            self.net = Net().to(torch.bfloat16)
        self.models.append(self.net)
        self.optimizers.append(torch.optim.AdamW(self.net.parameters(), lr=1e-3))

    def step(self):
        ids = lambda: [torch.zeros(batch_of(8), 128, dtype=torch.long, device=dev) for _ in range(2)]
        self.train(lambda x, y: F.cross_entropy(self.net(x).float().flatten(0, 1), y.flatten()), ids)


class Reentrant(Program):
    """Checkpointing by the older way, which runs a backward inside of backward."""
    def build(self):
        self.parts = nn.ModuleList(nn.Sequential(nn.Linear(512, 2048), nn.GELU(), nn.Linear(2048, 512)) for _ in range(4))
        self.net = self.add(nn.ModuleList([self.parts, Break(), nn.Linear(512, 100)]), torch.optim.Adam, lr=1e-3)

    def run(self, x):
        x = x.requires_grad_()
        for part in self.parts:
            x = checkpoint(part, x, use_reentrant=True)
        return self.net[2](self.net[1](x))

    def step(self):
        b = lambda: [torch.randn(batch_of(512), 512, device=dev)]
        self.train(lambda x: self.run(x).square().mean(), b)


class Scaler(Program):
    """Autocast with a gradient scaler, gradients clipped."""
    def build(self):
        self.net = self.add(nn.Sequential(nn.Linear(512, 2048), nn.GELU(), Break(), nn.Linear(2048, 2048), nn.GELU(), nn.Linear(2048, 100)), torch.optim.AdamW, lr=1e-3)
        self.scaler = torch.amp.GradScaler('cuda')

    def step(self):
        x, y = torch.randn(batch_of(512), 512, device=dev), torch.zeros(batch_of(512), dtype=torch.long, device=dev)
        self.inputs[:] = [x, y]
        o = self.optimizers[0]
        o.zero_grad()
        with torch.autocast('cuda', torch.float16):
            loss = F.cross_entropy(self.net(x), y)
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(o)
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.scaler.step(o)
        self.scaler.update()
        boom('step')


class Cache(Program):
    """Generation with a cache of keys and values that grows by copying; nothing is trained."""
    def build(self):
        self.net = self.add(nn.ModuleList([nn.Linear(512, 1536), Break(), nn.Linear(512, 512)]))
        self.keys = None

    def step(self):
        with torch.no_grad():
            x = torch.randn(batch_of(64), 16, 512, device=dev)
            self.inputs[:] = [x]
            q, k, v = self.net[0](x).chunk(3, -1)
            pair = torch.stack([k, v])
            self.keys = pair if self.keys is None else torch.cat([self.keys, pair], 2)
            self.kept[:] = [self.keys]
            a = torch.softmax(q @ self.keys[0].transpose(1, 2), -1) @ self.keys[1]
            self.net[2](self.net[1](a))
        boom('step')


class Convolutions(Program):
    """Strided convolutions with norms and skips, momentum, weight decay, a scheduler."""
    def build(self):
        class Skip(nn.Module):
            def __init__(self, a, b):
                super().__init__()
                self.c1, self.n1, self.c2, self.n2 = nn.Conv2d(a, b, 3, 2, 1, bias=False), nn.BatchNorm2d(b), nn.Conv2d(b, b, 3, 1, 1, bias=False), nn.BatchNorm2d(b)
                self.short = nn.Conv2d(a, b, 1, 2, bias=False)

            def forward(self, x):
                h = F.relu(self.n1(self.c1(x)), inplace=True)
                return F.relu(self.n2(self.c2(h)) + self.short(x))
        self.net = self.add(nn.Sequential(Skip(3, 64), Skip(64, 128), Break(), Skip(128, 256), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 1000)),
                            torch.optim.SGD, lr=0.1, momentum=0.9, weight_decay=1e-4)
        self.rate = torch.optim.lr_scheduler.StepLR(self.optimizers[0], 10)

    def step(self):
        b = lambda: [torch.randn(batch_of(16), 3, 64, 64, device=dev), torch.zeros(batch_of(16), dtype=torch.long, device=dev)]
        self.train(lambda x, y: F.cross_entropy(self.net(x), y), b)
        self.rate.step()


class Diffusion(Program):
    """Noise made in the loop, a loss by hand, two averaged copies of the weights in a list."""
    def build(self):
        self.net = self.add(nn.Sequential(nn.Linear(1025, 2048), nn.SiLU(), Break(), nn.Linear(2048, 1024)), torch.optim.AdamW, lr=1e-4)
        self.kept[:] = [p.detach().clone() for p in self.net.parameters()]

    def step(self):
        x = torch.randn(batch_of(512), 1024, device=dev)
        noise, t = torch.randn_like(x), torch.rand(batch_of(512), 1, device=dev)
        self.inputs[:] = [x, noise, t]
        o = self.optimizers[0]
        guess = self.net(torch.cat([x * (1 - t) + noise * t, t], 1))
        loss = ((guess - noise) ** 2).mean()
        o.zero_grad()
        loss.backward()
        o.step()
        boom('step')


class Logger(Program):
    """A leak as it is made: losses kept with their graphs."""
    def build(self):
        self.net = self.add(nn.Sequential(nn.Linear(256, 512), nn.ReLU(), Break(), nn.Linear(512, 256)), torch.optim.SGD, lr=0.1)

    def step(self):
        x = torch.randn(batch_of(512), 256, device=dev)
        self.inputs[:] = [x]
        out = self.net(x)
        loss = out.square().mean()
        loss.backward()
        self.optimizers[0].step()
        self.optimizers[0].zero_grad()
        self.kept.append(out)
        boom('step')


programs = dict(lstm=Lstm, lora=Lora, gan=Gan, ema=Ema, accumulate=Accumulate, sgd=PlainSgd, attention=Attention,
                reentrant=Reentrant, scaler=Scaler, cache=Cache, convolutions=Convolutions, diffusion=Diffusion, logger=Logger)
WORKSPACE = (8519680, 33554432)


def truth(p):
    t = {}

    def put(tensors, name):
        for x in tensors:
            if x is not None and x.is_cuda:
                t.setdefault(x.untyped_storage().data_ptr(), name)
    for m in p.models:
        put(m.parameters(), 'parameter')
        put(m.buffers(), 'buffer')
        put((q.grad for q in m.parameters()), 'gradient')
    for o in p.optimizers:
        for s in o.state.values():
            put((v for v in s.values() if torch.is_tensor(v)), 'optimizer_state')
    put(p.inputs, 'input')
    put(p.kept, 'kept')
    for a in list(saved):
        t.setdefault(a, 'activation')
    return t


def write(p, snapshot, out, facts):
    t, blocks, sums = truth(p), [], {}
    for s in snapshot['segments']:
        a = s['address']
        for b in s['blocks']:
            if b['state'] == 'active_allocated':
                at = b.get('address', a)
                c = t.get(at, 'workspace' if b['requested_size'] in WORKSPACE else 'other')
                blocks.append({'address': at, 'size': b['size'], 'category': c})
                sums[c] = sums.get(c, 0) + b['size']
            a += b['size']
    pickle.dump(snapshot, open(out + '.pickle', 'wb'), protocol=4)
    json.dump(dict(facts, bytes=sums, blocks=blocks), open(out + '.truth.json', 'w'))
    print(out, {k: round(v / 2**20, 1) for k, v in sums.items()})


def main():
    program, moment, stacks, out = sys.argv[1:5]
    now.update(phase=moment[:-1], at=int(moment[-1]))
    facts = {'torch': torch.__version__, 'program': program, 'moment': moment, 'stacks': stacks}
    torch.backends.cudnn.enabled = False  # the pretend CUDA has none
    torch.cuda.init()
    late = int(os.environ.get('LATE', 0))
    record = lambda: torch.cuda.memory._record_memory_history(stacks=stacks, max_entries=200000)
    if not late:
        record()
    done, p = [], []

    def observer(*_):
        if not done:
            done.append(1)
            write(p[0], torch.cuda.memory._snapshot(), out, facts)
    torch._C._cuda_attach_out_of_memory_observer(observer)
    p.append(programs[program]())
    pack = lambda x: Held(x) if x.is_cuda else x
    unpack = lambda h: h.t if isinstance(h, Held) else h
    try:
        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            for step in (1, 2, 3):
                now['step'] = step
                p[0].step()
                if step == late:
                    record()
        assert now['phase'] == 'end', 'no out-of-memory came'
        write(p[0], torch.cuda.memory._snapshot(), out, facts)
    except torch.OutOfMemoryError:
        assert now['phase'] != 'end'


if __name__ == '__main__':
    main()
