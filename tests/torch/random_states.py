#!/usr/bin/env python3
"""A random program of allocator calls: streams, record_stream, MemPools, captured graphs, two devices, empty_cache; for
record_states' comparison. usage: LD_PRELOAD=fake.so FAKE_CUDA_DEVICES=2 random_states.py OUT EVERY SEED STEPS [CONF]"""
import random, sys
import torch
from record_states import Recorder, memory

out, every, seed, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
random.seed(seed)
torch.cuda.init()
if len(sys.argv) > 5:
    memory._set_allocator_settings(sys.argv[5])
memory._record_memory_history(max_entries=1000000, stacks="python")
recorder = Recorder(every)
devices = list(range(torch.cuda.device_count()))
streams = {d: [torch.cuda.default_stream(d)] + [torch.cuda.Stream(d) for _ in range(2)] for d in devices}
live, graphs, pools = [], [], []


def size():
    kind = random.random()
    if kind < .4:
        return random.randint(1, 1 << 20)
    if kind < .8:
        return random.randint(1 << 20, 12 << 20)
    return random.randint(12 << 20, 90 << 20)


def allocate(device, stream):
    try:
        with torch.cuda.stream(stream):
            live.append(torch.empty(size(), dtype=torch.uint8, device=f"cuda:{device}"))
    except torch.OutOfMemoryError:
        live[:] = random.sample(live, len(live) // 2)


def capture(device):
    graph = torch.cuda.CUDAGraph()
    pool = graphs[-1][0].pool() if graphs and graphs[-1][2] == device and random.random() < .5 else None
    kept = []
    torch.cuda.set_device(device)
    try:
        with torch.cuda.graph(graph, pool=pool):
            for _ in range(random.randint(1, 6)):
                t = torch.empty(size(), dtype=torch.uint8, device=f"cuda:{device}")
                recorder.tick()
                if random.random() < .5:
                    kept.append(t)
                del t
        graphs.append((graph, kept, device))
    except (torch.OutOfMemoryError, RuntimeError):
        live.clear()


def in_mempool(device):
    torch.cuda.set_device(device)
    if not pools or random.random() < .3:
        pools.append((torch.cuda.MemPool(), device))
    pool, owner = random.choice(pools)
    torch.cuda.set_device(owner)
    with torch.cuda.use_mem_pool(pool):
        for _ in range(random.randint(1, 4)):
            allocate(owner, streams[owner][0])


for step in range(steps):
    device = random.choice(devices)
    stream = random.choice(streams[device])
    what = random.random()
    if what < .5:
        allocate(device, stream)
    elif what < .9 and live:
        t = live.pop(random.randrange(len(live)))
        if random.random() < .3:
            t.record_stream(random.choice(streams[t.device.index]))
        del t
    elif what < .93:
        capture(device)
    elif what < .96:
        in_mempool(device)
    elif what < .97 and graphs:
        graphs.pop(random.randrange(len(graphs)))
    elif what < .98 and pools:
        pools.pop(random.randrange(len(pools)))
    elif what < .99:
        torch.cuda.empty_cache()
    recorder.tick()
recorder.write(out)
