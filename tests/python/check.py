#!/usr/bin/env python3
"""Python stacks, and the analysis API, on every CPython from 3.9 to 3.14 that is found (on the PATH, below ~/.pyenv, or named in $PYTHONS); the rest is skipped
loudly. usage: check.py BUILD. Ends with `python: N passed, N failed, N skipped`."""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

build = os.path.abspath(sys.argv[1])
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
counts = {'passed': 0, 'failed': 0, 'skipped': 0}

PROGRAM = '''
import sys, threading
sys.path.insert(0, sys.argv[1])
from gpusnap import native
from ctypes import c_void_p
native.open_recorder(simulated=1, simulated_bytes=1 << 30, stacks='python', log='none', depth=20)
held = []
def take(mib):
    p = c_void_p()
    status = native.lib.gpusnap_malloc(0, mib << 20, None, p)
    held.append(p.value)
    return status
def by_generator():
    yield take(20)
class Layer:
    def forward(self):
        return take(30)
def deep(n):
    return take(40) if n == 0 else deep(n - 1)
list(by_generator())
Layer().forward()
deep(12)
t = threading.Thread(target=take, args=(50,), name='worker')
t.start(); t.join()
for i in range(3): exec(compile("def changing():\\n    take(%d)\\nchanging()" % (60 + 2 * i), "made-%d.py" % i, "exec"))
assert take(5000) == native.OUT_OF_MEMORY
native.lib.gpusnap_close()
'''
WANTED = {20: ['take', 'by_generator', '<module>'], 30: ['take', 'forward', '<module>'], 40: ['take'] + ['deep'] * 13 + ['<module>'],
          50: ['take', 'run', '_bootstrap_inner', '_bootstrap'], 60: ['take', 'changing', '<module>', '<module>'],
          62: ['take', 'changing', '<module>', '<module>'], 64: ['take', 'changing', '<module>', '<module>']}

# More walks than are remembered, that begin alike, come again, and are at times longer than a remembered one may be.
WALKS = '''
import json, random, sys
sys.path.insert(0, sys.argv[1])
from gpusnap import native
from ctypes import c_void_p
native.open_recorder(simulated=1, simulated_bytes=1 << 30, stacks='python', log='none', depth=20)
told = {}
def take():
    p, frame = c_void_p(), sys._getframe()
    number = len(told) + 1
    told[number] = []
    native.lib.gpusnap_malloc(0, number, None, p); line = sys._getframe().f_lineno
    while frame and len(told[number]) < 20:
        told[number].append([frame.f_code.co_name, line or frame.f_lineno])
        frame, line = frame.f_back, None
def one(way):
    if not way: take()
    elif way[0] == 1: one(way[1:])
    elif way[0] == 2: two(way[1:])
    else: [three(w) for w in [way[1:]]]
def two(way):
    if not way: take(); return
    if way[0] == 1: return one(way[1:])
    if way[0] == 2: return two(way[1:])
    three(way[1:])
def three(way):
    for step in (way[1:] for _ in range(1)):
        one(step) if len(way) % 2 else two(step)
def walk():
    dice = random.Random(1)
    ways = [[dice.randint(1, 3) for _ in range(dice.choice((0, 1, 2, 5, 17, 18, 19, 20, 60, 90)))] for _ in range(30)]
    for way in ways[:]:
        for _ in range(4 if way else 0):    # the same but for one step
            other = way[:]
            other[dice.randrange(max(len(way) - 20, 0), len(way))] = dice.randint(1, 3)
            ways.append(other)
    dice.shuffle(ways)
    for _ in range(4000): one(ways[int(dice.random() ** 3 * len(ways))])
walk()
json.dump(told, open(sys.argv[2], 'w'))
p = c_void_p()
assert native.lib.gpusnap_malloc(0, 5000 << 20, None, p) == native.OUT_OF_MEMORY
native.lib.gpusnap_close()
'''


def find(minor):
    names = [shutil.which(f'python3.{minor}'), *glob.glob(os.path.expanduser(f'~/.pyenv/versions/3.{minor}.*/bin/python3.{minor}')),
             *(p for p in os.environ.get('PYTHONS', '').split(':') if p.endswith(f'3.{minor}'))]
    for name in names:     # a name on the PATH may be a stand-in that finds nothing
        if name and subprocess.run([name, '-c', f'import sys, ctypes; assert sys.version_info[1] == {minor}'], capture_output=True).returncode == 0:
            return name
    return None


def frames_of_blocks(python, text, told=os.devnull):
    """Rows of the dump that the program leaves: its blocks' requested and rounded sizes with their stacks' frames, innermost first."""
    folder = tempfile.mkdtemp()
    program = folder + '/program.py'
    with open(program, 'w') as f:
        f.write(text)
    p = subprocess.run([python, program, root + '/tools/python', told], capture_output=True, text=True, timeout=60,
                       env={**os.environ, 'GPUSNAP_LIBRARY': build + '/libgpusnap.so.1', 'GPUSNAP_DIR': folder + '/dumps'})
    assert p.returncode == 0, p.stderr
    dumps = glob.glob(folder + '/dumps/*')
    assert len(dumps) == 1, dumps
    p = subprocess.run([build + '/gpusnap', 'query', dumps[0], '--json',
                        'select b.size, b.requested, f.name, f.line from block b join stack_frame s on s.stack_id = b.stack_id join frame f on f.id = s.frame_id '
                        "where b.state = 'active_allocated' order by b.size, b.requested, s.depth"], capture_output=True, text=True)
    assert p.returncode == 0, p.stderr
    shutil.rmtree(folder)
    return json.loads(p.stdout)['rows']


def check_walks(python):
    with tempfile.NamedTemporaryFile() as told:
        rows = frames_of_blocks(python, WALKS, told.name)
        want = json.load(open(told.name))
    got = {}
    for row in rows:
        got.setdefault(str(row['requested']), []).append([row['name'], row['line']])
    assert len(want) == 4000 and got.keys() == want.keys(), (len(want), len(got))
    wrong = [n for n in want if got[n] != want[n]]
    assert not wrong, (len(wrong), got[wrong[0]], want[wrong[0]])


def check(python):
    got, lines = {}, {}
    for row in frames_of_blocks(python, PROGRAM):
        got.setdefault(row['size'] >> 20, []).append(row['name'])
        lines.setdefault(row['size'] >> 20, []).append(row['line'])
    assert got == WANTED, got
    assert lines[20][:2] == [10, 14] and lines[30][1] == 17, lines


def check_api(python):
    p = subprocess.run([python, root + '/tests/python/api.py', build, root], capture_output=True, text=True, timeout=300)
    assert p.returncode == 0, p.stderr


for minor in range(9, 15):
    python = find(minor)
    if python is None:
        counts['skipped'] += 1
        print(f'python: SKIPPED: CPython 3.{minor} is not here')
        continue
    for part in (check, check_walks, check_api):
        try:
            part(python)
            counts['passed'] += 1
        except Exception as e:
            counts['failed'] += 1
            print(f'python: FAILED on 3.{minor}: {part.__name__}: {type(e).__name__}: {e}')
print('python: ' + ', '.join(f'{n} {word}' for word, n in counts.items()))
sys.exit(counts['failed'] > 0 or not counts['passed'])
