#!/usr/bin/env python3
"""Runs a script of allocator calls (the golden form) or a training loop by a real PyTorch, takes a snapshot at many moments, and keeps
what each showed, so that states rebuilt from the last snapshot alone can be held against it.
usage: LD_PRELOAD=fake.so FAKE_CUDA_MIB=N record_states.py (SCRIPT.in | train.py MODEL STEPS) OUT EVERY
writes OUT.pickle (the last snapshot) and OUT.truth (JSON lines: the state after an event)"""
import json, pickle, random, runpy, sys
import torch

memory = torch.cuda.memory


class Recorder:
    def __init__(self, every):
        self.every, self.calls, self.states = every, 0, []

    def tick(self):
        self.calls += 1
        if self.calls % self.every:
            return
        snapshot = memory._snapshot()
        for device, trace in enumerate(snapshot["device_traces"]):
            if trace:
                self.states.append({"device": device, "idx": len(trace) - 1, "segments": [brief(g) for g in snapshot["segments"] if g["device"] == device]})

    def write(self, out):
        with open(out + ".pickle", "wb") as f:
            pickle.dump(memory._snapshot(), f)
        with open(out + ".truth", "w") as f:
            for state in self.states:
                print(json.dumps(state), file=f)


def brief(g):
    return [g["address"], g["total_size"], g["segment_type"], list(g["segment_pool_id"]), g["stream"], int(g["is_expandable"]),
            [[b["address"], b["size"], b["state"], None if b["state"] == "inactive" else b["requested_size"]] for b in g["blocks"]]]


def size(words):
    n = int(words[0])
    words = words[1:]
    if words and words[0] in "km":
        n *= 1024 if words[0] == "k" else 1 << 20
        words = words[1:]
    return n, int(words[0]) if words else 0


def stream(n):
    return torch.cuda.default_stream() if n == 0 else torch.cuda.ExternalStream(0x10000 * n)


def run_script(path, recorder):
    import ctypes
    fake = ctypes.CDLL("libcuda.so.1")
    live = {}
    for line in open(path):
        op, *words = line.split() or ["#"]
        try:
            if op == "conf":
                memory._set_allocator_settings(" ".join(words))
            elif op == "frac":
                torch.cuda.set_per_process_memory_fraction(float(words[0]))
            elif op == "malloc":
                n, s = size(words[1:])
                with torch.cuda.stream(stream(s)):
                    live[words[0]] = torch.empty(n, dtype=torch.uint8, device="cuda")
            elif op == "free":
                live.pop(words[0], None)
            elif op == "record":
                if words[0] in live:
                    live[words[0]].record_stream(stream(int(words[1])))
            elif op == "complete":
                fake.fake_all_ready()
            elif op == "empty":
                torch.cuda.empty_cache()
        except (RuntimeError, ValueError):
            pass
        recorder.tick()


def main():
    *what, out, every = sys.argv[1:]
    recorder = Recorder(int(every))
    torch.cuda.init()
    memory._record_memory_history(max_entries=1000000, stacks="python", context=None if len(what) == 1 else "alloc")
    memory._snapshot()
    if len(what) == 1:
        run_script(what[0], recorder)
    else:
        # every random draw of the loop is a moment at which to look
        for name in ("randint", "random"):
            draw = getattr(random, name)
            setattr(random, name, lambda *a, draw=draw: (recorder.tick(), draw(*a))[1])
        sys.argv = what
        runpy.run_path(what[0], run_name="__main__")
    recorder.write(out)


if __name__ == "__main__":
    main()
