#!/usr/bin/env python3
"""On a machine with a GPU, without a network: the recorder on the real driver, and the PyTorch found there. usage: check.py BUILD
Ends with `gpu: N passed, N failed, N skipped`; where there is no GPU all is skipped, with the reason."""
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile

build = os.path.abspath(sys.argv[1])
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
gpusnap, loop = build + '/gpusnap', root + '/tests/torch/loop.py'
results = {'passed': 0, 'failed': 0, 'skipped': 0}


def finish(reason=None):
    if reason:
        print('gpu: SKIPPED: ' + reason)
    print(f"gpu: {results['passed']} passed, {results['failed']} failed, {results['skipped']} skipped")
    sys.exit(results['failed'] > 0)


def devices():
    try:
        driver = ctypes.CDLL('libcuda.so.1')
    except OSError as e:
        return 0, f'no CUDA driver: {e}'
    count = ctypes.c_int()
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)) or not count.value:
        return 0, 'the CUDA driver finds no device'
    return count.value, None


def case(f):
    try:
        f()
        results['passed'] += 1
    except Exception as e:
        results['failed'] += 1
        print(f'gpu: FAILED {f.__name__}: {type(e).__name__}: {str(e)[-1500:]}')


def run(*command, **env):
    folder = tempfile.mkdtemp()
    p = subprocess.run(command, capture_output=True, text=True, timeout=150,
                       env={**os.environ, 'GPUSNAP_DIR': folder, 'PYTHONPATH': root + '/tools/python', 'LEAK_MIB': '6000',
                            'GPUSNAP_LIBRARY': build + '/libgpusnap.so.1', **env})
    return p, sorted(os.path.join(folder, f) for f in os.listdir(folder))


def ask(dump, query):
    return json.loads(subprocess.run([gpusnap, 'query', dump, '--json', query], capture_output=True, text=True, check=True).stdout)['rows']


def fails_and_names_the_loop(p, dumps):
    assert p.returncode == 0, p.stderr[-1500:]
    assert json.loads(p.stdout.strip().splitlines()[-1])['failed'], p.stdout
    assert len(dumps) == 1, (dumps, p.stderr)
    assert 'keep_activations' in ask(dumps[0], 'top stacks')[0]['user_frame']
    device = ask(dumps[0], 'select name, capacity, device_free from device')[0]
    assert device['name'] and device['capacity'] > 0 and device['device_free'] is not None, device


found, why = devices()
if not found:
    results['skipped'] = 1
    finish(why)


@case
def the_library_works_on_the_driver():
    p, _ = run(build + '/recorder-check/cuda')
    assert p.returncode == 0, p.stdout + p.stderr


python = next((p for p in (os.environ.get('PYTHON'), 'python3', 'python') if p and shutil.which(p) and not subprocess.run(
    [p, '-c', 'import torch; assert torch.cuda.is_available()'], capture_output=True).returncode), None)
if python is None:
    results['skipped'] += 1
    finish('no python3 with a PyTorch that sees the GPU')


@case
def gpusnap_run_needs_no_change_to_the_script():
    fails_and_names_the_loop(*run(gpusnap, 'run', python, loop, 'leak', '100'))


@case
def attach_leaves_a_dump():
    fails_and_names_the_loop(*run(python, '-m', 'gpusnap', 'run', loop, 'leak', '100'))


@case
def use_leaves_a_dump():
    start = "import runpy, sys, gpusnap.torch; gpusnap.torch.use(); sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
    fails_and_names_the_loop(*run(python, '-c', start, loop, 'leak', '100'))


@case
def use_reaches_the_same_peak_as_the_native_allocator():
    start = "import runpy, sys, gpusnap.torch; gpusnap.torch.use(); sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
    native, ours = run(python, loop, 'serve', '60')[0], run(python, '-c', start, loop, 'serve', '60')[0]
    assert native.stdout and native.stdout == ours.stdout, (native.stdout, ours.stdout, ours.stderr[-500:])


finish()
