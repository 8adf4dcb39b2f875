"""The recorder must not change the program it watches: cases for check_torch.py. Each program runs under `gpusnap run`, attach() or use()
as it runs alone, and its failure is told rightly."""
import json
import os
import subprocess
import tempfile

from harness import MIB, Run, ask, case, diagnose, gpusnap, program

RUN = [gpusnap, 'run']

# 800 MiB of one 1600 MiB segment are free in eight holes, 448 MiB are left on a device of 2 GiB; 700 MiB fit in neither.
FRAGMENTED = '''
import torch
def carve(n): return torch.empty(n << 20, dtype=torch.uint8, device='cuda')
def load_batch(n): return torch.empty(n << 20, dtype=torch.uint8, device='cuda')
whole = carve(1600); del whole
parts = [carve(100) for _ in range(16)]
for i in range(0, 16, 2): parts[i] = None
try: load_batch(700)
except torch.OutOfMemoryError: print('caught', flush=True)
'''

GROWING = '''
import torch
kept = []
def grow(n): kept.append(torch.empty(n << 20, dtype=torch.uint8, device='cuda'))
try:
    for _ in range(100): grow(300)
except torch.OutOfMemoryError: print('caught', flush=True)
'''


def is_the_fragmented_failure(r):
    assert r.status == 0 and 'caught' in r.out, (r.status, r.err[-1500:])
    assert len(r.dumps) == 1, (r.dumps, r.err)
    d = diagnose(r.dumps[0])
    assert d['verdict'] == 'fragmented' and d['exact'] and d['requested'] == 700 * MIB, d
    assert 'load_batch' in ask(r.dumps[0], 'oom')[0]['user_frame']


@case
def looking_for_torch_does_not_take_the_recording_away():
    looks = {'find_spec': 'import importlib.util\nimportlib.util.find_spec("torch")\n',
             'find_spec, twice': 'import importlib.util\nimportlib.util.find_spec("torch"); importlib.util.find_spec("torch")\n',
             'import_module': 'import importlib\nimportlib.import_module("torch")\n',
             'lazily': 'import importlib.util, sys\nspec = importlib.util.find_spec("torch")\nspec.loader = importlib.util.LazyLoader(spec.loader)\n'
                       'sys.modules["torch"] = lazy = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(lazy)\n',
             'another finder first': 'import sys\nclass F:\n    def find_spec(self, name, path=None, target=None): return None\nsys.meta_path.insert(0, F())\n'}
    for how, before in looks.items():
        try:
            is_the_fragmented_failure(Run(program(before + FRAGMENTED), mib=2048, before=RUN))
        except AssertionError as e:
            raise AssertionError(f'{how}: {e}')


@case
def options_of_python_do_not_take_the_recording_away():
    for options in (['-E'], ['-I'], ['-s']):
        is_the_fragmented_failure(Run(*options, program(FRAGMENTED), mib=2048, before=RUN))


@case
def a_folder_or_module_called_gpusnap_does_not_take_the_recording_away():
    folder = tempfile.mkdtemp()
    os.mkdir(folder + '/gpusnap')
    is_the_fragmented_failure(Run(program(FRAGMENTED), mib=2048, before=RUN, PYTHONPATH=folder))
    with open(folder + '/gpusnap/__init__.py', 'w') as f:
        f.write('mine = 7\n')
    is_the_fragmented_failure(Run(program('import gpusnap\nassert gpusnap.mine == 7\n' + FRAGMENTED), mib=2048, before=RUN, PYTHONPATH=folder))


@case
def a_program_that_calls_us_itself_under_run_leaves_one_dump_a_failure():
    for call in ('attach()', 'use()', 'attach(max_entries=1000)'):
        for order in (f'import gpusnap.torch\ngpusnap.torch.{call}\n', f'import torch\nimport gpusnap.torch\ngpusnap.torch.{call}\n'):
            r = Run(program(order + FRAGMENTED), mib=2048, before=RUN)
            is_the_fragmented_failure(r)
            assert 'not recorded' not in r.err, r.err


@case
def the_environment_of_a_program_under_run_is_its_own_but_for_what_is_ours():
    text = 'import json, os, sys; print(json.dumps([{k: v for k, v in os.environ.items() if not k.startswith("GPUSNAP_")}, sys.path, sys.argv, sorted(sys.modules)]))'
    plain, ours = Run('-c', text).json(), Run('-c', text, before=RUN).json()
    assert ours[0].pop('LD_PRELOAD').endswith(plain[0].pop('LD_PRELOAD'))
    assert plain == ours, [(a, b) for a, b in zip(plain, ours) if a != b]


# The example of PyTorch's documentation: an allocator that asks the driver each time.
PLUGGABLE = '''
#include <stddef.h>
int cudaMalloc(void **, size_t);
int cudaFree(void *);
void *my_malloc(long size, int device, void *stream) { void *p = 0; cudaMalloc(&p, size); return p; }
void my_free(void *p, long size, int device, void *stream) { cudaFree(p); }
'''


def pluggable():
    folder = tempfile.mkdtemp()
    with open(folder + '/mine.c', 'w') as f:
        f.write(PLUGGABLE)
    subprocess.run(['cc', '-shared', '-fPIC', '-w', folder + '/mine.c', '-o', folder + '/mine.so'], check=True)
    return f'''
import torch
mine = torch.cuda.memory.CUDAPluggableAllocator({folder + '/mine.so'!r}, 'my_malloc', 'my_free')
torch.cuda.memory.change_current_allocator(mine)
x = torch.empty(300 << 20, dtype=torch.uint8, device='cuda'); print('caught', x.numel(), flush=True)
'''


@case
def an_allocator_that_cannot_be_watched_is_left_alone():
    for text, env in ((GROWING, {'PYTORCH_CUDA_ALLOC_CONF': 'backend:cudaMallocAsync'}), (pluggable(), {})):
        for before, ours in (([], ''), (RUN, ''), ([], 'import gpusnap.torch; gpusnap.torch.attach()\n')):
            r = Run(program(ours + text), mib=2048, before=before, **env)
            assert r.status == 0 and 'caught' in r.out, (env, before, r.err[-1500:])
            assert r.err.count('cannot be watched') == (1 if before or ours else 0), r.err


@case
def with_caching_off_the_driver_calls_are_the_recording():
    for options in ((), ('-E',)):
        r = Run(*options, program(GROWING.replace('torch.OutOfMemoryError', 'RuntimeError')), mib=2048, before=RUN, PYTORCH_NO_CUDA_MEMORY_CACHING='1')
        assert r.status == 0 and 'caught' in r.out, r.err
        assert r.err.count('cannot be watched') == 1, r.err
        assert len(r.dumps) == 1, (r.dumps, r.err)
        oom = ask(r.dumps[0], 'oom')[0]
        assert oom['requested'] == 300 * MIB and 'grow' in oom['user_frame'], oom


@case
def a_failure_where_a_mem_pool_is_active_shows_the_whole_device():
    text = '''
import torch
def outside(): return torch.empty(600 << 20, dtype=torch.uint8, device='cuda')
kept, pool = outside(), torch.cuda.MemPool()
with torch.cuda.use_mem_pool(pool):
    inside = torch.empty(60 << 20, dtype=torch.uint8, device='cuda')
    try: torch.empty(700 << 20, dtype=torch.uint8, device='cuda')
    except torch.OutOfMemoryError: print('caught', flush=True)
'''
    for ours in ('attach()', 'use()'):
        r = Run(program(f'import gpusnap.torch; gpusnap.torch.{ours}\n' + text), mib=1024)
        assert r.status == 0 and 'caught' in r.out and len(r.dumps) == 1, (r.dumps, r.err)
        segments = ask(r.dumps[0], 'select size, pool_id from segment order by size')
        assert [(s['size'] // MIB, s['pool_id']) for s in segments] == [(60, '0,1'), (600, '0,0')], (ours, segments)
        assert 'outside' in ask(r.dumps[0], 'holders')[0]['where'], ours


@case
def a_failure_without_events_is_told_all_the_same():
    for before, ours in ((RUN, ''), ([*RUN, '--pool'], ''), ([], 'attach()'), ([], 'use()')):
        call = f'import gpusnap.torch; gpusnap.torch.{ours}\n' if ours else ''
        r = Run(program(call + GROWING), mib=1024, before=before, GPUSNAP_EVENTS='0')
        assert 'caught' in r.out and len(r.dumps) == 1, (r.dumps, r.err)
        oom = ask(r.dumps[0], 'oom')[0]
        assert oom['requested'] == 300 * MIB and 'grow' in oom['user_frame'], (before, ours, oom)


@case
def the_failure_that_ends_the_program_has_its_dump():
    text = '''
import torch
def probe(n): return torch.empty(n << 20, dtype=torch.uint8, device='cuda')
for n in (64000, 32000, 16000, 8000, 4000, 2500):
    try: probe(n)
    except torch.OutOfMemoryError: pass
kept = []
def leak(): kept.append(torch.empty(100 << 20, dtype=torch.uint8, device='cuda'))
while True: leak()
'''
    for before, ours in ((RUN, ''), ([], 'import gpusnap.torch; gpusnap.torch.attach()\n'), ([], 'import gpusnap.torch; gpusnap.torch.use()\n')):
        r = Run(program(ours + text), mib=2048, before=before)
        assert r.status == 1 and 'OutOfMemoryError' in r.err, r.err
        assert len(r.dumps) == 5, r.dumps
        last = max(r.dumps, key=lambda d: int(d.rsplit('-', 1)[1].split('.')[0]))
        oom = ask(last, 'oom')[-1]
        assert oom['requested'] == 100 * MIB and 'leak' in oom['user_frame'], oom


@case
def a_failure_that_comes_again_is_merged():
    text = '''
import torch
kept = [torch.empty(300 << 20, dtype=torch.uint8, device='cuda')]
def big(): torch.empty(9000 << 20, dtype=torch.uint8, device='cuda')
for i in range(20):
    try: big()
    except torch.OutOfMemoryError: pass
    kept.append(torch.empty(1 << 20, dtype=torch.uint8, device='cuda'))
'''
    for before, ours in ((RUN, ''), ([], 'import gpusnap.torch; gpusnap.torch.attach()\n'), ([], 'import gpusnap.torch; gpusnap.torch.use()\n')):
        r = Run(program(ours + text), mib=2048, before=before)
        assert r.status == 0 and len(r.dumps) == 1, (ours, r.dumps, r.err[-1500:])


@case
def a_dump_on_demand_is_no_failure():
    text = '''
import torch, gpusnap.torch
gpusnap.torch.%s()
kept = [torch.empty(300 << 20, dtype=torch.uint8, device='cuda')]
for epoch in range(6): print(gpusnap.torch.dump().split('/')[-1])
try:
    while True: kept.append(torch.empty(300 << 20, dtype=torch.uint8, device='cuda'))
except torch.OutOfMemoryError: print('caught')
'''
    for call in ('attach', 'use'):
        r = Run(program(text % call), mib=2048)
        names = [os.path.basename(d) for d in r.dumps]
        assert r.status == 0 and 'caught' in r.out, r.err
        assert sum(n.startswith('dump-') for n in names) == 6 and sum(n.startswith('oom-') for n in names) == 1, names
        assert r.err.count('out of memory') == 1, r.err


@case
def variables_hold_for_attach():
    ours = 'import gpusnap.torch; gpusnap.torch.attach()\n'
    r = Run(program(ours + GROWING), mib=2048, GPUSNAP_STACKS='none')
    assert ask(r.dumps[0], 'select count(*) as n from frame')[0]['n'] == 0, r.err
    r = Run(program(ours + GROWING), mib=2048, GPUSNAP_EVENTS='4')
    assert ask(r.dumps[0], 'summary')[0]['events'] == 4
    for name, value in (('GPUSNAP_EVENTS', '10k'), ('GPUSNAP_EVENTS', '-3'), ('GPUSNAP_STACKS', 'deep'), ('GPUSNAP_DEPTH', 'x')):
        r = Run(program(ours + GROWING), mib=2048, **{name: value})
        assert r.status == 0 and 'caught' in r.out and len(r.dumps) == 1, (name, value, r.err)
        assert r.err.count(name) == 1 and 'Traceback' not in r.err, (name, r.err)
    r = Run(program(ours + GROWING), mib=2048, GPUSNAP_DISABLE='1')
    assert r.status == 0 and not r.dumps and not r.err.strip(), r.err


API = '''
%s
import json, torch
cuda, told = torch.cuda, {}
def ask(name, f):
    try: told[name] = f()
    except Exception as e: told[name] = f'{type(e).__name__}: {e}'
def layout():
    return [[s['total_size'], s['stream'], s['segment_type'], s['allocated_size'], s['active_size'], s['segment_pool_id'],
             [[b['size'], b['state'], b['requested_size']] for b in s['blocks'] if b['state'] != 'inactive']] for s in cuda.memory_snapshot()]
def stats(): return {k: v for k, v in cuda.memory_stats().items() if 'by_private_pools' not in k}
def fraction():
    cuda.set_per_process_memory_fraction(0.5)
    try: torch.empty(1 << 29, dtype=torch.uint8, device='cuda')
    except torch.OutOfMemoryError: return cuda.memory.get_per_process_memory_fraction()
    finally: cuda.set_per_process_memory_fraction(1.0)
def pool():
    of, seen = cuda.MemPool(), []
    with cuda.use_mem_pool(of): inside = torch.empty(40 << 20, dtype=torch.uint8, device='cuda')
    seen += [len(cuda.memory_snapshot()), cuda.memory_reserved(), len(of.snapshot())]
    del inside, of
    cuda.empty_cache()
    return seen + [cuda.memory_reserved()]
def profiled():
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as p:
        for n in (2, 5): kept.append(torch.empty((n << 20) + 1, dtype=torch.uint8, device='cuda'))
        del kept[-1]
    return [(e.key, e.count, e.device_memory_usage) for e in p.key_averages() if e.device_memory_usage]
def live_in_pool():
    of = cuda.MemPool()
    with cuda.use_mem_pool(of): inside = [torch.empty(n << 20, dtype=torch.uint8, device='cuda') for n in (4, 40)]
    at, check = [t.data_ptr() for t in inside], torch._C._cuda_checkPoolLiveAllocations
    seen = [check(0, of.id, of_these) for of_these in (set(at), set(at[:1]), {*at, 0}, set())]
    del inside
    return seen + [check(0, of.id, set())]
kept = [torch.empty(n << 20, dtype=torch.uint8, device='cuda') for n in (1, 3, 30, 300)]; del kept[1]
for f in (cuda.memory_allocated, cuda.max_memory_allocated, cuda.memory_reserved, cuda.max_memory_reserved, stats, cuda.memory_summary,
          cuda.mem_get_info, layout, cuda.reset_peak_memory_stats, stats, cuda.reset_accumulated_memory_stats, stats, fraction, pool, stats,
          profiled, live_in_pool):
    ask(f'{len(told)} {f.__name__}', f)
failures = []
torch._C._cuda_attach_out_of_memory_observer(lambda *figures: failures.append(figures[2:]))
try: torch.empty(1 << 31, dtype=torch.uint8, device='cuda')
except torch.OutOfMemoryError: told['failures'] = failures
print(json.dumps(told))
'''


@case
def under_use_torch_cuda_answers_as_it_would():
    plain = Run(program(API % ''), mib=1024).json()
    ours = Run(program(API % 'import gpusnap.torch; gpusnap.torch.use()'), mib=1024).json()
    assert plain.keys() == ours.keys()
    assert [v for k, v in plain.items() if 'live_in_pool' in k] == [[True, False, False, False, True]], plain
    assert [v for k, v in plain.items() if 'profiled' in k][0], plain
    assert not [(k, plain[k], ours[k]) for k in plain if plain[k] != ours[k]], [(k, plain[k], ours[k]) for k in plain if plain[k] != ours[k]]


SETTINGS_LATER = '''
%s
import json, torch
told, kept = [], []
# releases from 2.10 on warn of the first and name the second
ways = [f for f in (torch.cuda.memory._set_allocator_settings, getattr(torch._C, '_accelerator_setAllocatorSettings', None)) if f]
def take(*sizes): kept.extend(torch.empty(n, dtype=torch.uint8, device='cuda') for n in sizes)
def look():
    stats = torch.cuda.memory_stats()
    told.append({k: stats[k] for k in stats if k.endswith(('bytes.all.current', 'segment.all.current', 'bytes.all.peak'))})
for n, text in enumerate(('roundup_power2_divisions:4', 'expandable_segments:True', 'expandable_segments:False,roundup_power2_divisions:8',
                          'max_split_size_mb:40', 'nonsense:1', 'max_split_size_mb:3', '')):
    try: ways[min(n, len(ways) - 1)](text)
    except Exception as e: told.append(type(e).__name__)
    take(1200, 2049, 3000000, 5 << 20, 19 << 20, 50 << 20); look()
    del kept[::2]; look()
print(json.dumps(told))
'''


@case
def under_use_allocator_settings_that_are_set_later_hold():
    plain = Run(program(SETTINGS_LATER % ''), mib=2048)
    ours = Run(program(SETTINGS_LATER % 'import gpusnap.torch; gpusnap.torch.use()'), mib=2048)
    assert len({json.dumps(t) for t in plain.json()}) > 8, plain.out
    assert plain.json() == ours.json(), [(i, a, b) for i, (a, b) in enumerate(zip(plain.json(), ours.json())) if a != b]
    assert 'have no effect' not in ours.err, ours.err


@case
def under_use_settings_that_cannot_be_followed_are_told_once():
    text = '''
import torch, gpusnap.torch
torch._C.%s = lambda text: None       # a release that knows more settings than we do
gpusnap.torch.use()
for _ in range(3): torch._C.%s('setting_of_tomorrow:True')
torch.empty(100, device='cuda')
print('goes on')
'''
    r = Run(program(text.replace('%s', '_cuda_cudaCachingAllocator_set_allocator_settings')))
    assert r.status == 0 and 'goes on' in r.out, r.err
    assert r.err.count("allocator settings 'setting_of_tomorrow:True' have no effect: ") == 1, r.err


@case
def the_history_of_the_program_stays_its_own():
    text = '''
%s
import json, torch
record, kept, told = torch.cuda.memory._record_memory_history, [], []
def grow(n): kept.append(torch.empty(n << 20, dtype=torch.uint8, device='cuda'))
def names(x): return [(f['name'], f['line']) for f in x.get('frames') or ()][:2]
def look():
    s = torch.cuda.memory._snapshot()
    told.append([[[(e['action'], e['size'], names(e)) for e in t] for t in s['device_traces']],
                 [[(b['size'], b['state'], names(b)) for b in g['blocks']] for g in s['segments']], torch._C._cuda_isHistoryEnabled()])
grow(100); look()
record(max_entries=50, stacks='python'); grow(20); del kept[0]; look()
record(context='alloc', max_entries=90, stacks='python'); grow(20); grow(20); look()
record(enabled=None); grow(20); look()
record(True, trace_alloc_max_entries=20, trace_alloc_record_context=True); grow(20); look()
record(enabled=None); record(enabled='state', stacks='python'); grow(20); told.append([names(b) for b in torch.cuda.memory_snapshot()[-1]['blocks']])
print(json.dumps(told))
'''
    plain, ours = Run(program(text % '')).json(), Run(program(text % 'import gpusnap.torch; gpusnap.torch.attach()')).json()
    assert plain == ours, [(i, a, b) for i, (a, b) in enumerate(zip(plain, ours)) if a != b]


@case
def a_failure_is_told_rightly_whatever_the_program_does_with_the_history():
    for how in ('enabled=None', 'max_entries=3', 'enabled="state"', 'context=None'):
        text = FRAGMENTED.replace('def carve', f'torch.cuda.memory._record_memory_history({how})\ndef carve')
        is_the_fragmented_failure(Run(program(text), mib=2048, before=RUN))


@case
def without_a_compiler_the_history_in_python_serves_and_says_so():
    r = Run(program('import gpusnap.torch; gpusnap.torch.attach()\n' + FRAGMENTED), mib=2048, PATH='/nowhere', XDG_CACHE_HOME=tempfile.mkdtemp())
    is_the_fragmented_failure(r)
    assert r.err.count('through its history in Python') == 1, r.err


@case
def a_signal_dumps_and_kills_nothing():
    text = '''
import os, signal, time
%s
os.kill(os.getpid(), signal.SIGUSR2)        # nothing is there to dump yet
time.sleep(.3)
import torch
kept = torch.empty(100 << 20, dtype=torch.uint8, device='cuda')
os.kill(os.getpid(), signal.SIGUSR2)
time.sleep(1.5)
print('alive')
'''
    attach, use = 'import gpusnap.torch; gpusnap.torch.attach()', 'import gpusnap.torch; gpusnap.torch.use()'
    for ours, before in ((attach, []), (use, []), ('', RUN), ('', [*RUN, '--pool']), (use, RUN)):
        r = Run(program(text % ours), mib=2048, before=before, GPUSNAP_SIGNAL='USR2')
        assert r.status == 0 and 'alive' in r.out, (ours, before, r.status, r.err)
        assert [os.path.basename(d)[:5] for d in r.dumps] == ['dump-'], (ours, before, r.dumps, r.err)
        lines = [line for line in r.err.splitlines() if 'wrote' in line]
        assert len(lines) == 1 and lines[0].startswith(f'gpusnap: signal USR2: wrote {r.dumps[0]}'), (ours, before, r.err)
        assert 'out of memory' not in r.err, (ours, before, r.err)


# PyTorch gives its pieces back and asks again: a retry, no failure.
RETRYING = '''
import torch
def load(n): return torch.empty(n << 20, dtype=torch.uint8, device='cuda')
for i in range(5):
    pieces = [load(100 + i) for _ in range(15)]; del pieces
    whole = load(1800); del whole
print('ooms', torch.cuda.memory_stats()['num_ooms'], 'retried', torch.cuda.memory_stats()['num_alloc_retries'] > 0)
'''


@case
def the_pool_leaves_pytorch_to_the_recording_of_its_own_allocator():
    pool = [*RUN, '--pool']
    r = Run(program(RETRYING), mib=2048, before=pool)
    assert r.status == 0 and 'ooms 0 retried True' in r.out, (r.out, r.err[-1500:])
    assert not r.dumps and 'out of memory' not in r.err, (r.dumps, r.err)
    r = Run(program(FRAGMENTED), mib=2048, before=pool)
    is_the_fragmented_failure(r)
    assert r.err.count('wrote') == 1, r.err


@case
def the_line_of_a_dump_is_told_once_with_the_next_step():
    for ours, before in (('', RUN), ('import gpusnap.torch; gpusnap.torch.attach()\n', []), ('import gpusnap.torch; gpusnap.torch.use()\n', [])):
        r = Run(program(ours + GROWING), mib=2048, before=before)
        lines = [line for line in r.err.splitlines() if 'wrote' in line]
        assert len(lines) == 1 and lines[0].startswith(f'gpusnap: out of memory on device 0: wrote {r.dumps[0]} ('), (ours, r.err)
        assert lines[0].endswith('; next: `gpusnap diagnose`'), lines


@case
def our_own_files_are_in_no_stack():
    for call in ('attach(stacks="all")', 'use(stacks="all")'):
        r = Run(program(f'import gpusnap.torch; gpusnap.torch.{call}\n' + GROWING), mib=2048)
        own = ask(r.dumps[0], "select name, file from frame where name like '%gpusnap%' or file like '%libgpusnap%' or file like '%/gpusnap/%'")
        assert not own, (call, own)


@case
def library_frames_do_not_use_up_the_depth():
    text = '''
import os, sys
folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'site-packages'); os.mkdir(folder); sys.path.insert(0, folder)
with open(folder + '/deeplib.py', 'w') as f: f.write('def deep(n, f):\\n    return deep(n - 1, f) if n else f()\\n')
import deeplib
%s
def my_line(): deeplib.deep(40, lambda: torch.empty(3 << 30, dtype=torch.uint8, device='cuda'))
import torch
try: my_line()
except torch.OutOfMemoryError: pass
'''
    for ours in ('import gpusnap.torch; gpusnap.torch.attach()', 'import gpusnap.torch; gpusnap.torch.use()'):
        r = Run(program(text % ours), mib=2048)
        frames = [f['name'] for f in ask(r.dumps[0], 'select name from frame')]
        assert 'my_line' in frames, (ours, frames, r.err)


@case
def steps_tags_and_dumps_are_marked_by_the_program():
    text = '''
import torch, gpusnap, gpusnap.torch
gpusnap.torch.%s
kept = []
@gpusnap.tag('cache')
def hold(): kept.append(torch.empty(20 << 20, dtype=torch.uint8, device='cuda'))
for n in range(3):
    gpusnap.step(n)
    hold()
with torch.profiler.record_function('evaluation'), gpusnap.tag('inputs'): kept.append(torch.empty(30 << 20, dtype=torch.uint8, device='cuda'))
print(gpusnap.dump('before the end'))
'''
    for call in ('attach()', 'use()'):
        r = Run(program(text % call))
        assert r.status == 0 and len(r.dumps) == 1, (call, r.err)
        tags = {t['tag']: t['bytes'] for t in ask(r.dumps[0], 'top tags')}
        assert tags == {'cache': 60 * MIB, 'inputs': 30 * MIB}, (call, tags)
        names = [(a['name'], a['stage'] or None) for a in ask(r.dumps[0], 'select name, stage from annotation order by time_us')]
        want = [('step 0', None), ('step 1', None), ('step 2', None), ('evaluation', 'START'), ('evaluation', 'END'), ('before the end', None)]
        assert [n for n in names if n in want] == want, (call, names)


@case
def marks_cost_nothing_where_nothing_is_recorded():
    r = Run('-c', "import sys, gpusnap\ngpusnap.step(1)\nwith gpusnap.tag('x'): pass\nprint(gpusnap.dump('y'), 'torch' in sys.modules, 'gpusnap.native' in sys.modules)")
    assert r.status == 0 and r.out.split() == ['None', 'False', 'False'], (r.out, r.err)
