"""More loops of the kinds that meaning_loops.py runs, in the same way; the same usage.

PROGRAM: see `programs` below
"""
import meaning_loops
from meaning_loops import Break, F, Program, batch_of, boom, dev, nn, torch


class UNet(Program):
    """A diffusion U-Net's step: group norms, time embedding, skips by concatenation, attention, gradients clipped, averaged weights by foreach."""
    def build(self):
        class Res(nn.Module):
            def __init__(self, a, b, t):
                super().__init__()
                self.n1, self.c1, self.t = nn.GroupNorm(8, a), nn.Conv2d(a, b, 3, padding=1), nn.Linear(t, b)
                self.n2, self.c2 = nn.GroupNorm(8, b), nn.Conv2d(b, b, 3, padding=1)
                self.skip = nn.Conv2d(a, b, 1) if a != b else nn.Identity()

            def forward(self, x, t):
                h = self.c1(F.silu(self.n1(x)))
                h = h + self.t(F.silu(t))[:, :, None, None]
                return self.c2(F.dropout(F.silu(self.n2(h)), 0.1, self.training)) + self.skip(x)
        class Attn(nn.Module):
            def __init__(self, c):
                super().__init__()
                self.n, self.qkv, self.o = nn.GroupNorm(8, c), nn.Conv2d(c, 3 * c, 1), nn.Conv2d(c, c, 1)

            def forward(self, x):
                b, c, h, w = x.shape
                q, k, v = self.qkv(self.n(x)).view(b, 3, 1, c, h * w).transpose(3, 4).unbind(1)
                a = F.scaled_dot_product_attention(q, k, v)
                return x + self.o(a.transpose(2, 3).reshape(b, c, h, w))
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                t = 256
                self.time = nn.Sequential(nn.Linear(64, t), nn.SiLU(), nn.Linear(t, t))
                self.inp = nn.Conv2d(3, 64, 3, padding=1)
                self.d1, self.d2, self.d3 = Res(64, 64, t), Res(64, 128, t), Res(128, 256, t)
                self.a, self.mid = Attn(256), Break()
                self.u3, self.u2, self.u1 = Res(256 + 128, 128, t), Res(128 + 64, 64, t), Res(64, 64, t)
                self.out = nn.Conv2d(64, 3, 3, padding=1)

            def forward(self, x, steps):
                f = torch.exp(-torch.arange(32, device=x.device) / 32 * 9.2)
                e = steps[:, None].float() * f[None]
                t = self.time(torch.cat([e.sin(), e.cos()], 1))
                h1 = self.d1(self.inp(x), t)
                h2 = self.d2(F.avg_pool2d(h1, 2), t)
                h3 = self.mid(self.a(self.d3(F.avg_pool2d(h2, 2), t)))
                u = self.u3(torch.cat([F.interpolate(h3, scale_factor=2), h2], 1), t)
                u = self.u2(torch.cat([F.interpolate(u, scale_factor=2), h1], 1), t)
                return self.out(self.u1(u, t))
        self.net = self.add(Net(), torch.optim.AdamW, lr=1e-4)
        self.ema = [p.detach().clone() for p in self.net.parameters()]
        self.alphas = torch.linspace(1, 0, 1000, device=dev)
        self.kept = self.ema + [self.alphas]

    def step(self):
        x = torch.randn(batch_of(8), 3, 32, 32, device=dev)
        steps = torch.randint(0, 1000, (batch_of(8),), device=dev)
        noise = torch.randn_like(x)
        self.inputs[:] = [x, steps, noise]
        o = self.optimizers[0]
        a = self.alphas[steps].view(-1, 1, 1, 1)
        loss = F.mse_loss(self.net(a.sqrt() * x + (1 - a).sqrt() * noise, steps), noise)
        o.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        o.step()
        with torch.no_grad():
            torch._foreach_lerp_(self.ema, [p.detach() for p in self.net.parameters()], 0.001)
        boom('step')


class Moe(Program):
    """A mixture of experts: a router, tokens gathered by expert, results added back by index."""
    def build(self):
        class Expert(nn.Module):
            def __init__(self, d):
                super().__init__()
                self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

            def forward(self, x):
                return self.down(F.gelu(self.up(x)))
        class Layer(nn.Module):
            def __init__(self, d, n):
                super().__init__()
                self.gate, self.experts, self.norm = nn.Linear(d, n, bias=False), nn.ModuleList(Expert(d) for _ in range(n)), nn.LayerNorm(d)

            def forward(self, x):
                flat = self.norm(x).flatten(0, 1)
                p = self.gate(flat).softmax(-1)
                w, _ = p.topk(2, -1)
                out = torch.zeros_like(flat)
                for k, e in enumerate(self.experts):
                    # by turns instead of idx: the pretend CUDA computes nothing, and so chooses nobody
                    tok = torch.arange(k, flat.shape[0], len(self.experts), device=dev)
                    out = out.index_add(0, tok, e(flat[tok]) * w[tok, 0:1])
                return x + out.view_as(x), (p.mean(0) ** 2).sum()
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.emb = nn.Embedding(1000, 256)
                self.layers = nn.ModuleList(Layer(256, 4) for _ in range(3))
                self.mid, self.head = Break(), nn.Linear(256, 1000)

            def forward(self, ids):
                x, aux = self.emb(ids), 0
                for i, l in enumerate(self.layers):
                    x, a = l(x)
                    aux = aux + a
                    if i == 1:
                        x = self.mid(x)
                return self.head(x), aux
        self.net = self.add(Net(), torch.optim.AdamW, lr=1e-4)

    def step(self):
        ids = lambda: [torch.zeros(batch_of(8), 128, dtype=torch.long, device=dev) for _ in range(2)]

        def loss(x, y):
            z, aux = self.net(x)
            return F.cross_entropy(z.flatten(0, 1), y.flatten()) + 0.01 * aux
        self.train(loss, ids)


class Gru(Program):
    """A bidirectional GRU over packed sequences."""
    def build(self):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.emb, self.gru, self.mid, self.out = nn.Embedding(2000, 128, padding_idx=0), nn.GRU(128, 256, 2, batch_first=True, bidirectional=True), Break(), nn.Linear(512, 20)

            def forward(self, ids, lengths):
                packed = nn.utils.rnn.pack_padded_sequence(self.emb(ids), lengths, batch_first=True, enforce_sorted=False)
                out, h = self.gru(packed)
                out, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True)
                return self.out(self.mid(out).mean(1))
        self.net = self.add(Net(), torch.optim.Adam, lr=1e-3)

    def step(self):
        n = batch_of(32)
        lengths = torch.tensor([10 + (i * 7) % 21 for i in range(n)])
        b = lambda: [torch.zeros(n, 30, dtype=torch.long, device=dev), torch.zeros(n, dtype=torch.long, device=dev)]
        self.train(lambda x, y: F.cross_entropy(self.net(x, lengths), y), b)


class Flat(Program):
    """Parameters of a layer in one flat tensor; the layers' weights are views of it, gathered for use and let go again, as sharded training does."""
    def build(self):
        class FlatLinear(nn.Module):
            def __init__(self, a, b):
                super().__init__()
                self.shape, self.n = (b, a), a * b
                self.flat = nn.Parameter(torch.randn(a * b + b) * 0.01)

            def forward(self, x):
                full = torch.cat([self.flat.chunk(2)[0], self.flat.chunk(2)[1]])
                w, bias = full[:self.n].view(self.shape), full[self.n:]
                return F.linear(x, w, bias)
        self.net = self.add(nn.Sequential(FlatLinear(512, 1024), nn.GELU(), FlatLinear(1024, 1024), nn.GELU(), Break(), FlatLinear(1024, 512)), torch.optim.AdamW, lr=1e-3)

    def step(self):
        b = lambda: [torch.randn(batch_of(512), 512, device=dev)]
        self.train(lambda x: self.net(x).square().mean(), b)


class Adam8(torch.optim.Optimizer):
    """States of 8 bits with a scale for each block of 256."""
    def __init__(self, params, lr=1e-3):
        super().__init__(params, dict(lr=lr))
    @torch.no_grad()

    def step(self):
        for g in self.param_groups:
            for p in g['params']:
                if p.grad is None:
                    continue
                s = self.state[p]
                n = -(-p.numel() // 256)
                if not s:
                    for k in ('exp_avg', 'exp_avg_sq'):
                        s[k] = torch.zeros(n * 256, dtype=torch.int8, device=p.device)
                        s[k + '_scale'] = torch.zeros(n, device=p.device)
                for k, beta, x in (('exp_avg', 0.9, p.grad), ('exp_avg_sq', 0.99, p.grad * p.grad)):
                    full = (s[k].view(n, 256).float() * s[k + '_scale'][:, None]).flatten()[:p.numel()].view_as(p)
                    full.lerp_(x, 1 - beta)
                    pad = F.pad(full.flatten(), (0, n * 256 - p.numel())).view(n, 256)
                    s[k + '_scale'].copy_(pad.abs().amax(1) / 127 + 1e-12)
                    s[k].copy_((pad / s[k + '_scale'][:, None]).round().to(torch.int8).flatten())
                    if k == 'exp_avg':
                        m = full
                p.addcdiv_(m, full.sqrt().add_(1e-8), value=-g['lr'])


class EightBit(Program):
    def build(self):
        self.net = self.add(nn.Sequential(nn.Linear(512, 2048), nn.ReLU(), Break(), nn.Linear(2048, 1024), nn.ReLU(), nn.Linear(1024, 512)), Adam8, lr=1e-3)

    def step(self):
        b = lambda: [torch.randn(batch_of(512), 512, device=dev)]
        self.train(lambda x: self.net(x).square().mean(), b)


class Penalty(Program):
    """A critic with a gradient penalty: a backward that makes a graph."""
    def build(self):
        self.net = self.add(nn.Sequential(nn.Linear(1024, 1024), nn.Tanh(), nn.Linear(1024, 512), nn.Tanh(), Break(), nn.Linear(512, 1)), torch.optim.Adam, lr=1e-4)

    def step(self):
        real, fake = torch.randn(batch_of(512), 1024, device=dev), torch.randn(batch_of(512), 1024, device=dev)
        self.inputs[:] = [real, fake]
        o = self.optimizers[0]
        a = torch.rand(batch_of(512), 1, device=dev)
        mix = (a * real + (1 - a) * fake).requires_grad_()
        self.inputs.append(mix)
        d = self.net(mix)
        g, = torch.autograd.grad(d.sum(), mix, create_graph=True)
        loss = self.net(fake).mean() - self.net(real).mean() + 10 * ((g.norm(2, 1) - 1) ** 2).mean()
        o.zero_grad()
        loss.backward()
        o.step()
        boom('step')


class Averaged(Program):
    """torch's own averaged model, a cosine schedule, NAdam."""
    def build(self):
        self.net = self.add(nn.Sequential(nn.Linear(512, 1024), nn.SiLU(), Break(), nn.Linear(1024, 1024), nn.SiLU(), nn.Linear(1024, 64)), torch.optim.NAdam, lr=1e-3)
        self.average = torch.optim.swa_utils.AveragedModel(self.net)
        self.models.append(self.average)
        self.rate = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizers[0], 100)

    def step(self):
        b = lambda: [torch.randn(batch_of(512), 512, device=dev), torch.zeros(batch_of(512), dtype=torch.long, device=dev)]
        self.train(lambda x, y: F.cross_entropy(self.net(x), y, label_smoothing=0.1), b)
        self.average.update_parameters(self.net)
        self.rate.step()


class Policy(Program):
    """Reinforcement learning: a rollout without gradients into buffers made once, then epochs of updates over it."""
    def build(self):
        self.body = self.add(nn.Sequential(nn.Linear(128, 512), nn.Tanh(), nn.Linear(512, 512), nn.Tanh(), Break(), nn.Linear(512, 17)), torch.optim.Adam, lr=3e-4)
        n = batch_of(256)
        self.obs, self.acts, self.logp = torch.zeros(32, n, 128, device=dev), torch.zeros(32, n, dtype=torch.long, device=dev), torch.zeros(32, n, device=dev)
        self.kept = [self.obs, self.acts, self.logp]

    def step(self):
        n = batch_of(256)
        with torch.no_grad():
            o = torch.randn(n, 128, device=dev)
            for t in range(32):
                z = self.body(o)
                self.obs[t], self.acts[t], self.logp[t] = o, z[:, :16].argmax(-1), z[:, :16].log_softmax(-1)[:, 0]
                o = o * 0.9
            self.inputs[:] = [o]
        flat = self.obs.flatten(0, 1)
        for epoch in range(2):
            for part in flat.chunk(2):
                z = self.body(part)
                loss = z[:, :16].log_softmax(-1)[:, 0].mean() + z[:, 16].square().mean()
                self.optimizers[0].zero_grad()
                loss.backward()
                self.optimizers[0].step()
        boom('step')


class Orthogonal(torch.optim.Optimizer):
    """An optimizer of one's own, whose update multiplies matrices in a loop."""
    def __init__(self, params, lr=0.02):
        super().__init__(params, dict(lr=lr, momentum=0.95))

    @torch.no_grad()
    def step(self):
        for g in self.param_groups:
            for p in g['params']:
                if p.grad is None:
                    continue
                s = self.state[p]
                if 'buf' not in s:
                    s['buf'] = torch.zeros_like(p.grad)
                s['buf'].mul_(g['momentum']).add_(p.grad)
                u = p.grad.add(s['buf'], alpha=g['momentum'])
                if u.ndim == 2:
                    x = u.bfloat16()
                    x = x / (x.norm() + 1e-7)
                    for _ in range(5):
                        a = x @ x.T
                        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
                    u = x.float()
                p.add_(u, alpha=-g['lr'])


class OwnOptimizer(Program):
    def build(self):
        self.net = self.add(nn.Sequential(nn.Linear(512, 1024), nn.GELU(), Break(), nn.Linear(1024, 512)), Orthogonal, lr=0.02)

    def step(self):
        b = lambda: [torch.randn(batch_of(512), 512, device=dev)]
        self.train(lambda x: self.net(x).square().mean(), b)


programs = dict(unet=UNet, moe=Moe, gru=Gru, flat=Flat, eightbit=EightBit, penalty=Penalty, averaged=Averaged, policy=Policy,
                orthogonal=OwnOptimizer)

if __name__ == '__main__':
    meaning_loops.programs.update(programs)
    meaning_loops.main()
