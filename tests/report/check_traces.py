#!/usr/bin/env python3
"""Hold what `gpusnap export` writes for other tools against the queries. usage: check_traces.py GPUSNAP [SNAPSHOT…]

Folded lines: their sum is the allocated bytes, of each device. speedscope: the documented form of the file, and the same sums. Perfetto:
decoded by the protobuf classes of the `perfetto` package (skipped loudly without it); its counters equal the query `timeline`, every
allocation has one slice with its size, slices of a track never overlap, failures are those of the queries. `gpusnap diff`: equals the
difference of sums made here from the blocks and their stacks; between two steps of a leak the list that is kept, and only it."""
import collections, glob, json, os, re, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GPUSNAP = os.path.abspath(sys.argv[1])
MEANING = os.path.join(ROOT, "../shared/meaning")
FILES = sys.argv[2:] or [
    os.path.join(ROOT, "tests/data", f)
    for f in ("faults/leak.pickle", "faults/stream.pickle", "states/pools_two_devices.pickle.zst", "states/expandable_small.pickle.zst")
]
try:
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as perfetto
except ImportError:
    perfetto = None
passed = failed = skipped = 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("traces: FAILED:", what)


def rows(file, query, *more):
    out = subprocess.run([GPUSNAP, "query", "-q", file, query, "--json", *more], capture_output=True, text=True)
    if out.returncode:
        raise RuntimeError(out.stderr)
    return json.loads(out.stdout)["rows"]


def export(file, form, folder):
    path = os.path.join(folder, form)
    if os.path.exists(path):
        os.unlink(path)
    done = subprocess.run([GPUSNAP, "export", file, "--format", form, "-o", path], capture_output=True, text=True)
    check(done.returncode == 0, f"{file} {form}: {done.stderr}")
    return open(path, "rb").read() if done.returncode == 0 else b""


def check_folded(file, text, allocated):
    sums = collections.Counter()
    for line in text.decode().splitlines():
        stack, _, weight = line.rpartition(" ")
        device = int(stack.split(";")[0].split()[1]) if len(allocated) > 1 else next(iter(allocated))
        sums[device] += int(weight)
    check(dict(sums) == {d: n for d, n in allocated.items() if n}, f"{file}: folded {dict(sums)}, allocated {allocated}")


def check_speedscope(file, text, allocated):
    doc = json.loads(text)
    check(doc["$schema"] == "https://www.speedscope.app/file-format-schema.json", f"{file}: $schema")
    frames = doc["shared"]["frames"]
    for f in frames:
        check(isinstance(f["name"], str) and isinstance(f.get("file", ""), str) and isinstance(f.get("line", 0), int), f"{file}: {f}")
    check(0 <= doc["activeProfileIndex"] < len(doc["profiles"]), f"{file}: activeProfileIndex")
    check([sum(p["weights"]) for p in doc["profiles"]] == list(allocated.values()), f"{file}: weights")
    for p in doc["profiles"]:
        check(p["type"] == "sampled" and p["unit"] == "bytes" and isinstance(p["name"], str), f"{file}: {p['name']}")
        check(p["startValue"] == 0 and p["endValue"] == sum(p["weights"]), f"{file}: endValue")
        check(len(p["samples"]) == len(p["weights"]), f"{file}: samples")
        check(all(s and all(0 <= i < len(frames) for i in s) for s in p["samples"]), f"{file}: frames of samples")


def check_perfetto(file, data):
    trace = perfetto.Trace()
    trace.ParseFromString(data)
    names, labels, tracks = {}, {}, {}
    counters, open_slices = collections.defaultdict(list), collections.Counter()
    begun, steps, ooms = collections.Counter(), collections.defaultdict(list), collections.Counter()
    for p in trace.packet:
        for n in p.interned_data.event_names:
            names[n.iid] = n.name
        for n in p.interned_data.debug_annotation_names:
            labels[n.iid] = n.name
        if p.HasField("track_descriptor"):
            tracks[p.track_descriptor.uuid] = p.track_descriptor
        if not p.HasField("track_event"):
            continue
        e, track = p.track_event, tracks[p.track_event.track_uuid]
        if e.type == e.TYPE_COUNTER:
            check(track.counter.unit == perfetto.CounterDescriptor.UNIT_SIZE_BYTES, f"{file}: unit of {track.name}")
            counters[track.name].append((p.timestamp, e.counter_value))
        elif e.type == e.TYPE_SLICE_BEGIN:
            open_slices[e.track_uuid] += 1
            if open_slices[e.track_uuid] != 1:
                check(False, f"{file}: slices overlap on {track.name}")
            if "allocations" in track.name:
                figures = {labels[a.name_iid]: a.uint_value or a.pointer_value for a in e.debug_annotations}
                begun[track.name.split()[1], figures["event"], figures["size"], figures["address"]] += 1
                check(e.name_iid in names, f"{file}: name of a slice")
            else:
                steps[track.name.split()[1]].append(e.name)
        elif e.type == e.TYPE_SLICE_END:
            open_slices[e.track_uuid] -= 1
        elif e.type == e.TYPE_INSTANT and e.name == "out of memory":
            ooms[track.name.split()[1]] += 1
    check(not +open_slices and min(open_slices.values(), default=0) == 0, f"{file}: slices left open")
    timeline = rows(file, "SELECT device, idx, time_us, allocated, reserved FROM timeline ORDER BY device, idx")
    times = {(r["device"], r["idx"]): r["time_us"] for r in rows(file, "SELECT device, idx, time_us FROM event")}
    for name in ("allocated", "reserved"):
        compared = 0
        for r in timeline:
            at, after = r["time_us"], times.get((r["device"], r["idx"] + 1))
            ns = at * 1000 if at is not None else r["idx"] * 1000
            if at is not None and after is not None and after <= at:
                continue  # events of one microsecond: the value between them has no time of its own
            seen = [v for t, v in counters[f"device {r['device']} {name}"] if t <= ns]
            compared += 1
            if not seen or seen[-1] != r[name]:
                check(False, f"{file}: {name} after event {r['idx']}: {seen[-1:]}, timeline {r[name]}")
                break
        check(compared > 0, f"{file}: {name} equals the timeline at {compared} events")
    allocs = rows(file, "SELECT device, idx, address, size FROM event WHERE action = 'alloc'")
    check({(d, i) for d, i, _, _ in begun} == {(str(r["device"]), r["idx"]) for r in allocs}, f"{file}: a slice an allocation")
    check(all(v == 1 for v in begun.values()), f"{file}: one slice each")
    wanted = collections.Counter(str(r["device"]) for r in rows(file, "oom") if r["idx"] is not None)
    if "leak-end3" in file:
        check(steps["0"] == ["step 0", "step 1", "step 2"], f"{file}: steps {steps}")
    check(ooms == wanted, f"{file}: failures {ooms}, {wanted}")


def is_user(frame):
    path = frame.rpartition(" (")[2]
    return ".py:" in path and not re.search(r"site-packages|dist-packages|/lib/python3|^<frozen", path)


def held(file, state):
    """Bytes and blocks of live memory by the innermost frame of the user's code, from the blocks and their stacks."""
    sums = collections.defaultdict(lambda: [0, 0])
    sql = "SELECT b.size, s.text FROM block b LEFT JOIN stack s ON s.id = b.stack_id WHERE b.state <> 'inactive'"
    for r in rows(file, sql, "--state", str(state)):
        frame = next((f for f in (r["text"] or "").split("\n") if is_user(f)), None)
        if frame:
            name, _, place = frame.rpartition(" (")
            frame = f"{os.path.basename(place[:-1])} {name}"
        sums[frame][0] += r["size"]
        sums[frame][1] += 1
    return sums


def check_diff(file, a, b, only=None):
    """gpusnap diff against the difference of two sums."""
    out = subprocess.run([GPUSNAP, "diff", file, "--from", str(a), "--to", str(b), "--json"], capture_output=True, text=True)
    got = collections.defaultdict(lambda: [0, 0])
    for r in json.loads(out.stdout)["rows"]:
        check(r["change"] == r["bytes_b"] - r["bytes_a"], f"{file}: change of {r['where']}")
        got[r["where"] if ".py:" in r["where"] else None][0] += r["change"]
        got[r["where"] if ".py:" in r["where"] else None][1] += r["blocks_b"] - r["blocks_a"]
    one, two = held(file, a), held(file, b)
    want = {f: [two[f][0] - one[f][0], two[f][1] - one[f][1]] for f in {*one, *two}}
    want = {f: w for f, w in want.items() if w != [0, 0]}
    got = {f: g for f, g in got.items() if g != [0, 0]}
    check(got == want, f"{file} {a} → {b}: diff {got}, blocks say {want}")
    if only:
        check(list(got) == only, f"{file} {a} → {b}: only {only} grew, not {list(got)}")


with tempfile.TemporaryDirectory() as folder:
    if not sys.argv[2:]:
        more = sorted(glob.glob(os.path.join(MEANING, "leak-end3*.pickle")) + glob.glob(os.path.join(MEANING, "hfbert*.pickle")))
        FILES += more
        if not more:
            print("traces: skipped: ../shared/meaning is not there", file=sys.stderr)
            skipped += 1
    for file in FILES:
        allocated = {r["device"]: r["allocated"] for r in rows(file, "summary")}
        check_folded(file, export(file, "flamegraph", folder), allocated)
        check_speedscope(file, export(file, "speedscope", folder), allocated)
        if perfetto:
            check_perfetto(file, export(file, "perfetto", folder))
    leak = os.path.join(MEANING, "leak-end3-python-26.pickle")
    check_diff(FILES[0], 10, 40)
    check_diff(FILES[0], "captured", 3)
    if os.path.exists(leak):  # the events before two steps' first
        check_diff(leak, 1674, 3079, ["loop.py:138 train_step"])
        check_diff(leak, 100, 2000)
    if not perfetto:
        print("traces: SKIPPED: perfetto's classes are not installed (make deps-report)", file=sys.stderr)
        skipped += 1
print(f"traces: {passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
sys.exit(failed > 0)
