"""Dumps into Parquet on two cores by `gpusnap fleet`, against two processes that do half of them each, knowing nothing of each other:
plain loops over the same step, without a process apart for each dump's safety. Alternating, so that a busy machine is busy for both.
usage: bench.py BUILD [--dumps 1000] [--events 10000] [--rounds 3]"""
import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import generate

HALF = '''
import sys, os
from gpusnap.fleet import context, source, step, store
fleet, part = store.Fleet(sys.argv[1], create=True), store.Part()
for file in list(source.files([sys.argv[2]]))[int(sys.argv[3])::2]:
    with open(file['path'], 'rb') as f:
        rows, found = step.analyze(f.read(), {'path': file['path'], 'below': file['below']})
    part.add(rows, found, {'path': file['path'], 'size': file['size'], 'mtime_ms': file['mtime_ms']})
    if len(part.dumps) == 1000:
        fleet.commit(fleet.write(part), part.dumps)
        part = store.Part()
fleet.commit(fleet.write(part), part.dumps)
'''


def make(folder, dumps, events):
    """Dumps that differ, as many as there are causes; the others are the same bytes of other ranks."""
    made = folder + '/made'
    generate.make(made, 24, events, days=3, seed=11, gsnap=False, broken=0)
    files = sorted(os.path.join(at, name) for at, _, names in os.walk(made) for name in names)
    for i in range(dumps):
        place = f'{folder}/dumps/{os.path.relpath(files[i % len(files)], made).split("/")[0]}/rank{i}'
        os.makedirs(place)
        os.link(files[i % len(files)], place + '/snapshot.pickle')
    return folder + '/dumps'


def timed(commands, environment):
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    running = [subprocess.Popen(c, env=environment, stderr=subprocess.DEVNULL) for c in commands]
    assert all(p.wait() == 0 for p in running)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    p = argparse.ArgumentParser()
    p.add_argument('build'), p.add_argument('--dumps', type=int, default=1000), p.add_argument('--events', type=int, default=10000)
    p.add_argument('--rounds', type=int, default=3)
    a = p.parse_args()
    generate.use(a.build)
    environment = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + '/tools/python')
    folder = tempfile.mkdtemp(prefix='gpusnap-bench-')
    try:
        dumps = make(folder, a.dumps, a.events)
        ours, theirs = [], []
        for i in range(a.rounds):
            ours.append(timed([[sys.executable, '-m', 'gpusnap.fleet', 'run', dumps, '-o', f'{folder}/ours{i}', '--jobs', '2']], environment))
            theirs.append(timed([[sys.executable, '-c', HALF, f'{folder}/half{i}-{k}', dumps, str(k)] for k in (0, 1)], environment))
            print(f'fleet bench: round {i + 1}: gpusnap fleet {ours[-1][0]:.1f} s ({ours[-1][1]:.1f} s of processor), '
                  f'two halves {theirs[-1][0]:.1f} s ({theirs[-1][1]:.1f} s)', flush=True)
        size = sum(os.path.getsize(os.path.join(at, n)) for at, _, names in os.walk(f'{folder}/ours0') for n in names if n.endswith('.parquet'))
        read = sum(os.path.getsize(os.path.join(at, n)) for at, _, names in os.walk(dumps) for n in names)
        ratios = [t[0] / o[0] for o, t in zip(ours, theirs)]
        print(f'fleet bench: {a.dumps} dumps of {a.events} events on two cores: {statistics.median(ratios):.2f} of the speed of two processes that '
              f'do half each (goal 0.85; rounds {" ".join(f"{r:.2f}" for r in ratios)})')
        print(f'fleet bench: {statistics.median(o[1] for o in ours) / a.dumps * 1000:.1f} ms of processor a dump, '
              f'{3600 * a.dumps / statistics.median(o[1] for o in ours):,.0f} dumps an hour and core; {read / a.dumps:,.0f} bytes read '
              f'and {size / a.dumps:,.0f} bytes of Parquet a dump')
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == '__main__':
    main()
