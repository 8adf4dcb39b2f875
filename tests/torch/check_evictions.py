#!/usr/bin/env python3
"""Carries out what `gpusnap diagnose` calls a sufficient eviction: the program of tests/torch/failures.py is run again with those tensors
freed right before the request, which must then succeed; with one of them kept it must fail again.
usage: check_evictions.py GPUSNAP PYTHON FAKE.so [CASE…]"""
import json, os, pickle, subprocess, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))
gpusnap, python, fake = sys.argv[1:4]
sys.path.insert(0, here)


def run(case, out, free=()):
    env = dict(os.environ, LD_PRELOAD=f"{fake}:{fake[:-3]}.nvml.so", FAKE_CUDA_MIB="1024", FAKE_CUDA_DEVICES="2", FAKE_CUDA_EVENTS="lazy")
    args = [python, os.path.join(here, "failures.py"), case, out] + (["--free", ",".join(map(hex, free))] if free else [])
    return json.loads(subprocess.run(args, env=env, capture_output=True, text=True, check=True).stdout)


def live_blocks(segments):
    return [(b["address"], b["size"]) for g in segments for b in g["blocks"] if b["state"] != "inactive"]


def victims(snapshot, verdict):
    """the live blocks that the eviction names, found by an independent reading of the snapshot"""
    e = verdict["eviction"]
    segments = [g for g in snapshot["segments"] if g["device"] == verdict["device"]]
    if e["segment"] is not None:
        return [a for a, n in live_blocks(segments) if e["address"] <= a < e["address"] + e["size"]]
    ordered = sorted((g for g in segments if tuple(g["segment_pool_id"]) == (0, 0) and g["active_size"]), key=lambda g: (g["active_size"] / g["total_size"], g["address"]))
    have, chosen = verdict["device_free"], []
    while have < verdict["needed"] and ordered:
        chosen.append(ordered.pop(0))
        have += chosen[-1]["total_size"]
    return [a for a, n in live_blocks(chosen)]


def main():
    cases = sys.argv[4:]
    if not cases:
        cases = [line.split("(")[0][4:] for line in open(os.path.join(here, "failures.py")) if line.startswith("def ") and "():" in line and "main" not in line]
    proven = failures = 0
    for case in cases:
        with tempfile.TemporaryDirectory() as scratch:
            out = os.path.join(scratch, "s.pickle")
            first = run(case, out)
            verdict = json.loads(subprocess.run([gpusnap, "diagnose", "-q", out, "--capacity", "1GiB", "--json"], capture_output=True, text=True, check=True).stdout)
            e = verdict["eviction"]
            if not e or not e["sufficient"] or not e["live_blocks"]:
                print(f"{case}: {verdict['verdict']}: no sufficient eviction to prove")
                continue
            addresses = victims(pickle.load(open(out, "rb")), verdict)
            fits = run(case, os.path.join(scratch, "t.pickle"), addresses)
            kept = run(case, os.path.join(scratch, "t.pickle"), addresses[1:] or [1])
            good = first["failed"] and not fits["failed"] and fits["evicted"] == len(addresses) == e["live_blocks"] and kept["failed"]
            proven += bool(good)
            failures += not good
            print(f"{case}: {verdict['verdict']}: {len(addresses)} blocks of {e['live_bytes']} bytes: {'succeeds without them, fails with one kept' if good else 'NOT SO'}")
            if not good:
                print("   ", len(addresses), e, str(fits["failed"])[:100], fits.get("evicted"), str(kept["failed"])[:60])
    print(f"evictions: {proven} proven, {failures} failed")
    sys.exit(failures != 0)


main()
