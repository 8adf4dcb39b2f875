#!/usr/bin/env python3
"""gpusnap with a real PyTorch on the pretend CUDA. usage: check_torch.py PYTHON BUILD [CASE…]
PYTHON: an interpreter that has torch. Ends with `torch RELEASE: N passed, N failed`."""
import json
import os
import subprocess
import sys
import tempfile

from harness import MIB, Run, Skip, ask, case, diagnose, finish, gpusnap, here, loop, loop_under, names_the_loop, package, program, release

sys.path.insert(0, here + '/backward')
from compare import compare

@case
def attach_leaves_one_dump_that_names_the_lines():
    r = Run(loop_under('attach()'), loop, 'leak', '60')
    assert r.json()['failed'].startswith('CUDA out of memory')
    assert len(r.dumps) == 1, (r.dumps, r.err)
    names_the_loop(r.dumps[0])
    d = diagnose(r.dumps[0])
    assert d['verdict'] in ('shortage', 'fragmented', 'stranded', 'rounding'), d
    assert any('keep_activations' in g['stack'] for g in d['growth']), d['growth']


@case
def the_dump_equals_the_snapshot_of_the_same_observer_call():
    text = '''
import json, sys, torch, gpusnap.torch
states = []
torch.cuda.init()
gpusnap.torch.attach()
def look(*_): states.append(torch.cuda.memory_snapshot())
torch._C._cuda_attach_out_of_memory_observer(look)
held = [torch.empty(n << 20, dtype=torch.uint8, device='cuda') for n in (30, 60, 90, 5, 1, 200)]
del held[1], held[2]
try:
    while True: held.append(torch.empty(77 << 20, dtype=torch.uint8, device='cuda'))
except torch.OutOfMemoryError: pass
print(json.dumps([[s['address'], s['total_size'], s['stream'], s['segment_type'], [[b['size'], b['state']] for b in s['blocks']]] for s in states[-1]]))
'''
    r = Run(program(text))
    want = r.json()
    assert len(r.dumps) == 1
    segments = ask(r.dumps[0], 'select address, size, stream, pool from segment order by address')
    blocks = ask(r.dumps[0], 'select segment, size, state from block order by address')
    got = [[s['address'], s['size'], s['stream'], s['pool'], [[b['size'], b['state']] for b in blocks if b['segment'] == s['address']]] for s in segments]
    assert got == want, (got, want)


@case
def use_leaves_one_dump_that_names_the_lines():
    r = Run(loop_under('use()'), loop, 'leak', '60')
    assert r.json()['failed'].startswith('CUDA out of memory'), r.out
    assert len(r.dumps) == 1, (r.dumps, r.err)
    names_the_loop(r.dumps[0])
    assert diagnose(r.dumps[0])['verdict'] in ('shortage', 'fragmented', 'stranded', 'rounding')


@case
def gpusnap_run_needs_no_change_to_the_script():
    r = Run(loop, 'leak', '60', before=[gpusnap, 'run'])
    assert r.json()['failed'].startswith('CUDA out of memory')
    assert len(r.dumps) == 1, (r.dumps, r.err)
    names_the_loop(r.dumps[0])
    assert r.err.count(': wrote ') == 1, r.err


@case
def python_m_gpusnap_runs_a_script():
    r = Run('-m', 'gpusnap', 'run', loop, 'leak', '60')
    assert r.json()['failed'], r.err
    assert len(r.dumps) == 1
    names_the_loop(r.dumps[0])


@case
def expandable_segments_are_recorded():
    for call in ('attach()', 'use()'):
        r = Run(loop_under(call), loop, 'leak', '60', PYTORCH_CUDA_ALLOC_CONF='expandable_segments:True')
        assert r.json()['failed'], r.err
        assert len(r.dumps) == 1, (call, r.err)
        assert all(s['expandable'] in (1, True) for s in ask(r.dumps[0], "select expandable from segment where pool = 'large'")), call
        names_the_loop(r.dumps[0])


@case
def of_two_devices_the_failing_one_is_named():
    for call in ('attach()', 'use()'):
        r = Run(loop_under(call), loop, 'devices', '20', FAKE_CUDA_DEVICES=2)
        assert r.json()['failed'], r.err
        assert len(r.dumps) == 1, (call, r.err)
        assert [o['device'] for o in ask(r.dumps[0], 'oom')] == [1]


@case
def processes_carry_their_ranks():
    ranks = []
    for rank in (0, 1):
        r = Run(loop_under('attach()'), loop, 'leak', '60', RANK=rank, LOCAL_RANK=rank)
        assert f'-r{rank}-' in r.dumps[0], r.dumps
        ranks += [s['rank'] for s in ask(r.dumps[0], 'select rank from snapshot')]
    assert ranks == [0, 1], ranks


@case
def memory_of_a_captured_graph_is_kept_apart():
    for call in ('attach()', 'use()'):
        r = Run(loop_under(call), loop, 'graph', '20')
        assert r.json()['failed'], r.err
        assert len(r.dumps) == 1, (call, r.err)
        pools = {s['pool_id'] for s in ask(r.dumps[0], 'select distinct pool_id from segment')}
        assert '0,0' in pools and len(pools) == 2, (call, pools)


@case
def allocations_of_autograd_threads_are_recorded():
    r = Run(loop_under('use(conf="", max_dumps=1)'), loop, 'train', '100', mib=240)
    assert r.json()['failed'], r.out
    frames = {row['name'] for row in ask(r.dumps[0], 'select distinct name from frame')}
    assert frames, r.err


def tagged_by_python(how, loops, name, backward=1):
    """The dump of a loop whose memory of backward carries what Python knows of it as tags."""
    dump = tempfile.mkdtemp() + '/end.gsnap'
    r = Run(f'{here}/backward/truth.py', how, dump, loops, name, 'end3', 'python', dump[:-6], mib=24000, FAKE_CUDA_EVENTS='lazy', GPUSNAP_BACKWARD=backward)
    assert r.status == 0, r.err[-2000:]
    return dump


def backward_names_what_python_knows(how, loops, programs):
    for name in programs:
        dump = tagged_by_python(how, loops, name)
        n, sums, wrong = compare(gpusnap, dump)
        assert n > sums and not wrong, (how, name, n, len(wrong), wrong[:1])
        (nameless,) = ask(dump, "SELECT count(*) n FROM event WHERE action = 'alloc' AND stack_id IS NULL")
        assert nameless['n'] == 0, (how, name, nameless)


@case
def memory_of_backward_names_the_forward_line_that_python_knows():
    backward_names_what_python_knows('attach', f'{here}/meaning_loops.py', ('attention', 'reentrant', 'lstm'))
    backward_names_what_python_knows('use', f'{here}/meaning_loops.py', ('reentrant',))


@case
def the_comparison_with_python_sees_each_line_that_is_missing():
    """Nodes are named without the variable, lines are not: all that a line made differs."""
    for how in ('attach', 'use'):
        n, sums, wrong = compare(gpusnap, tagged_by_python(how, f'{here}/meaning_loops.py', 'reentrant', backward=0))
        assert n > sums and len(wrong) == n - sums, (how, n, sums, len(wrong))


@case
def so_it_does_in_the_loops_whose_memory_is_known():
    loops = os.path.abspath(f'{here}/../../../shared/meaning/loops.py')
    if not os.path.exists(loops):
        raise Skip(f'there is no {loops}')
    for how in ('attach', 'use'):
        backward_names_what_python_knows(how, loops, ('mlp', 'transformer', 'conv', 'amp', 'checkpoint', 'leak'))


@case
def a_request_that_fails_in_backward_is_the_gradient_of_its_line():
    for how in ('attach', 'use'):
        for kind, asked, words in (('library', 1, 'gradient of attend (fails.py:23) ← EmbeddingBackward0'), ('library', 0, 'EmbeddingBackward0 (backward pass)'),
                                   ('own', 1, 'fails.py:19 backward ← gradient of attend (fails.py:24)')):
            r = Run(f'{here}/backward/fails.py', how, kind, GPUSNAP_BACKWARD=asked)
            assert r.status == 0 and 'OutOfMemoryError' in r.out and len(r.dumps) == 1, (how, kind, r.err)
            said = subprocess.run([gpusnap, 'diagnose', '-q', r.dumps[0]], capture_output=True, text=True, env={**os.environ, 'COLUMNS': '100', 'LC_ALL': 'C.UTF-8'})
            assert f' for {words} ' in ' '.join(said.stdout.split()), (how, kind, said.stdout)


def grabbing_library():
    library = tempfile.mkdtemp() + '/libgrabs.so'
    subprocess.run(['gcc', '-shared', '-fPIC', '-O1', '-o', library, f'{here}/outside/grabs.c'], check=True)
    return library


@case
def a_program_without_pytorch_names_the_other_processes_too():
    r = Run(f'{here}/outside/alone.py', grabbing_library(), mib=8192, before=[gpusnap, 'run'], FAKE_CUDA_OTHER_MIB=3584,
            FAKE_NVML_OTHERS='4711:3072:/usr/bin/server,815:512:viewer')
    assert len(r.dumps) == 1, (r.out, r.err)
    rows = ask(r.dumps[0], 'outside')
    assert [(row['holder'], row['pid'], row['bytes']) for row in rows] == [
        ('driver calls', None, 4608 * MIB), ('server', 4711, 3072 * MIB), ('viewer', 815, 512 * MIB), ('free', None, 0)], rows
    (top,) = ask(r.dumps[0], 'holders')
    assert (top['where'], top['bytes']) == ('alone.py:9 communicate', 4608 * MIB), top


@case
def memory_outside_the_allocator_is_split_by_name():
    library = grabbing_library()
    for own, others, processes, rest in ((None, '4711:3072:/usr/bin/server,815:512:viewer', [('server', 4711, 3072 * MIB), ('viewer', 815, 512 * MIB)], None),
                                         (1, '4711:3072:/usr/bin/server,815:512:viewer', [('server', 4711, 3072 * MIB), ('viewer', 815, 512 * MIB)], None),
                                         (1, '4711:3584:server,815:3584:viewer', [], 'CUDA context and other processes')):   # any of them may be this process
        held_by_others = sum(int(p.split(':')[1]) for p in others.split(',')) if processes else 7168
        env = {'FAKE_NVML_OWN_PID': own} if own else {}
        r = Run(f'{here}/outside/beside.py', library, mib=8192, before=[gpusnap, 'run'], FAKE_CUDA_OTHER_MIB=held_by_others, FAKE_NVML_OTHERS=others, **env)
        assert len(r.dumps) == 1, (r.out, r.err)
        rows = ask(r.dumps[0], 'outside')
        assert sum(row['bytes'] for row in rows) == 8192 * MIB, rows
        assert all(row['holder'] for row in rows), rows
        found = {row['holder']: row for row in rows}
        assert [(p['holder'], p['pid'], p['bytes']) for p in rows if p['pid']] == processes, rows
        assert found['libgrabs.so']['bytes'] == 192 * MIB and 'beside.py:9 communicate' in found['libgrabs.so']['known'], rows
        assert found['pytorch']['bytes'] == ask(r.dumps[0], 'summary')[0]['reserved'] and 'free' in found, rows
        assert rest is None or found[rest]['bytes'] == held_by_others * MIB, rows
        said = subprocess.run([gpusnap, 'diagnose', '-q', r.dumps[0]], capture_output=True, text=True).stdout
        line = next(l for l in said.splitlines() if l.startswith('  outside '))
        assert 'libgrabs.so 192 MiB' in line and all(f'{name} {pid}' in said for name, pid, _ in processes), said


@case
def use_names_who_holds_the_device_beside_it():
    """Under `gpusnap run` the library too, in a failure's dump as in a stream; without, it is among what is left."""
    library = grabbing_library()
    used = program('import runpy, sys, gpusnap.torch\ngpusnap.torch.use(stream=sys.argv[1])\nsys.argv = sys.argv[2:]\n'
                   'runpy.run_path(sys.argv[0], run_name="__main__")\n')
    for before, named in (((gpusnap, 'run'), True), ((), False)):
        stream = tempfile.mkdtemp() + '/run.gsnap'
        r = Run(used, stream, f'{here}/outside/beside.py', library, mib=8192, before=before, FAKE_CUDA_OTHER_MIB=3584,
                FAKE_NVML_OTHERS='4711:3072:/usr/bin/server,815:512:viewer')
        assert 'OutOfMemoryError' in r.out and len(r.dumps) == 1, (r.dumps, r.err)
        for f in (r.dumps[0], stream):
            rows = ask(f, 'outside')
            assert sum(row['bytes'] for row in rows) == 8192 * MIB and all(row['holder'] for row in rows), (f, rows)
            found = {row['holder']: row for row in rows}
            assert [(p['holder'], p['pid'], p['bytes']) for p in rows if p['pid']] == [('server', 4711, 3072 * MIB), ('viewer', 815, 512 * MIB)], (f, rows)
            assert found['gpusnap']['bytes'] == ask(f, 'summary')[0]['reserved'] > 0 and 'free' in found, (f, rows)
            assert ('libgrabs.so' in found) == named and (not named or found['libgrabs.so']['bytes'] == 192 * MIB), (f, rows)
            assert named or found['CUDA context']['bytes'] == 192 * MIB, (f, rows)


@case
def a_healthy_run_that_is_refused_again_and_again_leaves_no_dump():
    if [int(n) for n in release.split('.')[:2]] < [2, 10]:
        raise Skip('PyTorch of this release reads freed memory when it gives oversize blocks back, and may crash by itself')
    conf = {'PYTORCH_CUDA_ALLOC_CONF': 'max_split_size_mb:64'}
    for options in ((), ('-E',)):       # -E: Python is not recorded, only the driver calls that PyTorch makes
        r = Run(*options, loop, 'serve', '300', mib=3000, before=[gpusnap, 'run'], **conf)
        done = r.json()
        assert not done['failed'] and done['peak_reserved'] == 3000 * MIB, done
        assert r.dumps == [], (options, r.dumps)


@case
def use_reaches_the_same_peak_as_the_native_allocator():
    for conf in ('', 'expandable_segments:True', 'max_split_size_mb:64'):
        env = {'PYTORCH_CUDA_ALLOC_CONF': conf} if conf else {}
        native = Run(loop, 'train', '8', mib=8000, **env).json()
        ours = Run(loop_under('use()'), loop, 'train', '8', mib=8000, **env).json()
        assert native == ours, (conf, native, ours)


@case
def each_distinct_failure_that_is_caught_leaves_a_dump():
    for call in ('attach()', 'use()'):
        r = Run(loop_under(call), loop, 'caught', '1')
        assert r.json()['result'] == 3, r.out
        assert len(r.dumps) == 3, (call, r.dumps, r.err)
    r = Run(loop_under('attach()'), loop, 'caught', '1', GPUSNAP_MAX_DUMPS=2)
    assert len(r.dumps) == 2, r.dumps


@case
def a_mem_pool_is_served_by_the_recording_pool():
    text = '''
import torch, gpusnap.torch
pool = gpusnap.torch.mem_pool(log='none')
with torch.cuda.use_mem_pool(pool):
    x = torch.empty(50 << 20, dtype=torch.uint8, device='cuda')
from gpusnap import native
print(native.stats(0)['allocated_bytes.all.current'])
'''
    r = Run(program(text))
    assert r.status == 0, r.err
    assert int(r.out.split()[-1]) >= 50 * MIB, r.out


@case
def use_without_a_compiler_says_so():
    r = Run('-c', 'import gpusnap.torch; gpusnap.torch.use()', PATH='/nowhere', XDG_CACHE_HOME=tempfile.mkdtemp())
    assert r.status != 0 and 'no C++ compiler is found' in r.err, r.err


@case
def a_release_that_nobody_knew_is_recorded_all_the_same():
    """No hooks are compiled for it and none can be: its history in Python leaves the dump, and what the package brings is told."""
    text = '''
import torch, gpusnap.torch
torch.__version__ = type(torch.__version__)('9.9.0')
def take(): return torch.empty(77 << 20, dtype=torch.uint8, device='cuda')
try:
    gpusnap.torch.use()
except Exception as e: print(e)
gpusnap.torch.attach()
held = []
try:
    while True: held.append(take())
except torch.OutOfMemoryError: pass
'''
    r = Run(program(text), PATH='/nowhere', CXX='', XDG_CACHE_HOME=tempfile.mkdtemp())
    assert r.status == 0 and len(r.dumps) == 1, r.err
    assert 'no C++ compiler is found' in r.out and 'watched through its history' in r.err, (r.out, r.err)
    known = 'compiled for torch 2.6 to ' in r.out and 'this is 9.9.0' in r.out and 'this is 9.9.0' in r.err
    assert known == os.path.exists(package + '/gpusnap/torch_prebuilt.zip'), (r.out, r.err)
    held = ask(r.dumps[0], 'holders')
    assert held and 'take' in held[0]['where'], held


@case
def use_after_cuda_was_used_is_refused():
    r = Run('-c', 'import torch, gpusnap.torch; torch.cuda.init(); gpusnap.torch.use()')
    assert r.status != 0 and 'comes too late' in r.err, r.err


import programs   # noqa: E402,F401  the cases of programs.py
import streams    # noqa: E402,F401  and of streams.py

finish()
