#!/usr/bin/env python3
"""PyTorch's own tests of CUDA memory, on the pretend CUDA: those that pass in a plain run must pass under `gpusnap run`, attach() and
use(). usage: suite.py PYTHON BUILD TEST_CUDA.py LIST [MODE…]      PYTHON needs torch, expecttest, pytest and packaging
LIST names the tests; after a name may stand `MODE: reason` where one cannot pass recorded in that way. Ends with
`suite: N passed, N failed, N skipped`; a test that cannot pass counts as skipped, and is told where it does after all."""
import os
import re
import subprocess
import sys
import tempfile

from check_torch_env import prepare

python, build, source, listed = (os.path.abspath(a) for a in sys.argv[1:5])
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
release, fake = prepare(python, build)
BOOT = 'import gpusnap.torch, runpy, sys\ngpusnap.torch.%s()\nsys.argv = sys.argv[1:]\nrunpy.run_path(sys.argv[0], run_name="__main__")\n'


def names():
    """{name: {mode: why it cannot pass}}"""
    found = {}
    for line in open(listed):
        name, *rest = line.split(None, 1)
        if name != '#':
            found[name] = dict([rest[0].strip().split(': ', 1)]) if rest and ': ' in rest[0] else {}
    return found


def start(mode, folder):
    """The beginning of the command."""
    if mode == 'run':
        return [build + '/gpusnap', 'run', python, source]
    if mode == 'plain':
        return [python, source]
    with open(folder + '/boot.py', 'w') as f:
        f.write(BOOT % mode)
    return [python, folder + '/boot.py', source]


def passed(mode, tests):
    """Those that passed; a test that ends the process costs those after it, which are then run anew."""
    done, folder = {}, tempfile.mkdtemp()
    env = {**os.environ, 'LD_PRELOAD': f'{fake}:{fake[:-3]}.nvml.so', 'FAKE_CUDA_MIB': '8192', 'FAKE_CUDA_EVENTS': 'lazy', 'GPUSNAP_DIR': folder,
           'GPUSNAP_LOG': folder + '/log', 'GPUSNAP_LIBRARY': build + '/libgpusnap.so.1',
           'PYTHONPATH': ':'.join([root + '/tools/python', os.environ.get('PYTHONPATH', '')])}
    while left := [t for t in tests if t not in done]:
        try:
            p = subprocess.run([*start(mode, folder), '-v', *left], capture_output=True, text=True, errors='replace', timeout=900, env=env, cwd=folder)
            words = p.stderr
        except subprocess.TimeoutExpired as e:
            words = (e.stderr or b'').decode(errors='replace')
        with open(f'{build}/suite-{mode}.log', 'a') as f:
            f.write(words)
        begun = None
        for line in words.splitlines():
            if m := re.match(r'(test_\w+) \(__main__\.(\w+)\.', line):
                begun = f'{m[2]}.{m[1]}'
            if (m := re.search(r'(?:^|\.\.\. )(ok|FAIL|ERROR|skipped .*|expected failure)\s*$', line)) and begun in left and not line.startswith('='):
                done[begun] = m[1] if done.get(begun, 'ok') == 'ok' else done[begun]
        if begun is None or begun not in left:
            break
        done.setdefault(begun, 'the process ended')
    return {t for t, r in done.items() if r == 'ok'}, done


all_names, counts = names(), {'passed': 0, 'failed': 0, 'skipped': 0}
for mode in sys.argv[5:] or ('plain', 'run', 'attach', 'use'):
    open(f'{build}/suite-{mode}.log', 'w').close()
    good, told = passed(mode, list(all_names))
    for test, reasons in all_names.items():
        if mode in reasons:
            counts['skipped'] += 1
            if test in good:
                print(f'suite: {test} passes under {mode} after all')
        else:
            counts['passed' if test in good else 'failed'] += 1
            if test not in good:
                print(f'suite: FAILED under {mode}: {test}: {told.get(test, "not run")}')
    print(f'suite: {mode}: {len(good)} of {len(all_names)} tests of PyTorch {release} pass')
print('suite: ' + ', '.join(f'{n} {word}' for word, n in counts.items()))
sys.exit(counts['failed'] > 0)
