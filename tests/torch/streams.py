"""Streams of whole runs of a real PyTorch, held against PyTorch's own history without a limit."""
import json
import os
import subprocess
import tempfile
import time

from harness import Run, ask, case, fake, gpusnap, library, package, program, python

TRAINING = '''
import json, sys, torch, torch.nn as nn, gpusnap.torch
way, stream = sys.argv[1:3]
if way == 'attach': gpusnap.torch.attach(stream=stream)
if way == 'use': gpusnap.torch.use(stream=stream)
torch.cuda.init()
if way != 'use': torch.cuda.memory._record_memory_history(max_entries=1 << 40, stacks='python')
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 8)).cuda()
optimizer = torch.optim.Adam(model.parameters())
for n in range(200):
    gpusnap.step(n)
    x = torch.ones(16 + n % 5, 64, device='cuda')
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if n % 50 == 49: torch.cuda.empty_cache()
if way != 'use':
    trace = torch.cuda.memory._snapshot()['device_traces'][0]
    print(json.dumps([[e['action'], e['addr'], e['size'], e['stream']] for e in trace if e['action'] not in ('snapshot', 'user_defined')]))
else:
    print('[]')
'''


def _stream_of(way):
    """What PyTorch's history told of the run, and the stream's file."""
    stream = os.path.join(tempfile.mkdtemp(), 'run.gsnap')
    r = Run(program(TRAINING), way, stream)
    assert r.status == 0, r.err[-2000:]
    return r.json(), stream


def _events(stream):
    rows = ask(stream, "SELECT action, address, size, stream FROM event WHERE action NOT IN "
               "('snapshot', 'record_stream', 'empty_cache', 'annotate') ORDER BY idx")
    return [[e['action'], e['address'], e['size'], e['stream']] for e in rows]


@case
def attach_streams_every_event_of_the_own_history_in_order():
    history, stream = _stream_of('attach')
    got = _events(stream)
    assert len(history) > 10000, len(history)
    # what comes behind is what the program gave back after it had taken its snapshot
    assert got[:len(history)] == history, next((i, a, b) for i, (a, b) in enumerate(zip(got, history)) if a != b)
    steps = ask(stream, 'steps')
    assert [s['step'] for s in steps] == list(range(200)), steps


THREADS = '''
import json, os, random, sys, threading, time, torch, gpusnap.torch
early = torch.empty(5000000, dtype=torch.uint8, device='cuda')
gpusnap.torch.attach(stream=sys.argv[1])
torch.cuda.init()
torch.cuda.reset_peak_memory_stats()
kept = []
def work(seed):
    chance, live = random.Random(seed), []
    for n in range(350000):
        if len(live) > 40 or live and chance.random() < .5: live.pop(chance.randrange(len(live)))
        else: live.append(torch.empty(int(chance.choice([5000, 300000, 3 << 20, 9 << 20]) * chance.random()) + 1, dtype=torch.uint8, device='cuda'))
    kept.append(live)
threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
for t in threads: t.start()
for t in threads: t.join()
stats = torch.cuda.memory_stats()
segments = [[s['address'], s['total_size'], [[b['size'], b['state'].replace('awaiting', 'pending')] for b in s['blocks']]]
            for s in torch.cuda.memory_snapshot()]
print(json.dumps([stats['allocated_bytes.all.peak'], torch.cuda.get_device_properties(0).total_memory, segments]))
sys.stdout.flush()
time.sleep(2)
os._exit(0)     # as if it were killed
'''


@case
def attach_streams_have_layouts_capacity_and_settings():
    """Three threads allocate while layouts are taken, one at the start and one each million events; the process ends without its end."""
    stream = os.path.join(tempfile.mkdtemp(), 'run.gsnap')
    r = Run(program(THREADS), stream)
    allocated, capacity, segments = r.json()
    about = ask(stream, 'summary')[0]
    assert about['capacity'] == capacity and about['events'] > 1 << 20, about
    settings = {s['name'] for s in ask(stream, 'settings')}
    assert {'expandable_segments', 'max_split_size'} <= settings, settings
    peak = ask(stream, 'peak')[0]
    assert peak['allocated'] == allocated, (peak, allocated)
    blocks = ask(stream, 'SELECT segment, size, state FROM block ORDER BY address')
    got = [[s['address'], s['size'], [[b['size'], b['state']] for b in blocks if b['segment'] == s['address']]]
           for s in ask(stream, 'SELECT address, size FROM segment ORDER BY address')]
    assert got == segments, next((a, b) for a, b in zip(got, segments) if a != b)


TWO_DEVICES = '''
import json, os, sys, time, torch, gpusnap.torch
early = [torch.empty(n << 20, dtype=torch.uint8, device=f'cuda:{d}') for d in range(2) for n in (3, 5 + d)]
del early[0], early[1]
gpusnap.torch.attach(stream=sys.argv[1])
later = [torch.empty(n << 20, dtype=torch.uint8, device=f'cuda:{d}') for d in range(2) for n in (7, 30 + d)]
torch.cuda.memory._snapshot()
del later[0], later[1]
print(json.dumps([[s['device'], s['address'], [[b['size'], b['state']] for b in s['blocks']]] for s in torch.cuda.memory_snapshot()]))
sys.stdout.flush()
time.sleep(2)
os._exit(0)
'''


@case
def a_stream_has_the_layouts_and_snapshots_of_each_device():
    """What was allocated before attach() too; PyTorch's entry of a snapshot names device 0 for all of them."""
    stream = os.path.join(tempfile.mkdtemp(), 'run.gsnap')
    segments = Run(program(TWO_DEVICES), stream, FAKE_CUDA_DEVICES=2).json()
    blocks = ask(stream, 'SELECT device, segment, size, state FROM block ORDER BY device, address')
    got = [[s['device'], s['address'], [[b['size'], b['state']] for b in blocks if b['segment'] == s['address'] and b['device'] == s['device']]]
           for s in ask(stream, 'SELECT device, address FROM segment ORDER BY device, address')]
    assert got == sorted(segments), (got, segments)
    markers = ask(stream, "SELECT device, count(*) AS n FROM event WHERE action = 'snapshot' GROUP BY device")
    assert markers == [{'device': 0, 'n': 2}, {'device': 1, 'n': 2}], markers
    states = ask(stream, 'SELECT device, name, exact, note FROM state')
    assert {s['device'] for s in states} == {0, 1} and all(s['exact'] for s in states), states


POOLS = '''
import sys, torch, gpusnap.torch
getattr(gpusnap.torch, sys.argv[1])(stream=sys.argv[2])
torch.cuda.init()
kept = []
for d in range(2):
    with torch.cuda.device(d):
        pool = torch.cuda.MemPool()
        kept.append(torch.empty(30 << 20, dtype=torch.uint8, device='cuda'))
        with torch.cuda.use_mem_pool(pool):
            kept += [torch.empty(n << 20, dtype=torch.uint8, device='cuda') for n in (5, 60)]
        kept += [pool, torch.empty(7 << 20, dtype=torch.uint8, device='cuda')]
for n in range(2000): torch.empty(((n % 7) << 20) + 1000, dtype=torch.uint8, device=f'cuda:{n % 2}')
'''


@case
def the_first_layouts_of_two_devices_are_whole_though_a_mem_pool_is_active():
    """The second device's layout is wanted while the pool of the first one serves the thread."""
    for way in ('attach', 'use'):
        stream = os.path.join(tempfile.mkdtemp(), 'run.gsnap')
        r = Run(program(POOLS), way, stream, FAKE_CUDA_DEVICES=2)
        assert r.status == 0, r.err
        states = ask(stream, 'SELECT device, name, exact, note FROM state')
        assert {s['device'] for s in states} == {0, 1} and all(s['exact'] for s in states), (way, states)
        for d in (0, 1):
            (peak,) = (p for p in ask(stream, 'peak') if p['device'] == d)
            assert peak['allocated'] == ask(stream, f"SELECT max(sum) m FROM (SELECT sum(CASE action WHEN 'alloc' THEN (size + 511) / 512 * 512 "
                f"WHEN 'free_completed' THEN -((size + 511) / 512 * 512) ELSE 0 END) OVER (ORDER BY idx) sum FROM event WHERE device = {d})")[0]['m'], (way, peak)


HELD = '''
import sys, torch, gpusnap.torch
gpusnap.torch.attach(stream=sys.argv[1])
held = [torch.empty(30 << 20, dtype=torch.uint8, device='cuda') for _ in range(20)]
'''


@case
def a_stream_tells_who_else_holds_the_device():
    """Asked at a layout; what the allocator took since is counted off what was free then."""
    stream = os.path.join(tempfile.mkdtemp(), 'run.gsnap')
    r = Run(program(HELD), stream, mib=8192, FAKE_CUDA_OTHER_MIB=3584, FAKE_NVML_OTHERS='4711:3072:/usr/bin/server,815:512:viewer')
    assert r.status == 0, r.err
    rows = {row['holder']: row['bytes'] >> 20 for row in ask(stream, 'outside')}
    assert rows == {'pytorch': 600, 'server': 3072, 'viewer': 512, 'free': 8192 - 3584 - 600}, rows


@case
def use_streams_every_event_that_the_own_allocator_would_tell():
    """Of the same program: addresses are the device's, so that actions and sizes are compared."""
    history, _ = _stream_of('plain')
    _, stream = _stream_of('use')
    want = [[e[0], e[2]] for e in history]
    got = [[e[0], e[2]] for e in _events(stream)]
    assert got[:len(want)] == want, next((i, a, b) for i, (a, b) in enumerate(zip(got, want)) if a != b)


LEAK = '''
import sys, time, torch, gpusnap, gpusnap.torch
gpusnap.torch.attach(stream=sys.argv[1])
kept = []
layer = torch.nn.Linear(64, 64).cuda()
def remember(x):
    kept.append(layer(x).detach() * 2)
for n in range(300):
    gpusnap.step(n)
    remember(torch.ones(32, 64, device='cuda'))
    time.sleep(0.01)
print('looked', flush=True)
sys.stdin.readline()
'''


@case
def a_leak_is_named_while_the_program_runs():
    stream = os.path.join(tempfile.mkdtemp(), 'run.gsnap')
    env = {**os.environ, 'LD_PRELOAD': f'{fake}:{fake[:-3]}.nvml.so', 'PYTHONPATH': package, **library}
    p = subprocess.Popen([python, program(LEAK), stream], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert p.stdout.readline().startswith('looked')
        time.sleep(1)
        growth = ask(stream, 'growth')
        assert growth and 'remember' in growth[0]['user_frame'], growth
        assert growth[0]['blocks'] == 300, growth
        top = subprocess.run([gpusnap, 'top', str(p.pid), '--count', '1'], capture_output=True, text=True, timeout=60)
        assert 'remember' in top.stdout, top
    finally:
        p.communicate(chr(10))
    assert p.returncode == 0


LOOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'leak_loop.py')
LEAK_MIB, LEAK_STEPS = 16384, 300


def _watched_leak(way, stream):
    """The figures of a recorded run; growth and top are asked while it runs."""
    env = {**os.environ, 'LD_PRELOAD': f'{fake}:{fake[:-3]}.nvml.so', 'FAKE_CUDA_MIB': str(LEAK_MIB), 'PYTHONPATH': package, **library}
    p = subprocess.Popen([python, LOOP, str(LEAK_STEPS), way, stream], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert p.stdout.readline().startswith('done')
        _until(lambda: (g := ask(stream, 'growth')) and g[0]['blocks'] == LEAK_STEPS and 'remember' in g[0]['user_frame'])
        top = subprocess.run([gpusnap, 'top', stream, '--count', '1'], capture_output=True, text=True, timeout=60)
        assert 'remember' in top.stdout, top
    finally:
        out, _ = p.communicate(chr(10))
    return json.loads(out.strip().splitlines()[-1])


def _until(holds):
    """What is written by and by is there within a minute, however busy the machine is."""
    for _ in range(120):
        if holds():
            return
        time.sleep(0.5)
    raise AssertionError('not within a minute')


@case
def a_leaking_training_is_named_while_it_runs_and_replayed_exactly():
    """What is foretold of settings from the first event on is what runs under these settings come to."""
    confs = ('', 'expandable_segments:True', 'max_split_size_mb:64', 'roundup_power2_divisions:4')
    names = ('peak_reserved', 'allocations', 'retries')
    really = {c: Run(LOOP, str(LEAK_STEPS), mib=LEAK_MIB, PYTORCH_CUDA_ALLOC_CONF=c, PYTORCH_ALLOC_CONF=c).json() for c in confs if c}
    for way in ('attach', 'use'):
        stream = os.path.join(tempfile.mkdtemp(), 'run.gsnap')
        really[''] = _watched_leak(way, stream)
        told = subprocess.run([gpusnap, 'whatif', stream, '--json', *(w for c in confs for w in ('--conf', c))], capture_output=True, text=True, timeout=120)
        assert told.returncode == 0, told.stderr
        for conf, row in zip(confs, json.loads(told.stdout)['rows']):
            assert row['exact'], (way, conf, row, told.stderr)
            assert {n: row[n] for n in names} == {n: really[conf][n] for n in names}, (way, conf, row, really[conf])
