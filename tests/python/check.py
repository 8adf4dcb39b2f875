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


def find(minor):
    names = [shutil.which(f'python3.{minor}'), *glob.glob(os.path.expanduser(f'~/.pyenv/versions/3.{minor}.*/bin/python3.{minor}')),
             *(p for p in os.environ.get('PYTHONS', '').split(':') if p.endswith(f'3.{minor}'))]
    for name in names:     # a name on the PATH may be a stand-in that finds nothing
        if name and subprocess.run([name, '-c', f'import sys, ctypes; assert sys.version_info[1] == {minor}'], capture_output=True).returncode == 0:
            return name
    return None


def check(python):
    folder = tempfile.mkdtemp()
    program = folder + '/program.py'
    with open(program, 'w') as f:
        f.write(PROGRAM)
    p = subprocess.run([python, program, root + '/tools/python'], capture_output=True, text=True, timeout=60,
                       env={**os.environ, 'GPUSNAP_LIBRARY': build + '/libgpusnap.so.1', 'GPUSNAP_DIR': folder + '/dumps'})
    assert p.returncode == 0, p.stderr
    dumps = glob.glob(folder + '/dumps/*')
    assert len(dumps) == 1, dumps
    p = subprocess.run([build + '/gpusnap', 'query', dumps[0], '--json',
                        'select b.size, f.name, f.line from block b join stack_frame s on s.stack_id = b.stack_id join frame f on f.id = s.frame_id '
                        "where b.state = 'active_allocated' order by b.size, s.depth"], capture_output=True, text=True)
    assert p.returncode == 0, p.stderr
    got, lines = {}, {}
    for row in json.loads(p.stdout)['rows']:
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
    for part in (check, check_api):
        try:
            part(python)
            counts['passed'] += 1
        except Exception as e:
            counts['failed'] += 1
            print(f'python: FAILED on 3.{minor}: {part.__name__}: {type(e).__name__}: {e}')
print('python: ' + ', '.join(f'{n} {word}' for word, n in counts.items()))
sys.exit(counts['failed'] > 0 or not counts['passed'])
