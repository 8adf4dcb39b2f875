#!/usr/bin/env python3
"""Runs scripts and random programs by a real PyTorch, then asks gpusnap for the state after many events from the last snapshot alone, and
compares block for block with what the snapshots taken at those events showed; again with the first third of the trace cut off, when a state must
be right or flagged as not exact.
usage: check_states.py GPUSNAP PYTHON FAKE.so [--seeds N] [SCRIPT.in…]"""
import json, os, pickle, subprocess, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))
gpusnap, python, fake = sys.argv[1:4]
CONFS = ["", "expandable_segments:True", "max_split_size_mb:30", "roundup_power2_divisions:4"]


def record(args, out, **more):
    env = dict(os.environ, LD_PRELOAD=f"{fake}:{fake[:-3]}.nvml.so", FAKE_CUDA_EVENTS="lazy", **more)
    subprocess.run([python, "-W", "ignore"] + args, env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return [json.loads(line) for line in open(out + ".truth")]


def ask(path, device, idx, sql):
    out = subprocess.run([gpusnap, "query", "-q", path, "--state", str(idx), "-d", str(device), "--json", sql], capture_output=True, text=True, check=True)
    return json.loads(out.stdout)["rows"]


def rebuilt(path, device, idx):
    exact = ask(path, device, idx, f"select exact from state where device = {device} and idx = {idx} order by id desc limit 1")
    rows = ask(path, device, idx, "select address, size, state, requested, pool, pool_id, stream from block order by address")
    return exact[0]["exact"] if exact else True, [tuple(r.values()) for r in rows]


def shown(state):
    return [(a, n, what, requested, g[2], ",".join(map(str, g[3])), g[4]) for g in state["segments"] for a, n, what, requested in g[6]]


def compare(name, path, truth, cut):
    tally = dict(states=0, exact=0, right=0, wrong=0)
    for state in truth:
        idx = state["idx"] - cut.get(state["device"], 0)
        if idx < 0:
            continue
        exact, blocks = rebuilt(path, state["device"], idx)
        right = blocks == shown(state)
        tally["states"] += 1
        tally["exact"] += bool(exact)
        tally["right"] += right
        tally["wrong"] += bool(exact) and not right
    print(f"{name}{' cut' if cut else ''}: {tally['states']} states, {tally['right']} right, {tally['exact']} exact, {tally['wrong']} wrong and not flagged", flush=True)
    return tally["wrong"]


def check(name, out, truth):
    wrong = compare(name, out + ".pickle", truth, {})
    snapshot = pickle.load(open(out + ".pickle", "rb"))
    cut = {d: len(t) // 3 for d, t in enumerate(snapshot["device_traces"])}
    snapshot["device_traces"] = [t[cut[d]:] for d, t in enumerate(snapshot["device_traces"])]
    with open(out + ".cut.pickle", "wb") as f:
        pickle.dump(snapshot, f)
    return wrong + compare(name, out + ".cut.pickle", truth, cut)


def main():
    seeds, scripts, rest = 4, [], sys.argv[4:]
    while rest:
        word = rest.pop(0)
        if word == "--seeds":
            seeds = int(rest.pop(0))
        else:
            scripts.append(word)
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        for i, script in enumerate(scripts):
            out = os.path.join(scratch, f"script{i}")
            truth = record([os.path.join(here, "record_states.py"), script, out, "29"], out, FAKE_CUDA_MIB="4096")
            wrong += check(os.path.basename(script), out, truth)
        for seed in range(seeds):
            out = os.path.join(scratch, f"random{seed}")
            conf = CONFS[seed % len(CONFS)]
            truth = record([os.path.join(here, "random_states.py"), out, "37", str(seed), "1200"] + ([conf] if conf else []), out, FAKE_CUDA_MIB="1500",
                           FAKE_CUDA_DEVICES="2", FAKE_CUDA_EVENT_POLLS="20")
            wrong += check(f"seed {seed} {conf or 'default'}", out, truth)
    print("states:", "none wrong and not flagged" if not wrong else f"{wrong} WRONG")
    sys.exit(wrong != 0)


main()
