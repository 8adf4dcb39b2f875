"""What the analyzer says of memory against what it was: categories, growth, steps and peaks of recorded training loops.

usage: check.py GPUSNAP DATA.tar.xz... [FOLDER]      FOLDER: more such moments (NAME.pickle, NAME.truth.json)

The archives hold snapshots of a real PyTorch (tests/torch/meaning_loops.py and the like) with the truth of each live
block by the program's own objects. By bytes over the scored categories: right >= 95 %, wrong <= 2 %; of recordings that
begin late activations >= 90 % right, wrong <= 5 %. A temporary that is called parameter or optimizer_state is wrong.
Growth is named in the leaks alone. Figures of steps, and what the peak was made of, equal a replay of the events that is
written here on its own. half_batch.json tells the most that the same loop reserved when it was really run with half the
batch: what-if foretells it from the whole one within 5 %.
"""
import bisect, glob, json, os, pickle, subprocess, sys, tarfile, tempfile

SCORED = ('parameter', 'gradient', 'optimizer_state', 'activation', 'input', 'workspace')
LEAKS = ('leak-end3', 'logger-end3')
MAYBE = ('leak-', 'logger-')  # two kept tensors are too few to be sure
MIB = 1 << 20
HALVES = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'half_batch.json')))


def ask(tool, path, query):
    done = subprocess.run([tool, 'query', '-q', '--json', path, query], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)['rows']


def one(category):
    return 'parameter' if category == 'buffer' else category


def score(said, truth):
    total = right = wrong = made = found = 0
    for b in truth['blocks']:
        is_, size = one(b['category']), b['size']
        says = one(said[b['address']])
        if is_ in SCORED:
            total += size
            right += size * (says == is_)
            wrong += size * (says not in (is_, 'unknown'))
        elif says in ('parameter', 'optimizer_state'):
            wrong += size
        if is_ == 'activation':
            made += size
            found += size * (says == is_)
    return right / total, wrong / total, found / made if made else 1


class Replay:
    """Bytes event by event, from addresses and the rules of splitting alone."""
    def __init__(self):
        self.ends, self.live, self.allocated, self.reserved = {}, {}, 0, 0  # ends: of segments, by address

    def room(self, address):
        """From an address to the next live block, or the end of its segment."""
        start = max(a for a in self.ends if a <= address)
        later = [a for a in self.live if address < a < self.ends[start]]
        return start, min(later, default=self.ends[start]) - address

    def play(self, e):
        a, n = e.get('addr'), e['size']
        if e['action'] == 'segment_alloc':
            self.ends[a] = a + n
            self.reserved += n
        elif e['action'] == 'segment_free':
            del self.ends[a]
            self.reserved -= n
        elif e['action'] == 'alloc':
            size = max(512, (n + 511) // 512 * 512)
            start, room = self.room(a)
            small = self.ends[start] - start == 2 * MIB
            size = size if room - size >= 512 and (small or room - size > MIB) else room
            self.live[a] = size
            self.allocated += size
        elif e['action'] == 'free_requested':
            self.allocated -= self.live[a]
        elif e['action'] == 'free_completed':
            del self.live[a]


def check_steps(rows, events):
    replay, at = Replay(), 0
    states = [(0, 0)]
    for e in events:
        replay.play(e)
        states.append((replay.allocated, replay.reserved))
    for r in rows:
        inside = states[r['first_idx'] + 1:r['last_idx'] + 2]
        peak = max(s[0] for s in inside)
        want = dict(start_allocated=states[r['first_idx']][0], end_allocated=inside[-1][0], peak_allocated=peak,
                    peak_reserved=max(s[1] for s in inside),
                    peak_idx=r['first_idx'] + [s[0] for s in inside].index(peak))
        want['growth'] = want['end_allocated'] - want['start_allocated']
        for k, v in want.items():
            assert r[k] == v, 'step %d: %s is %s, a replay gives %s' % (r['step'], k, r[k], v)
    return max(s[0] for s in states)


def own_place(event):
    """The innermost line of the program's own script: what a holder is called where no library beside PyTorch is in between."""
    for f in event.get('frames', []):
        if os.path.basename(f['filename']) == 'loop.py':
            return 'loop.py:%d %s' % (f['line'], f['name'])
    return None


def check_peak(tool, path, events):
    """What the diagnosis says the peak was made of: as a replay has it, block by block, and as the queries of that state do."""
    done = subprocess.run([tool, 'diagnose', '-q', '--json', path], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    peak, replay, born = json.loads(done.stdout)['peak'], Replay(), {}
    for e in events[:peak['idx'] + 1]:
        replay.play(e)
        if e['action'] == 'alloc':
            born[e['addr']] = e
    live = {a: (size, own_place(born[a])) for a, size in replay.live.items()}
    for rows in 'categories', 'holders':
        told = [(r['bytes'], r['blocks']) for r in peak[rows]]
        assert told == sorted(told, key=lambda t: -t[0]), '%s of the peak are not in order: %s' % (rows, told)
        made = sum(size for size, _ in live.values()), len(live)
        assert tuple(map(sum, zip(*told))) == made, '%s of the peak: %s, a replay gives %s' % (rows, told, made)
        asked = subprocess.run([tool, 'query', '-q', '--json', '--state', 'peak', path, rows], capture_output=True, text=True, timeout=120)
        assert {tuple(r[k] for k in r) for r in peak[rows]} == {tuple(q[k] for k in peak[rows][0]) for q in json.loads(asked.stdout)['rows']}, rows
    if not os.path.basename(path).startswith('hf'):
        for where in {place for _, place in live.values() if place}:
            told = sum(r['bytes'] for r in peak['holders'] if r['where'] == where)
            made = sum(size for size, place in live.values() if place == where)
            assert told == made, '%s held %d at the peak, a replay gives %d' % (where, told, made)


def check_half(tool, path, real):
    done = subprocess.run([tool, 'whatif', '-q', '--json', path, '--scale', 'activation=0.5'], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)['rows'][0]['peak_reserved']
    assert abs(told / real - 1) <= 0.05, 'half the batch: %d foretold, %d was needed' % (told, real)


def check(tool, path, name):
    truth = json.load(open(path[:-7] + '.truth.json'))
    said = {r['address']: r['category'] for r in ask(tool, path, "SELECT address, category FROM block WHERE state = 'active_allocated'")}
    right, wrong, activations = score(said, truth)
    late = name.endswith('late')
    assert wrong <= (0.05 if late else 0.02), 'wrong %.3f' % wrong
    assert activations >= 0.9 if late else right >= 0.95, 'right %.3f, activations %.3f' % (right, activations)
    growth = ask(tool, path, 'growth')
    if name.startswith(LEAKS):
        assert growth, 'no growth is named'
        kept = [b for b in truth['blocks'] if b['category'] == 'kept']
        assert sum(r['bytes'] for r in growth) >= sum(b['size'] for b in kept) * 0.9, growth
    elif not name.startswith(MAYBE):
        assert not growth, 'growth: %s' % growth
    snapshot = pickle.load(open(path, 'rb'))
    steps = ask(tool, path, 'steps')
    if '-end3-' in name:
        assert [r['step'] for r in steps] == [0, 1, 2], 'steps %s' % [r['name'] for r in steps]
    if not late:
        most = check_steps(steps, snapshot['device_traces'][0])
        peak = ask(tool, path, 'peak')[0]
        assert peak['allocated'] == most, 'peak %d, a replay gives %d' % (peak['allocated'], most)
        check_peak(tool, path, snapshot['device_traces'][0])
    if name in HALVES:
        check_half(tool, path, HALVES[name])
    return right, wrong


def main():
    tool, inputs = sys.argv[1], sys.argv[2:]
    archives = [x for x in inputs if x.endswith('.tar.xz')]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for archive in archives:
            with tarfile.open(archive) as tar:
                tar.extractall(folder)
        files = sorted(glob.glob(folder + '/**/*.pickle', recursive=True))
        more = [f for x in inputs[len(archives):] for f in sorted(glob.glob(x + '/*.pickle'))]
        names = {os.path.basename(f)[:-7] for f in files}
        assert names >= set(HALVES), 'no recordings of %s' % (set(HALVES) - names)
        for path in files + more:
            name = os.path.basename(path)[:-7]
            try:
                right, wrong = check(tool, path, name)
                passed += 1
                if os.environ.get('V'):
                    print('  %-48s right %.3f wrong %.3f' % (name, right, wrong))
            except AssertionError as e:
                failed += 1
                print('meaning: %s: %s' % (name, e))
    skipped = '' if more else ', 1 skipped (no further moments in ../shared/meaning)'
    print('meaning: %d passed, %d failed%s' % (passed, failed, skipped))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
