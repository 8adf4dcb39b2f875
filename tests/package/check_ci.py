#!/usr/bin/env python3
"""The recipe for CI and the composite action around it, with programs that record on a pretend device.
usage: check_ci.py BUILD. Ends with `ci: N passed, N failed, N skipped`."""
import os
import re
import subprocess
import sys
import tempfile

build = os.path.abspath(sys.argv[1])
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
script = root + '/tools/ci/gpusnap-ci.sh'
counts = {'passed': 0, 'failed': 0, 'skipped': 0}
tmp = tempfile.mkdtemp()
environment = {k: v for k, v in os.environ.items() if not k.startswith(('GPUSNAP_', 'GITHUB_'))}
environment |= {'PATH': build + ':' + os.environ['PATH'], 'GPUSNAP_LIBRARY': build + '/libgpusnap.so.1', 'PYTHONPATH': root + '/tools/python'}
has_assert = ' assert ' in subprocess.run([build + '/gpusnap', 'help'], capture_output=True, text=True).stdout

with open(tmp + '/program.py', 'w') as f:
    f.write('''
import ctypes, os, sys
from gpusnap import native
native.open_recorder(simulated=1, simulated_bytes=1 << 30, stacks='python', log='none')
def load_batch(mib):
    return native.lib.gpusnap_malloc(0, mib << 20, None, ctypes.c_void_p())
load_batch(700)
status = load_batch(int(sys.argv[1]))
if len(sys.argv) > 2: native.check(native.lib.gpusnap_dump(0, sys.argv[2].encode(), None, 0))
sys.exit(7 if status else 0)
''')


def run(*arguments, **more):
    return subprocess.run(['sh', script, *arguments], capture_output=True, text=True, timeout=60, cwd=tmp, env={**environment, **more})


def expect(what, got, wanted=True):
    counts['passed' if got == wanted else 'failed'] += 1
    if got != wanted:
        print(f'ci: failed: {what}: {got!r} is not {wanted!r}')


program = [sys.executable, tmp + '/program.py']
p = run('-o', 'fails.md', '-d', 'fails', '--', *program, '400')
expect('the status is that of the program', p.returncode, 7)
report = open(tmp + '/fails.md').read()
expect('the report names the program, its status and the line', all(w in report for w in ('## GPU memory of', 'status 7', r'load\_batch')))
expect('it is the report of gpusnap, as part of a page', all(w in report for w in ('\n### What to try', '\n### Who holds', '\n| where |')))
expect('without pictures and headings that stand alone', re.findall(r'^!\[.*|^# .*|^#+ .*\n+#+ .*', report.split('\n', 1)[1], re.M), [])
kept = os.listdir(tmp + '/fails')
expect('the report with its pictures is kept', {'report.md', 'report-map.png', 'report-plot.png'} <= set(kept), True)
expect('the dump is kept', any(f.startswith('oom-') for f in os.listdir(tmp + '/fails')))

p = run('-d', 'passes', '--', *program, '100', GITHUB_STEP_SUMMARY=tmp + '/summary.md')
expect('a program that passes', (p.returncode, p.stderr), (0, ''))
expect("the report goes to the job's summary", '## GPU memory of' in open(tmp + '/summary.md').read())
p = run('-d', 'none', '-e', 'ooms = 0', '--', 'true')
expect('without a recording nothing is asserted', p.returncode, 1)
expect('and that is said', 'nothing was recorded' in p.stderr)
expect('no command is wrong usage', run('-o', 'x').returncode, 2)
if has_assert:
    p = run('-o', 'holds.md', '-d', 'holds', '-e', 'ooms < 1', '--', *program, '100')
    expect('what holds', p.returncode, 0)
    p = run('-o', 'broken.md', '-d', 'broken', '-e', 'peak_allocated < 500MiB', '-e', 'ooms = 0', '--', *program, '100')
    expect('what does not hold', p.returncode, 20)
    expect('is told in the report', 'peak_allocated' in open(tmp + '/broken.md').read())
else:
    counts['skipped'] += 1
    print('ci: SKIPPED: this build has no `gpusnap assert`')

# the action: its inputs are those that its steps use, and its shell does what the recipe does
text = open(root + '/tools/ci/action.yml').read()
inputs = set(re.findall(r'^  ([a-z]+):\n    description', text, re.M))
expect('inputs of the action', inputs, set(re.findall(r'inputs\.([a-z]+)', text)))
step = re.search(r'      run: \|\n((?:        .*\n)+)', text)[1]
p = subprocess.run(['bash', '-c', re.sub('^ {8}', '', step, flags=re.M)], capture_output=True, text=True, timeout=60, cwd=tmp, env={
    **environment, 'RUN': ' '.join(program + ['400']), 'ASSERT': '', 'BASE': '', 'DIRECTORY': 'by-action', 'ACTION': root + '/tools/ci',
    'GITHUB_STEP_SUMMARY': tmp + '/by-action.md'})
expect('the action runs the program', p.returncode, 7)
expect('and reports', r'load\_batch' in open(tmp + '/by-action.md').read())
print('ci: ' + ', '.join(f'{n} {word}' for word, n in counts.items()))
sys.exit(counts['failed'] > 0)
