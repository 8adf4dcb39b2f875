"""Servers and loops that keep memory, and some that only look like it, on a real PyTorch (the pretend CUDA beside this file).

usage: growth_loops.py FOLDER [PROGRAM…]      writes FOLDER/PROGRAM.pickle and FOLDER/PROGRAM.truth.json, each in a process of its own

STACKS=all in the environment: C++ frames too. SEED=7: other sizes and orders.

Truth: `kept` are the bytes of blocks that the program's own containers hold and that no bound stops, by the line that allocated
them (`lines`); empty where nothing grows any more.
"""
import collections, functools, json, os, pickle, random, sys
import torch, torch.nn as nn, torch.nn.functional as F

dev, out = 'cuda', []
random.seed(int(os.environ.get('SEED', 7)))


class Block(nn.Module):
    def __init__(self, d, heads=4):
        super().__init__()
        self.heads, self.n1, self.qkv, self.proj = heads, nn.LayerNorm(d), nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.n2, self.up, self.down = nn.LayerNorm(d), nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x, past=None):
        b, t, d = x.shape
        q, k, v = self.qkv(self.n1(x)).chunk(3, -1)
        k, v = k.contiguous(), v.contiguous()
        if past is not None:
            k, v = torch.cat([past[0], k], 1), torch.cat([past[1], v], 1)
        a = torch.softmax(q @ k.transpose(1, 2) / d ** 0.5, -1) @ v
        x = x + self.proj(a)
        return x + self.down(F.gelu(self.up(self.n2(x)))), (k, v)


class Model(nn.Module):
    def __init__(self, d=256, layers=3, words=2000):
        super().__init__()
        self.emb, self.blocks, self.head = nn.Embedding(words, d), nn.ModuleList(Block(d) for _ in range(layers)), nn.Linear(d, words)

    def forward(self, ids, past=None):
        x, kv = self.emb(ids), []
        for i, b in enumerate(self.blocks):
            x, pair = b(x, past and past[i])
            kv.append(pair)
        return self.head(x[:, -1:]), kv


def prompt(low=64, high=256):
    return torch.zeros(1, random.randrange(low, high), dtype=torch.long, device=dev)


def tensors(x):
    if torch.is_tensor(x):
        yield x
    elif isinstance(x, dict):
        for y in x.values():
            yield from tensors(y)
    elif isinstance(x, (list, tuple, collections.deque)):
        for y in x:
            yield from tensors(y)


# --- that keep ------------------------------------------------------------------------------------

def sessions():
    """Keys and values of each user's conversation; users come back, and none is ever forgotten."""
    model, store = Model().to(dev).eval(), {}
    with torch.no_grad():
        for request in range(60):
            user = random.randrange(request // 2 + 1)
            _, store[user] = model(prompt(), store.get(user))
    moment(store)


def new_sessions():
    """The same where every request is a new user."""
    model, store = Model().to(dev).eval(), {}
    with torch.no_grad():
        for request in range(40):
            logits, kv = model(prompt())
            store[request] = kv
            for _ in range(4):
                logits, kv = model(logits.argmax(-1), kv)
    moment(store)


def embeddings():
    """A cache of embeddings by text, without a bound; the same texts come again and again, new ones more and more seldom."""
    model, cache = Model().to(dev).eval(), {}

    def embed(text, ids):
        if text not in cache:
            cache[text] = model.emb(ids).mean(1).expand(512, 256).contiguous()
        return cache[text]
    with torch.no_grad():
        for request in range(200):
            text = int(random.paretovariate(0.6))
            model.head(embed(text, prompt()))
    moment(cache)


def lru():
    """functools.lru_cache(maxsize=None) around a method that works on the device."""
    model = Model().to(dev).eval()
    kept = []

    @functools.lru_cache(maxsize=None)
    def encode(text):
        ids = torch.zeros(1, 64 + text % 64, dtype=torch.long, device=dev)
        x, _ = model.blocks[0](model.emb(ids))
        kept.append(x)
        return x
    with torch.no_grad():
        for request in range(80):
            x = encode(request * 3 % 71)
            model.head(x.mean(1))
    moment(kept)


def losses():
    """Losses kept with their graphs; the optimizer steps."""
    model, kept = Model().to(dev), []
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    for step in range(12):
        logits, _ = model(prompt(128, 129))
        loss = F.cross_entropy(logits.flatten(0, 1), torch.zeros(1, dtype=torch.long, device=dev))
        loss.backward(retain_graph=True)
        optimizer.step()
        optimizer.zero_grad()
        kept.append(loss)
    moment(None)


def hooks():
    """A forward hook that stores what the layer gave, in training."""
    model, kept = Model().to(dev), []
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for b in model.blocks:
        b.down.register_forward_hook(lambda module, inputs, output: kept.append(output.detach()))
    for step in range(12):
        logits, _ = model(prompt(256, 257))
        logits.square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    moment(kept)


def hooks_serving():
    """The same in a server: no steps, sizes of all kinds."""
    model, kept = Model().to(dev).eval(), []
    model.blocks[1].register_forward_hook(lambda module, inputs, output: kept.append(output[0]))
    with torch.no_grad():
        for request in range(50):
            model(prompt())
    moment(kept)


def metrics():
    """Predictions of an evaluation, gathered on the device."""
    model, kept = Model().to(dev).eval(), []
    with torch.no_grad():
        for batch in range(60):
            ids = torch.zeros(8, 128, dtype=torch.long, device=dev)
            x = model.emb(ids)
            for b in model.blocks:
                x, _ = b(x)
            logits = model.head(x)
            kept.append(logits.softmax(-1))
    moment(kept)


def running_sum():
    """total += loss keeps the graph of every step."""
    model, total = Model().to(dev), 0
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for step in range(12):
        logits, _ = model(prompt(128, 129))
        loss = logits.square().mean()
        total = total + loss
        loss.backward(retain_graph=True)
        optimizer.step()
        optimizer.zero_grad()
    moment(None)


def filling():
    """A replay buffer whose bound is far away."""
    _replay(10000)


def recorder():
    """A server that logs inputs and outputs of one request in three."""
    model, kept = Model().to(dev).eval(), []
    with torch.no_grad():
        for request in range(90):
            logits, kv = model(prompt())
            if request % 3 == 0:
                kept.append(kv[-1][0])
    moment(kept)


def adapters_for_ever():
    """A small adapter is made for each customer at its first request, and stays."""
    model, kept = Model().to(dev).eval(), {}
    with torch.no_grad():
        for request in range(60):
            customer = random.randrange(request + 1)
            if customer not in kept:
                kept[customer] = [torch.zeros(256, 64, device=dev), torch.zeros(64, 256, device=dev)]
            a, b = kept[customer]
            x = model.emb(prompt())
            for block in model.blocks:
                x, _ = block(x)
                x = x + x @ a @ b
            model.head(x[:, -1:])
    moment(kept)


# --- that do not, or no more ----------------------------------------------------------------------

def _replay(bound):
    policy = nn.Sequential(nn.Linear(64, 512), nn.ReLU(), nn.Linear(512, 8)).to(dev)
    target = nn.Sequential(nn.Linear(64, 512), nn.ReLU(), nn.Linear(512, 8)).to(dev)
    optimizer = torch.optim.Adam(policy.parameters(), 1e-3)
    buffer = collections.deque(maxlen=bound)
    for step in range(60):
        for _ in range(4):
            state = torch.randn(256, 64, device=dev)
            with torch.no_grad():
                action = policy(state).argmax(-1)
            buffer.append((state, action))
        state, action = random.choice(buffer)
        with torch.no_grad():
            wanted = target(state).max(-1).values
        loss = F.mse_loss(policy(state).gather(1, action[:, None])[:, 0], wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    moment(() if len(buffer) == bound else buffer)


def replay():
    """A replay buffer that filled up in the first third."""
    _replay(80)


def replay_late():
    """One that filled up short of the end."""
    _replay(190)


def bounded_lru():
    """A cache that evicts, with sizes of all kinds."""
    model, cache = Model().to(dev).eval(), collections.OrderedDict()
    with torch.no_grad():
        for request in range(120):
            text = int(random.paretovariate(0.4)) % 5000
            if text not in cache:
                cache[text] = model(prompt())[1]
                if len(cache) > 12:
                    cache.popitem(last=False)
            cache.move_to_end(text)
    moment()


def warm_up():
    """Buckets of growing length first, then requests that fit them."""
    model = Model().to(dev).eval()
    with torch.no_grad():
        for length in (16, 32, 64, 128, 256, 512):
            model(prompt(length, length + 1))
        for request in range(40):
            model(prompt(16, 512))
    moment()


def longer():
    """Each batch a little longer than the one before."""
    model = Model().to(dev)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    for step in range(24):
        logits, _ = model(prompt(64 + 16 * step, 65 + 16 * step))
        logits.square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    moment()


def longer_serving():
    model = Model().to(dev).eval()
    with torch.no_grad():
        for request in range(48):
            model(prompt(64 + 8 * request, 65 + 8 * request))
    moment()


def generate():
    """One long answer: keys and values grow by copying, a token at a time."""
    model = Model().to(dev).eval()
    with torch.no_grad():
        logits, kv = model(prompt(256, 257))
        for _ in range(120):
            logits, kv = model(logits.argmax(-1), kv)
    moment()


def generations():
    """Several answers, each given back when it is done."""
    model = Model().to(dev).eval()
    with torch.no_grad():
        for request in range(6):
            logits, kv = model(prompt())
            for _ in range(20):
                logits, kv = model(logits.argmax(-1), kv)
    moment()


def adapters():
    """Ten adapters, loaded when first asked for; all are there after a while."""
    model, kept = Model().to(dev).eval(), {}
    with torch.no_grad():
        for request in range(120):
            customer = random.randrange(min(10, request + 1))
            if customer not in kept:
                kept[customer] = [torch.zeros(256, 64, device=dev), torch.zeros(64, 256, device=dev)]
            a, b = kept[customer]
            x = model.emb(prompt())
            for block in model.blocks:
                x, _ = block(x)
                x = x + x @ a @ b
            model.head(x[:, -1:])
    moment()


def first_step():
    """Optimizer state is made in the first of the steps, gradients stay."""
    model = Model().to(dev)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    for step in range(8):
        optimizer.zero_grad(set_to_none=False)
        model(prompt(256, 257))[0].square().mean().backward()
        optimizer.step()
    moment()


def thaw():
    """Layers are trained one after the other: each adds its gradients and its state once."""
    model = Model(layers=6).to(dev)
    for p in model.parameters():
        p.requires_grad = False
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    for step in range(24):
        if step % 3 == 0 and step < 18:
            for p in model.blocks[5 - step // 3].parameters():
                p.requires_grad = True
        model(prompt(128, 129))[0].square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    moment()


def prefetch():
    """Batches fetched ahead in a queue of eight."""
    model, queue = Model().to(dev), collections.deque()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for step in range(24):
        while len(queue) < 8:
            queue.append(prompt(200, 256))
        model(queue.popleft())[0].square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    moment()


def paged():
    """Pages of keys and values made once, handed out and taken back."""
    model = Model().to(dev).eval()
    pages = [torch.zeros(64, 2, 256, device=dev) for _ in range(64)]
    with torch.no_grad():
        for request in range(40):
            _, kv = model(prompt())
            for i, (k, v) in enumerate(kv):
                pages[i][:, 0, :] = k[0, :64]
    moment()


def evaluate_between():
    """Epochs of training with an evaluation between, whose results are given back."""
    model = Model().to(dev)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    for epoch in range(3):
        for step in range(5):
            model(prompt(128, 129))[0].square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()
        with torch.no_grad():
            found = [model(prompt(128, 129))[0].softmax(-1) for _ in range(10)]
            torch.cat(found).mean().item()
    moment()


keepers = [sessions, new_sessions, embeddings, lru, losses, hooks, hooks_serving, metrics, running_sum, filling, recorder, adapters_for_ever]
others = [replay, replay_late, bounded_lru, warm_up, longer, longer_serving, generate, generations, adapters, first_step, thaw, prefetch, paged,
          evaluate_between]
programs = {f.__name__: f for f in keepers + others}


def moment(kept=()):
    """While the program still has what it has."""
    write(torch.cuda.memory._snapshot(), kept, out[0])


def write(snapshot, kept, out):
    held = {t.untyped_storage().data_ptr() for t in tensors(kept)} if kept is not None else None
    lines, total = {}, 0
    for s in snapshot['segments']:
        a = s['address']
        for b in s['blocks']:
            if b['state'] == 'active_allocated' and held is not None and b.get('address', a) in held:
                f = next((f for f in b['frames'] if f['filename'].endswith('growth_loops.py')), None)
                where = '%s:%d' % (f['name'], f['line']) if f else '?'
                lines[where] = lines.get(where, 0) + b['size']
                total += b['size']
            a += b['size']
    pickle.dump(snapshot, open(out + '.pickle', 'wb'), protocol=4)
    json.dump({'kept': total, 'graph': held is None, 'lines': lines}, open(out + '.truth.json', 'w'))
    print(out, total >> 10, 'KiB kept', lines)


def run(program, path):
    out.append(path)
    torch.backends.cudnn.enabled = False  # the pretend CUDA has none
    torch.cuda.init()
    torch.cuda.memory._record_memory_history(stacks=os.environ.get('STACKS', 'python'), max_entries=200000)
    programs[program]()


def main():
    folder, names = sys.argv[1], sys.argv[2:] or list(programs)
    failed = 0
    for name in names:
        child = os.fork()
        if not child:
            run(name, '%s/%s' % (folder, name))
            sys.stdout.flush()
            os._exit(0)
        failed += os.waitpid(child, 0)[1] != 0
    sys.exit(failed != 0)


if __name__ == '__main__':
    main()
