#!/usr/bin/env python3
"""What other tools take for what gpusnap does, on one file and one program: medians of alternating runs, in the processor's time, which other work on the
machine changes little. usage: other_tools.py PYTHON BUILD [EVENTS [RUNS]]

PYTHON has torch, memray and pt-snap-cli; heaptrack is Debian's. The program runs on the pretend CUDA, so that a step of the GPU takes no time: what
recording costs weighs more than beside a real one."""
import os
import re
import statistics
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(here), 'torch'))
python, build = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
events, runs = int((sys.argv[3:] or ['200000'])[0]), int((sys.argv[4:] or ['5'])[0])
tools, root = os.path.dirname(python), os.path.dirname(os.path.dirname(here))
PROGRAM = '''
import sys, time, torch
if "history" in sys.argv: torch.cuda.memory._record_memory_history(stacks="python")
from model import Model
model = Model(layers=2).cuda()
optimizer = torch.optim.AdamW(model.parameters())
for step in range(120):
    if step == 20: began = time.process_time()
    tokens = torch.randint(0, 16384, (2, 129), device="cuda")
    torch.nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten()).backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
print("loop", time.process_time() - began, file=sys.stderr)
if "history" in sys.argv: torch.cuda.memory._dump_snapshot("history.pickle")
'''


def run(words, folder, **env):
    """(seconds of the processor, bytes of memory at most, bytes that it wrote) of one run; of the program the seconds are those of its loop."""
    subprocess.run('rm -rf o.* *.db *.html *.gsnap *.bin *.zst x history.pickle', shell=True, cwd=folder, check=True)
    before = {os.path.join(d, f) for d, _, fs in os.walk(folder) for f in fs}
    with open(os.devnull, 'w') as nothing:
        child = subprocess.Popen(words, cwd=folder, stdout=nothing, stderr=subprocess.PIPE, env={**os.environ, 'HOME': folder, **env})
        said = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
    if status or b'cannot' in said:
        raise SystemExit(f'{words}: status {status}: {said.decode(errors="replace")[-800:]}')
    written = sum(os.path.getsize(os.path.join(d, f)) for d, _, fs in os.walk(folder) for f in fs if os.path.join(d, f) not in before and '/.' not in d)
    loop = re.search(rb"^loop (\S+)", said, re.M)
    return float(loop[1]) if loop else usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, written


def compare(title, rows, folder):
    """rows: (what, words, environment); ratios are to the first."""
    found = {what: [] for what, _, _ in rows}
    for _ in range(runs):
        for what, words, env in rows:
            found[what].append(run(words, folder, **env))
    print(f'\n{title}, medians of {runs} alternating runs')
    base = statistics.median(f[0] for f in found[rows[0][0]])
    for what, words, _ in rows:
        seconds, memory, written = (statistics.median(f[i] for f in found[what]) for i in range(3))
        print(f'{what:34} {seconds:7.2f} s {seconds / base:7.2f} {memory / 1e6:6.0f} MB of memory {written / 1e6:8.2f} MB written   {" ".join(os.path.basename(w) if "/" in w else w for w in words)}')


def main():
    from check_torch_env import prepare
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, here + '/make_big_snapshot.py', str(events), folder + '/big.pickle'], check=True, stdout=subprocess.DEVNULL)
        os.link(root + '/docs/examples/model.py', folder + '/model.py') if os.stat(folder).st_dev == os.stat(root).st_dev else \
            subprocess.run(['cp', root + '/docs/examples/model.py', folder], check=True)
        with open(folder + '/program.py', 'w') as f:
            f.write(PROGRAM)
        gpusnap = build + '/gpusnap'
        compare(f'one snapshot of {events:,} events, {os.path.getsize(folder + "/big.pickle") / 1e6:.0f} MB', [
            ('the verdict', [gpusnap, 'diagnose', 'big.pickle'], {}),
            ('holders of the peak', [gpusnap, 'query', 'big.pickle', 'holders', '--state', 'peak'], {}),
            ('into SQLite', [gpusnap, 'load', 'big.pickle', '-o', 'o.db'], {}),
            ('a report, readable without script', [gpusnap, 'report', 'big.pickle', '--static', '-o', 'o.html'], {}),
            ('pt-snap-cli into SQLite', [tools + '/pt-snap', 'import', 'big.pickle', '-o', 'x.db'], {}),
            ("memory_viz's page", [python, '-m', 'torch.cuda._memory_viz', 'trace_plot', 'big.pickle', '-o', 'o.html'], {}),
            ('reading it at all', [python, '-c', 'import pickle; pickle.load(open("big.pickle", "rb"))'], {}),
        ], folder)
        _, fake = prepare(python, build)
        pretend = {'LD_PRELOAD': f'{fake}:{fake[:-3]}.nvml.so', 'FAKE_CUDA_MIB': '8192'}
        mine = {**pretend, 'PYTHONPATH': root + '/tools/python', 'GPUSNAP_LIBRARY': build + '/libgpusnap.so.1', 'XDG_CACHE_HOME': build + '/docs-hooks', 'GPUSNAP_DIR': 'x'}
        run([gpusnap, 'run', '--record', 'o.gsnap', python, 'program.py'], folder, **mine)      # the hooks are compiled once
        recorded = subprocess.run([gpusnap, 'query', 'o.gsnap', 'select count(*) from event'], cwd=folder, capture_output=True, text=True, check=True).stdout.split()[-1]
        assert int(recorded) > 10000, recorded
        compare(f'the last 100 of 120 steps of a small model, {int(recorded):,} events', [
            ('nothing', [python, 'program.py'], pretend),
            ('gpusnap run', [gpusnap, 'run', python, 'program.py'], mine),
            ('gpusnap run --record', [gpusnap, 'run', '--record', 'o.gsnap', python, 'program.py'], mine),
            ("PyTorch's history, and its snapshot", [python, 'program.py', 'history'], pretend),
            ('memray (host memory)', [tools + '/memray', 'run', '-q', '-o', 'o.bin', 'program.py'], pretend),
            ('heaptrack (host memory)', ['heaptrack', '-o', 'o.heap', python, 'program.py'], pretend),
        ], folder)


main()
