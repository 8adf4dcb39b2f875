"""A made fleet: dumps of several jobs, ranks, days and causes, with the truth about each question. What a dump holds follows from a
caching allocator of forty lines that asks the device for each large request's own size, so verdicts and figures are known by
construction.

usage: generate.py BUILD FOLDER [--dumps N] [--events N] [--seed N]     writes the dumps and FOLDER.truth.json"""
import argparse
import json
import os
import pickle
import random
import sys

MIB = 1 << 20
BASE = 0x7f0000000000
MONDAY = 1795996800000000      # 2026-11-30 00:00 UTC, in microseconds
DAY = 86400 * 1000000


class Device:
    """Requests are whole multiples of 2 MiB of at least 10 MiB: PyTorch asks the driver for just that. The best fit is split; a free
    piece joins its free neighbours."""

    def __init__(self, capacity, time_us):
        self.capacity, self.time_us = capacity, time_us
        self.segments, self.trace = [], []       # segment: [address, size, [[offset, size, frames or None], …]]

    def note(self, action, address, size, frames, **more):
        self.time_us += 7
        self.trace.append(dict(action=action, addr=address, size=size, stream=0, time_us=self.time_us, frames=frames, **more))

    @property
    def reserved(self):
        return sum(s[1] for s in self.segments)

    def take(self, size, frames):
        """The address, or None where it does not fit."""
        fits = [(b[1], s[0] + b[0], s, b) for s in self.segments for b in s[2] if b[2] is None and b[1] >= size]
        if not fits:
            if self.capacity - self.reserved < size:
                self.retry(frames)
            if self.capacity - self.reserved < size:
                return None
            address = BASE + (len(self.trace) + 1) * 4096 * MIB
            self.segments.append([address, size, [[0, size, None]]])
            self.note('segment_alloc', address, size, frames)
            fits = [(size, address, self.segments[-1], self.segments[-1][2][0])]
        _, address, s, b = min(fits, key=lambda f: f[:2])
        at = s[2].index(b)
        s[2][at:at + 1] = [[b[0], size, frames]] + ([[b[0] + size, b[1] - size, None]] if b[1] > size else [])
        self.note('alloc', address, size, frames)
        return address

    def retry(self, frames):
        for s in [s for s in self.segments if len(s[2]) == 1 and s[2][0][2] is None]:
            self.segments.remove(s)
            self.note('segment_free', s[0], s[1], frames)

    def free(self, address):
        s = next(s for s in self.segments if s[0] <= address < s[0] + s[1])
        b = next(b for b in s[2] if s[0] + b[0] == address)
        for action in ('free_requested', 'free_completed'):
            self.note(action, address, b[1], b[2])
        b[2] = None
        whole = []
        for piece in s[2]:
            if whole and piece[2] is None and whole[-1][2] is None:
                whole[-1][1] += piece[1]
            else:
                whole.append(piece)
        s[2] = whole

    def fail(self, size, frames, outside=0):
        assert self.take(size, frames) is None
        self.note('oom', 0, size, frames, device_free=self.capacity - self.reserved - outside)
        self.trace[-1]['addr'] = self.trace[-1]['device_free']

    def snapshot(self):
        segments = []
        for address, size, blocks in self.segments:
            rows = [dict(address=address + o, size=n, requested_size=n if f else 0, frames=f or [],
                         state='active_allocated' if f else 'inactive') for o, n, f in blocks]
            live = sum(r['size'] for r in rows if r['state'] == 'active_allocated')
            segments.append(dict(device=0, address=address, total_size=size, allocated_size=live, active_size=live, requested_size=live,
                                 stream=0, segment_type='large', segment_pool_id=(0, 0), is_expandable=False, frames=[], blocks=rows))
        settings = dict(PYTORCH_CUDA_ALLOC_CONF='', max_split_size=-1, garbage_collection_threshold=0.0, expandable_segments=False,
                        pinned_num_register_threads=1, release_lock_on_cudamalloc=False, pinned_use_cuda_host_register=False,
                        roundup_power2_divisions={})
        return dict(segments=segments, device_traces=[self.trace], allocator_settings=settings)


def frames(root, *places):
    """('file.py', line, 'function'), innermost first."""
    return [dict(filename=f'{root}/{file}', line=line, name=name) for file, line, name in places]


# --- causes: each makes the failure of a job on a device, with lines shifted by `shift`, and returns the requested bytes ---------------

def fragmented(d, root, shift, scale, warm):
    """Ten kept pieces lie one in each of ten large segments; the request would fit in the holes together."""
    loop(d, root, shift, warm)
    temporary = frames(root, ('model.py', 50 + shift, 'forward'), ('train.py', 58 + shift, 'main'))
    kept = frames(root, ('cache.py', 29 + shift, 'keep'), ('train.py', 60 + shift, 'main'))
    for _ in range(10):
        d.free(d.take(100 * MIB, temporary))
        d.take(52 * MIB, kept)     # larger than the holes that the ones before it left
    d.fail(200 * MIB, frames(root, ('model.py', 33 + shift, 'attention'), ('train.py', 58 + shift, 'main')))


def shortage(d, root, shift, scale, warm):
    """Weights fill the device."""
    loop(d, root, shift, warm)
    weights = frames(root, ('model.py', 12 + shift, 'weights'), ('train.py', 20 + shift, 'main'))
    for i in range(4):
        d.take(200 * MIB + scale, weights)
    d.take(180 * MIB, weights)
    d.fail(100 * MIB, frames(root, ('model.py', 90 + shift, 'logits'), ('train.py', 61 + shift, 'main')))


def leak(d, root, shift, scale, warm):
    """A list of metrics grows step by step until a small request fails; with scale there are more of them."""
    loop(d, root, shift, warm)
    d.take(200 * MIB, frames(root, ('model.py', 12 + shift, 'weights'), ('train.py', 20 + shift, 'main')))
    kept = frames(root, ('metrics.py', 15 + shift, 'append'), ('train.py', 70 + shift, 'main'))
    d.take(320 * MIB + 2 * scale, frames(root, ('kv.py', 8 + shift, 'store'), ('train.py', 66 + shift, 'main')))
    while d.take(40 * MIB, kept):
        pass
    d.note('oom', 0, 40 * MIB, kept, device_free=d.capacity - d.reserved)
    d.trace[-1]['addr'] = d.trace[-1]['device_free']


def loop(d, root, shift, events):
    """Some quiet steps, so that the recording has that many events."""
    while len(d.trace) < events:
        held = [d.take(16 * MIB, frames(root, (f'layer{i}.py', 5 + shift, 'forward'), ('train.py', 40 + shift, 'main'))) for i in range(4)]
        for address in reversed(held):
            d.free(address)
    d.retry(frames(root, ('train.py', 41 + shift, 'main')))


CAPACITY = {fragmented: 1024 * MIB, shortage: 1024 * MIB, leak: 1024 * MIB}
# job: cause, and the code that its hosts run (the same code means the same cause). Two jobs of one code, one of another.
JOBS = [('pretrain-7b', fragmented), ('pretrain-13b', fragmented), ('finetune-law', shortage), ('finetune-code', shortage),
        ('serve-kv', leak), ('nightly', leak), ('ablate-1', fragmented), ('eval', shortage)]


def broken(data, how):
    return (b'', b'not a dump at all\n\x00\xff', data[:len(data) // 3], b'\x80\x04' + bytes(range(256)) * 4)[how % 4]


def write_pickle(path, snapshot):
    with open(path, 'wb') as f:
        pickle.dump(snapshot, f, protocol=4)


def write_gsnap(path, snapshot, capacity, device_free, **facts):
    from gpusnap import native, snapshot as builders
    b = builders.Builder()
    for name, value in facts.items():
        b.fact(name, value)
    native.check(native.lib.gpusnap_builder_device(b.handle, native.Device(
        device=0, name=b'Made H100', capacity=capacity, device_free=device_free, allowed=native.UNKNOWN,
        others=native.UNKNOWN, dropped=0, complete=1, layout_at_oom=1)))
    for s in snapshot['segments']:
        b.segment(s)
    builders.add_trace(b, 0, snapshot['device_traces'][0])
    builders.add_settings(b, {'allocator_settings': {k: v for k, v in snapshot['allocator_settings'].items() if isinstance(v, str)}})
    b.write(0, path)
    b.close()


def name_of(host, pid, rank, time_us):
    import datetime
    t = datetime.datetime.fromtimestamp(time_us // 1000000, datetime.timezone.utc)
    return f'oom-{host}-{pid}-r{rank}-d0-{t:%Y%m%dT%H%M%SZ}-1'


DAYS = 14
LEAST = len(JOBS) * DAYS        # with fewer dumps some job has none, and the questions other answers


def make(folder, dumps=2000, events=0, seed=1, gsnap=True, days=DAYS, broken=0.03):
    """Writes them and returns the truth. Each job runs once a day on so many ranks that there are as many dumps as asked for."""
    chance = random.Random(seed)
    truth = {'dumps': 0, 'broken': [], 'jobs': {}}
    ranks = max(dumps // (len(JOBS) * days), 1)
    left = dumps
    for number, (job, cause) in enumerate(JOBS):
        of = truth['jobs'][job] = {'cause': cause.__name__, 'first': None, 'failures': 0, 'kv': {}}
        os.makedirs(f'{folder}/{job}', exist_ok=True)
        for day in range(days):
            offsets = chance.sample(range(1, 3600), ranks)
            for rank in range(ranks):
                if not left:
                    break
                left -= 1
                one(folder, truth, of, job, cause, number, day, rank, offsets[rank], chance, events, gsnap, broken)
    number = 0
    while left:     # the rest: a job of a dump a rank
        of = truth['jobs'].setdefault('ablate-1', None)
        left -= 1
        one(folder, truth, of, 'ablate-1', fragmented, 6, 13, ranks + number, 5000 + number, chance, events, gsnap, broken)
        number += 1
    return truth


def one(folder, truth, of, job, cause, number, day, rank, offset, chance, events, gsnap, share):
    host = f'node{number}{rank % 5}'
    root = (f'/home/{host}/train', f'/opt/jobs/{job}/src')[rank % 2]
    shift = rank % 3 + (40 if day >= 7 else 0)     # code moves, causes stay
    start = MONDAY - (days_back(day)) * DAY + offset * 1000000
    scale = 20 * MIB if day >= 7 and job == 'serve-kv' else 0     # last week's release holds more
    d = Device(CAPACITY[cause], start)
    cause(d, root, shift, scale, events)
    snapshot, when, pid = d.snapshot(), d.time_us, 1000 + rank + 100 * day
    facts = dict(host=host, pid=pid, rank=rank, time_us=when, capacity=d.capacity, device_free=d.capacity - d.reserved)
    place = f'{folder}/{job}'
    bad = chance.random() < share
    if gsnap and (rank + number) % 4 == 1:
        path = f'{place}/{name_of(host, pid, rank, start)}.gsnap'
        write_gsnap(path, snapshot, **facts)
    else:
        os.makedirs(f'{place}/day{day}', exist_ok=True)
        path = f'{place}/day{day}/snapshot_rank{rank}.pickle'
        write_pickle(path, snapshot)
    truth['dumps'] += 1
    if bad:
        with open(path, 'rb') as f:
            data = f.read()
        with open(path, 'wb') as f:
            f.write(broken(data, len(truth['broken'])))
        truth['broken'].append(os.path.abspath(path))
        return
    of['failures'] += 1
    if of['first'] is None or when < of['first']['time_us']:
        of['first'] = dict(rank=rank, time_us=when)
    if cause is leak:
        of['kv'].setdefault('after' if day >= 7 else 'before', []).append(320 * MIB + 2 * scale)


def days_back(day):
    return 13 - day


def main():
    p = argparse.ArgumentParser()
    p.add_argument('build'), p.add_argument('folder')
    p.add_argument('--dumps', type=int, default=2000), p.add_argument('--events', type=int, default=0)
    p.add_argument('--seed', type=int, default=1), p.add_argument('--pickles', action='store_true')
    a = p.parse_args()
    use(a.build)
    truth = make(a.folder, a.dumps, a.events, a.seed, not a.pickles)
    with open(a.folder.rstrip('/') + '.truth.json', 'w') as f:
        json.dump(truth, f, indent=1)
    print(f"{truth['dumps']} dumps, {len(truth['broken'])} of them broken")


def use(build):
    """The package of this tree, with the libraries of that build."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    sys.path.insert(0, root + '/tools/python')
    os.environ.setdefault('GPUSNAP_LIBRARY', os.path.abspath(build) + '/libgpusnap.so.1')
    os.environ.setdefault('GPUSNAP_ANALYZER_LIBRARY', os.path.abspath(build) + '/libgpusnap-analyzer.so.1')


if __name__ == '__main__':
    main()
