#!/usr/bin/env python3
"""Random scripts of allocator calls, through gpusnap sim and through a released PyTorch on the pretend CUDA; both must do the same.

    check_rules.py GPUSNAP RELEASE PYTHON FAKE.so [--scripts N] [--calls N] [--seed N] [--setting NAME] [--jobs N] [--keep DIRECTORY]

Each setting gets N scripts. A script depends on (seed, setting, number) alone: a difference is named so that it can be made again. Ends with
`check-rules RELEASE: N equal, N different, N unstable` and exits 1 when any differs."""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import threading

CAPACITY = 2048  # MiB
HERE = os.path.dirname(os.path.abspath(__file__))
ACTION = re.compile(r'    (alloc|free_requested|free_completed|segment_alloc|segment_free|segment_map|segment_unmap|oom) ')
POWERS = [1, 2, 4, 8, 16]


def roundup(r):
    if r.random() < 0.4:
        return f'roundup_power2_divisions:{r.choice(POWERS)}'
    keys = sorted(r.sample([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024], r.randint(1, 4)))
    pairs = [f'{k}:{r.choice(POWERS)}' for k in keys]
    if r.random() < 0.6:
        pairs.append(f'>:{r.choice(POWERS)}')
    return f"roundup_power2_divisions:[{','.join(pairs)}]"


def default(r):
    return ['']


def expandable(r):
    return ['expandable_segments:True']


def maxsplit(r):
    text = f'max_split_size_mb:{r.choice([21, 32, 64, 100, 200])}'
    return [text + (f',max_non_split_rounding_mb:{r.choice([21, 40, 200])}' if r.random() < 0.5 else '')]


def collect(r):
    return [f'garbage_collection_threshold:{r.choice([0.3, 0.5, 0.6, 0.8, 0.95])}']


def rounding(r):
    return [roundup(r) for _ in range(r.randint(1, 3))]


def mixed(r):
    # With max_split_size_mb kept and expandable segments not switched: else a block beyond it may be split, and PyTorch gives the front of a segment
    # in use back to the driver.
    split = [maxsplit(r)[0] + r.choice(['', ',expandable_segments:True'])] if r.random() < 0.5 else []
    parts = [lambda: collect(r)[0], lambda: roundup(r)] + ([] if split else [lambda: 'expandable_segments:' + r.choice(['True', 'True', 'False'])])
    return [','.join(split + [p() for p in r.sample(parts, r.randint(1, len(parts)))]) for _ in range(r.randint(2, 6))]


SETTINGS = {f.__name__: f for f in (default, expandable, maxsplit, collect, rounding, mixed)}


class Script:
    """Writes one script. Keeps count of what lives so that memory runs out now and then, not all the time."""

    def __init__(self, r, setting, calls, seeds):
        self.r, self.calls, self.lines, self.live, self.n = r, calls, [], {}, 0
        self.confs = SETTINGS[setting](r)
        self.fraction = setting in ('collect',) or (setting in ('mixed', 'expandable', 'maxsplit') and r.random() < 0.4)
        self.streams = r.sample(range(1, 40), r.choice([0, 1, 2, 2, 5, 12]))
        self.private = r.random() < 0.5
        # with expandable segments PyTorch counts a private pool's device allocations wrongly and asserts, or crashes, when it is released
        self.keep = setting in ('expandable', 'mixed')
        self.graphs = self.private and r.random() < 0.6
        self.seeds = seeds and self.graphs
        self.budget = r.choice([300, 900, 1500, 2200, 2600]) << 20
        self.big = r.random()
        self.open, self.pools, self.npools, self.deferred = [], {}, 0, False

    def size(self):
        r, x = self.r, self.r.random()
        if x < 0.35:
            return r.choice([1, 512, 513, 1024, 2560, r.randint(1, 4096), r.randint(1, 1 << 20)])
        if x < 0.65:
            return r.randint(1 << 20, 10 << 20) if r.random() < 0.8 else r.choice([1 << 20, (1 << 20) + 1, 10 << 20, (10 << 20) - 1, 2 << 20])
        if x < 0.65 + 0.25 * (1 - self.big):
            return r.randint(10 << 20, 40 << 20)
        return r.randint(10 << 20, 400 << 20) if r.random() < 0.9 else r.randint(100 << 20, 1500 << 20)

    def stream(self):
        return self.r.choice(self.streams) if self.streams and self.r.random() < 0.5 else 0

    def capture(self):
        return next((p for p in self.open if p[0] == 'g'), None)

    def malloc(self):
        n, g = self.size(), self.capture()
        s = self.pools[g] if g and self.r.random() < 0.8 else self.stream()
        name = f't{self.n}'
        self.n += 1
        form = f'{n >> 20} m' if n % (1 << 20) == 0 else f'{n >> 10} k' if n % 1024 == 0 and self.r.random() < 0.5 else str(n)
        self.lines.append(f'malloc {name} {form}' + (f' {s}' if s else ''))
        self.live[name] = [n, s, False]

    def free(self):
        name = self.r.choice(list(self.live)) if self.r.random() < 0.8 else next(iter(self.live))
        used = self.live[name][2]
        # frees deferred by a capture are kept in a map keyed by memory addresses: their order is chance, so one at a time
        if used and self.open:
            if self.deferred:
                return
            self.deferred = True
        del self.live[name]
        self.lines.append(f'free {name}')

    def record(self):
        if not self.live or not self.streams:
            return
        name = self.r.choice(list(self.live))
        s = self.r.choice(self.streams + [0])
        self.lines.append(f'record {name} {s}')
        self.live[name][2] |= s != self.live[name][1]

    def begin(self):
        new = self.r.random() < 0.6
        kind = 'g' if self.graphs and not self.capture() and self.r.random() < 0.4 else 'm'
        old = [p for p in self.pools if p[0] == kind and p not in self.open]
        if kind == 'g' or new or not old:
            self.npools += 1
            name = f'{kind}{self.npools}'
        else:
            name = self.r.choice(old)
        self.pools[name] = self.r.randint(50, 60)
        self.lines.append(f'begin {name}' + (f' {self.pools[name]}' if kind == 'g' else ''))
        self.open.append(name)

    def end(self):
        self.lines.append(f'end {self.open.pop()}')
        if not self.open:
            self.lines.append('malloc .now 1')  # deferred frees are dealt with here
            self.lines.append('free .now')
            self.deferred = False

    def pool(self):
        x = self.r.random()
        closed = [] if self.keep else [p for p in self.pools if p not in self.open]
        if self.open and x < 0.6:
            self.end()
        elif closed and x < 0.7:
            name = self.r.choice(closed)
            if not self.open:
                del self.pools[name]
                self.lines.append(f'release {name}')
        elif len(self.open) < 2 and not self.capture():
            self.begin()

    def other(self):
        x = self.r.random()
        if x < 0.35:
            self.lines.append('complete')
        elif x < 0.55:
            self.lines.append('empty')
        elif x < 0.75 and len(self.confs) > 1:
            self.lines.append('conf ' + self.r.choice(self.confs))
        elif x < 0.85 and self.fraction:
            self.lines.append(f'frac {self.r.choice([0.3, 0.5, 0.7, 0.9, 1.0])}')
        elif x < 0.93:
            self.lines.append('stats')
        elif not self.open:  # up to 2.9 a snapshot inside a MemPool shows that pool alone
            self.lines.append('snap')

    def write(self, path):
        r = self.r
        if self.seeds:
            self.lines += ['malloc .seed1 8 63', 'malloc .seed2 8 63', 'begin g900 63', 'end g900']
        if self.confs[0]:
            self.lines.append('conf ' + self.confs[0])
        if self.fraction:
            self.lines.append(f'frac {r.choice([0.3, 0.5, 0.7, 0.9])}')
        for _ in range(self.calls):
            x = r.random()
            full = sum(n for n, *_ in self.live.values()) > self.budget
            if x < 0.06 and self.streams:
                self.record()
            elif x < 0.09 and self.private:
                self.pool()
            elif x < 0.115:
                self.other()
            elif self.live and (full or x > (0.58 if len(self.live) > 20 else 0.7)):
                self.free()
            else:
                self.malloc()
        while self.open:
            self.end()
        self.lines += ['stats', 'snap', 'empty', 'snap', 'stats']
        with open(path, 'w') as f:
            f.write('\n'.join(self.lines) + '\n')


def flat(text):
    """A transcript in the order of gold_torch.py --flat, without what may differ."""
    first, last, skip = [], [], False
    for line in text.split('\n'):
        if line.startswith('> '):
            skip = line.startswith('> malloc .seed')
        if ACTION.match(line):
            last.append(line)
        elif not skip and not line.startswith('    ['):
            first.append('    EXC' if line.startswith('    EXC') else line)
    return first + last


def difference(a, b):
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            return i, x, y
    return min(len(a), len(b)), f'({len(a)} lines)', f'({len(b)} lines)'


class Server:
    def __init__(self, python, fake):
        env = dict(os.environ, LD_PRELOAD=f'{fake}:{fake[:-3]}.nvml.so', FAKE_CUDA_MIB=str(CAPACITY), FAKE_CUDA_EVENTS='lazy', OMP_NUM_THREADS='1', TORCH_CPP_LOG_LEVEL='ERROR')
        self.p = subprocess.Popen([python, os.path.join(HERE, 'gold_torch.py'), '--serve', '--flat'], env=env, text=True, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE)
        self.p.stdout.readline()

    def run(self, script, out):
        self.p.stdin.write(f'{script} {out}\n')
        self.p.stdin.flush()
        return self.p.stdout.readline().startswith('done')


def torch_side(server, script, out):
    ran = server.run(script, out)
    with open(out) as f:
        return flat(f.read()) + ([] if ran else ['(PyTorch died)'])


def check(options, server, folder, setting, number):
    """('equal', None), ('different', what differs first), or ('unstable', …): PyTorch itself did two things in two runs, one of them ours (2.6 reads
    a block's size after it was deleted when it gives oversize blocks back)."""
    name = f'{options.release}-{setting}-{options.seed}-{number}'
    script, out = os.path.join(folder, name + '.in'), os.path.join(folder, name + '.out')
    r = random.Random(f'{options.seed} {setting} {number}')
    Script(r, setting, options.calls, options.seeds).write(script)
    ours = subprocess.run([options.gpusnap, 'sim', script, '--capacity', f'{CAPACITY}MiB', '--rules', options.release, '--trace'],
                          capture_output=True, text=True)
    a = flat(ours.stdout) + ([] if ours.returncode == 0 else [f'(exit status {ours.returncode})'])
    b = torch_side(server, script, out)
    what = 'equal'
    if a != b:
        first, b = b, torch_side(server, script, out)
        what = 'unstable' if a == b != first else 'different'
    if what == 'equal':
        os.unlink(script)
        os.unlink(out)
        return what, None
    at, x, y = difference(a, b if a != b else first)
    return what, f'{script}: {what}: line {at + 1}: gpusnap {x!r}, PyTorch {y!r} {ours.stderr.strip()}'


def main():
    p = argparse.ArgumentParser()
    for word in ('gpusnap', 'release', 'python', 'fake'):
        p.add_argument(word)
    p.add_argument('--scripts', type=int, default=200)
    p.add_argument('--calls', type=int, default=500)
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--setting', choices=SETTINGS)
    p.add_argument('--jobs', type=int, default=2)
    p.add_argument('--keep', default=None)
    options = p.parse_args()
    options.seeds = tuple(int(x) for x in options.release.split('.')[:2]) < (2, 10)
    os.nice(10)
    work = [(s, n) for s in ([options.setting] if options.setting else SETTINGS) for n in range(options.scripts)]
    folder = options.keep or tempfile.mkdtemp(prefix='check-rules-')
    os.makedirs(folder, exist_ok=True)
    lock, told, counts, equal = threading.Lock(), [], {'equal': 0, 'different': 0, 'unstable': 0}, {}

    def worker():
        server = Server(options.python, options.fake)
        while True:
            with lock:
                if not work:
                    return
                setting, number = work.pop(0)
            what, found = check(options, server, folder, setting, number)
            with lock:
                counts[what] += 1
                equal[setting] = equal.get(setting, 0) + (what == 'equal')
                if found:
                    told.append(found)
                    if len(told) <= 20:
                        print(found, flush=True)

    threads = [threading.Thread(target=worker) for _ in range(options.jobs)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print(' '.join(f'{k} {v}' for k, v in equal.items()))
    print(f"check-rules {options.release}: {counts['equal']} equal, {counts['different']} different, {counts['unstable']} unstable")
    return counts['different'] > 0 or counts['equal'] == 0


if __name__ == '__main__':
    sys.exit(main())
