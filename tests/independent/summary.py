#!/usr/bin/env python3
"""Sums of PyTorch snapshots, read by CPython's own pickle (which may not look anything up), to hold ours against.

usage: summary.py FILE…    a line a device: file, device, segments, blocks, reserved, allocated, pending, free, free_blocks,
largest_free, events, ooms, separated by tabs"""
import pickle, sys


class Plain(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name} is not data")


def devices(snapshot):
    if isinstance(snapshot, list):
        segments, traces = snapshot, []
    else:
        segments = snapshot.get("segments", [])
        traces = snapshot.get("device_traces", snapshot.get("traces", []))
    numbers = {s.get("device", 0) for s in segments} | {i for i, t in enumerate(traces) if t}
    for d in sorted(numbers):
        yield d, [s for s in segments if s.get("device", 0) == d], traces[d] if d < len(traces) else []


def summary(segments, trace):
    blocks = [b for s in segments for b in s["blocks"]]

    def total(state):
        return sum(b["size"] for b in blocks if b["state"] == state)

    holes = [b["size"] for b in blocks if b["state"] == "inactive"]
    return [len(segments), len(blocks), sum(s["total_size"] for s in segments), total("active_allocated"), total("active_pending_free"),
            sum(holes), len(holes), max(holes, default=0), len(trace), sum(e["action"] == "oom" for e in trace)]


def main():
    for path in sys.argv[1:]:
        with open(path, "rb") as f:
            for device, segments, trace in devices(Plain(f).load()):
                print(path, device, *summary(segments, trace), sep="\t")


if __name__ == "__main__":
    main()
