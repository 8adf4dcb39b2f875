"""Running programs of a real PyTorch on the pretend CUDA, and asking gpusnap of the dumps they leave. The arguments of the script that
uses it: PYTHON BUILD [CASE…]; PYTHON is an interpreter that has torch."""
import json
import os
import subprocess
import sys
import tempfile

from check_torch_env import prepare

python, build = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
here = os.path.dirname(os.path.abspath(__file__))
# PACKAGE: the folder of an installed package, with libraries of its own, in the place of the source tree's
gpusnap, package = build + '/gpusnap', os.environ.get('PACKAGE') or os.path.dirname(os.path.dirname(here)) + '/tools/python'
library = {} if os.environ.get('PACKAGE') else {'GPUSNAP_LIBRARY': build + '/libgpusnap.so.1'}
loop = here + '/loop.py'
MIB = 1 << 20
results = {'passed': 0, 'failed': 0, 'skipped': 0}


release, fake = prepare(python, build)


class Run:
    """A program on the pretend CUDA, and the dumps it left."""

    def __init__(self, *command, mib=1024, before=(), **env):
        self.dir = tempfile.mkdtemp()
        full = {**os.environ, 'LD_PRELOAD': f'{fake}:{fake[:-3]}.nvml.so', 'FAKE_CUDA_MIB': str(mib), 'GPUSNAP_DIR': self.dir,
                'PYTHONPATH': package, **library, **{k: str(v) for k, v in env.items()}}
        p = subprocess.run([*before, python, *command], capture_output=True, text=True, timeout=300, env=full)
        self.status, self.out, self.err = p.returncode, p.stdout, p.stderr
        self.dumps = sorted(os.path.join(self.dir, f) for f in os.listdir(self.dir))

    def json(self):
        assert self.status == 0, self.err[-2000:]
        return json.loads(self.out.strip().splitlines()[-1])


def ask(dump, query, *options):
    p = subprocess.run([gpusnap, 'query', dump, '--json', *options, query], capture_output=True, text=True, timeout=120)
    assert p.returncode == 0, p.stderr
    return json.loads(p.stdout)['rows']


def diagnose(dump):
    p = subprocess.run([gpusnap, 'diagnose', dump, '--json'], capture_output=True, text=True, timeout=120)
    assert p.returncode == 0, p.stderr
    return json.loads(p.stdout)


class Skip(Exception):
    """Why a case says nothing here."""


def case(f):
    if len(sys.argv) > 3 and f.__name__ not in sys.argv[3:]:
        return
    try:
        f()
        results['passed'] += 1
    except Skip as e:
        results['skipped'] += 1
        print(f'torch {release}: SKIPPED {f.__name__}: {e}')
    except Exception as e:
        results['failed'] += 1
        print(f'torch {release}: FAILED {f.__name__}: {type(e).__name__}: {str(e)[-1500:]}')


def program(text):
    path = tempfile.mkdtemp() + '/program.py'
    with open(path, 'w') as f:
        f.write(text)
    return path


def loop_under(call):
    """The loop, unchanged, after a call of gpusnap.torch."""
    return program(f'import runpy, sys, gpusnap.torch\ngpusnap.torch.{call}\nsys.argv = sys.argv[1:]\nrunpy.run_path(sys.argv[0], run_name="__main__")\n')


def names_the_loop(dump):
    top = ask(dump, 'top stacks')[0]
    assert 'loop.py' in top['user_frame'] and 'keep_activations' in top['user_frame'], top
    return top


def finish():
    print(f"torch {release}: {results['passed']} passed, {results['failed']} failed, {results['skipped']} skipped")
    sys.exit(results['failed'] > 0)
