#!/usr/bin/env python3
"""A script of allocator calls (tools/sim_script.h) on the allocator of an installed PyTorch, over the pretend CUDA.

    LD_PRELOAD=fake.so FAKE_CUDA_MIB=N FAKE_CUDA_EVENTS=lazy python gold_torch.py SCRIPT...    the transcript, as gpusnap sim --trace prints it
    ... gold_torch.py --serve    reads `SCRIPT TRANSCRIPT` lines; runs each in a process of its own, forked after PyTorch was
                                 imported and before it meets CUDA, so that all start alike; answers a line each

--flat: what the calls themselves print first (addresses, SEG and block lines, statistics), then all actions of the run. One look at
PyTorch's history a script instead of one a call: much faster, and as strict when the other side is put in the same order.

Up to 2.9 the first graph of a process makes two tensors of 8 bytes for its random numbers. A script for such a release therefore begins with mallocs of
.seed1 and .seed2 on a stream and a graph captured there, which it keeps; PyTorch makes the tensors itself, so those mallocs are left out here."""
import ctypes
import os
import sys
import warnings

import torch

warnings.simplefilter('ignore')
STREAM = 0x10000
ARRAYS = ('allocation', 'segment', 'active', 'inactive_split', 'allocated_bytes', 'reserved_bytes', 'active_bytes', 'inactive_split_bytes',
          'requested_bytes')
HISTORY = 1000000
RELEASE = tuple(int(x) for x in torch.__version__.split('+')[0].split('.')[:2])


class Run:
    def __init__(self, out, flat):
        self.out, self.flat = out, flat
        self.live, self.pools, self.uses = {}, {}, {}
        self.memory = torch.cuda.memory
        torch.cuda.init()
        self.memory._record_memory_history(max_entries=HISTORY if flat else 5000, stacks='python', context=None)
        self.fake = ctypes.CDLL('libcuda.so.1')
        self.memory._snapshot()

    def say(self, text):
        print(text, file=self.out)

    @staticmethod
    def stream(n):
        return torch.cuda.default_stream() if n == 0 else torch.cuda.ExternalStream(STREAM * n)

    def trace(self):
        return self.memory._snapshot()['device_traces'][0]

    def actions(self, entries):
        for e in entries:
            at = e['device_free'] if e['action'] == 'oom' else e['addr']
            self.say(f"    {e['action']:<14} 0x{at:x} {e['size']} stream={e['stream']}")

    def told(self):
        """The actions since the last look (each look leaves a `snapshot` entry)."""
        if self.flat:
            return
        entries = self.trace()
        last = max((i for i, e in enumerate(entries) if e['action'] == 'snapshot'), default=-1)
        self.actions(entries[last + 1:])

    def snap(self):
        segments = self.memory._snapshot()['segments']
        active = sum(b['size'] for s in segments for b in s['blocks'] if b['state'] != 'inactive')
        self.say(f'    snapshot       0x0 {active} stream=0')
        for s in segments:
            self.say(f"    SEG 0x{s['address']:x} total={s['total_size']} alloc={s['allocated_size']} active={s['active_size']} "
                     f"req={s['requested_size']} {s['segment_type']} exp={int(s['is_expandable'])} stream={s['stream']}")
            for b in s['blocks']:
                self.say(f"       0x{b['address']:x} {b['size']} req={b['requested_size']} {b['state']}")

    def stats(self):
        s = torch.cuda.memory_stats_as_nested_dict()
        for name in ARRAYS:
            cells = ('/'.join(str(s[name][pool][k]) for k in ('current', 'peak', 'allocated', 'freed')) for pool in ('all', 'small_pool', 'large_pool'))
            self.say(f"    {name:<22} | {' | '.join(cells)}")
        free, total = torch.cuda.mem_get_info()
        self.say(f"    retries={s['num_alloc_retries']} ooms={s['num_ooms']} sync_all={s['num_sync_all_streams']} dev_alloc={s['num_device_alloc']} "
                 f"dev_free={s['num_device_free']} oversize_alloc={s['oversize_allocations']['current']} "
                 f"oversize_seg={s['oversize_segments']['current']} fake_used={total - free}")

    def malloc(self, name, words):
        n = int(words[0])
        words = words[1:]
        if words and words[0] in 'km':
            n *= 1 << (10 if words[0] == 'k' else 20)
            words = words[1:]
        with torch.cuda.stream(self.stream(int(words[0]) if words else 0)):
            self.live[name] = torch.empty(n, dtype=torch.uint8, device='cuda')

    def begin(self, name, words):
        if name[0] == 'm':
            if name not in self.pools:
                self.pools[name] = torch.cuda.MemPool()
            self.uses[name] = torch.cuda.use_mem_pool(self.pools[name])
            self.uses[name].__enter__()
            return
        graph = self.pools.setdefault(name, torch.cuda.CUDAGraph())
        self.uses[name] = torch.cuda.stream(self.stream(int(words[0])))
        self.uses[name].__enter__()
        graph.capture_begin()

    def end(self, name):
        if name[0] == 'g':
            self.pools[name].capture_end()
        self.uses.pop(name).__exit__(None, None, None)

    def release(self, name):
        pool = self.pools.pop(name)
        if name[0] == 'g':
            pool.reset()

    def call(self, op, w):
        if op == 'conf':
            self.memory._set_allocator_settings(' '.join(w))
        elif op == 'frac':
            torch.cuda.set_per_process_memory_fraction(float(w[0]))
        elif op == 'malloc':
            self.malloc(w[0], w[1:])
        elif op == 'free':
            self.live.pop(w[0], None)
        elif op == 'record':
            if w[0] in self.live:
                self.live[w[0]].record_stream(self.stream(int(w[1])))
        elif op == 'complete':
            self.fake.fake_all_ready()
        elif op == 'empty':
            torch.cuda.empty_cache()
        elif op == 'begin':
            self.begin(w[0], w[1:])
        elif op == 'end':
            self.end(w[0])
        elif op == 'release':
            self.release(w[0])

    def line(self, line):
        if line.startswith('#'):
            return self.say(line)
        self.say('> ' + line)
        op, *w = line.split()
        try:
            self.call(op, w)
        except Exception as e:  # a refusal is part of the transcript
            self.told()
            return self.say('    EXC ' + str(e).split('\n')[0])
        if op in ('malloc', 'free', 'record', 'empty', 'begin', 'end', 'release'):
            self.told()
        if op == 'malloc':
            self.say(f'    -> 0x{self.live[w[0]].data_ptr():x}')
        if op == 'snap':
            self.snap()
        if op == 'stats':
            self.stats()

    def script(self, path):
        with open(path) as f:
            for line in f:
                line = line.rstrip('\n')
                if line.strip() and not line.startswith('malloc .seed'):
                    self.line(line)
        if self.flat:
            self.actions(e for e in self.trace() if e['action'] != 'snapshot')


def run(path, out, flat):
    with open(out, 'w') if out else sys.stdout as f:
        Run(f, flat).script(path)


def serve(flat):
    print('ready', flush=True)
    for line in sys.stdin:
        path, out = line.split()
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                run(path, out, flat)
                status = 0
            except BaseException as e:
                print(path, repr(e), file=sys.stderr, flush=True)
            os._exit(status)
        _, status = os.waitpid(pid, 0)
        print('done' if status == 0 else 'failed', path, flush=True)


if __name__ == '__main__':
    words = [w for w in sys.argv[1:] if not w.startswith('--')]
    flat = '--flat' in sys.argv
    if '--serve' in sys.argv:
        serve(flat)
    for word in words:
        run(word, None, flat)
