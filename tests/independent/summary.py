#!/usr/bin/env python3
"""Sums of PyTorch snapshots, read by CPython's own pickle (which may not look anything up), to hold ours against.

usage: summary.py FILE…         a line a device: file, device, segments, blocks, reserved, allocated, pending, free, free_blocks,
                                largest_free, events, ooms, separated by tabs
       summary.py --rows FILE…  and after each file's sums every segment, block and event; a stack as the CRC-32 of its text"""
import gc, pickle, sys, zlib


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


def stack_sum(frames, cache):
    key = tuple(map(id, frames))
    if key not in cache:
        text = "\n".join(f"{f['name']} ({f['filename']}:{f['line']})" for f in frames)
        cache[key] = f"{zlib.crc32(text.encode()) if frames else 0:08x}"
    return cache[key]


def pool(p):
    return "-" if p is None else f"{p[0]},{p[1]}"


def rows(device, segments, trace, cache):
    for s in sorted(segments, key=lambda s: s["address"]):
        yield ("S", device, s["address"], s["total_size"], s["stream"], s["segment_type"], pool(s.get("segment_pool_id", (0, 0))),
               int(s.get("is_expandable", False)), stack_sum(s.get("frames", []), cache))
        at = s["address"]
        for b in s["blocks"]:
            history = b.get("history", [{}])[0]
            requested = b.get("requested_size", "-") if b["state"] != "inactive" else "-"
            yield ("B", device, b.get("address", at), b["size"], requested, b["state"], b.get("user_metadata") or "-",
                   stack_sum(b.get("frames", history.get("frames", [])), cache))
            at += b["size"]
    for i, e in enumerate(trace):
        yield ("E", device, i, e["action"], e.get("addr", e.get("device_free")), e["size"], e["stream"], e.get("time_us", "-"),
               pool(e.get("pool_id")), e.get("user_metadata") or "-", stack_sum(e.get("frames", []), cache))


def main():
    gc.disable()
    with_rows = sys.argv[1] == "--rows"
    for path in sys.argv[1 + with_rows:]:
        with open(path, "rb") as f:
            found = list(devices(Plain(f).load()))
        for device, segments, trace in found:
            print(path, device, *summary(segments, trace), sep="\t")
        for device in found if with_rows else []:
            cache = {}  # stacks by their frames' ids, which last as long as the snapshot
            sys.stdout.writelines("\t".join(map(str, row)) + "\n" for row in rows(*device, cache))


if __name__ == "__main__":
    main()
