#!/usr/bin/env python3
"""Hold what other people's tools show of our exports against what they show of the originals.

usage: check_export.py GPUSNAP TORCH_PYTHON TOOLS_PYTHON|- [SNAPSHOT…]

The tools are run by their own command lines: `_memory_viz.py` of the torch in TORCH_PYTHON's environment (stats, trace, segments, memory, segment_plot,
trace_plot), and pt-snap and ptmem beside TOOLS_PYTHON (`-`: not installed). Each PyTorch snapshot is exported as it is, through a .gsnap file
and through a database; dumps of `gpusnap sim` have no original, so their exports are held against each other. Flame graphs are compared
as the lines that the drawing script is given. Default inputs: dumps of scripts, the snapshots of tests/data, and those of ../shared/corpus."""
import base64, glob, io, json, os, re, sqlite3, stat, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../independent"))
from summary import Plain

ROOT = os.path.dirname(os.path.dirname(HERE))
GPUSNAP, TORCH = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
TOOLS = sys.argv[3] if sys.argv[3] == "-" else os.path.abspath(sys.argv[3])
VIZ = [("stats",), ("trace",), ("segments", "-o"), ("memory", "-o"), ("trace_plot", "-o"), ("trace_plot", "-s", "-o"), ("segment_plot", "-o")]
SCRIPTS = ("scenario_3 1024MiB", "expandable_maxsplit 6144MiB", "default_streams 6144MiB")
ROUTES = ("as it is", "through .gsnap", "through a database")
FAILED = "(fails)"


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=300, **more)


def gpusnap(*arguments):
    done = run(GPUSNAP, *arguments)
    if done.returncode:
        raise RuntimeError(f"gpusnap {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def find_viz():
    found = run(TORCH, "-c", "import importlib.util as u, os; print(os.path.dirname(u.find_spec('torch').origin))").stdout.strip()
    return os.path.join(found, "cuda/_memory_viz.py")


# Runs the viewer's own command line, once for each of the given argument lists, in one process.
DRIVER = """
import contextlib, io, json, runpy, sys
viz, shown = sys.argv[1], []
for arguments in json.loads(sys.argv[2]):
    out = io.StringIO()
    sys.argv = [viz, *arguments]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            runpy.run_path(viz, run_name="__main__")
        shown.append(out.getvalue())
    except BaseException:
        shown.append(None)
json.dump(shown, sys.stdout)
"""


class Viewer:
    """Runs the tools in a home of their own, where the script that draws flame graphs is one that repeats its input."""

    def __init__(self, home):
        self.home, self.viz, self.content, self.shown = home, find_viz(), None, None
        self.made = []
        for path in (os.path.join(home, ".cache/flamegraph.pl"), f"/tmp/{os.getuid()}_flamegraph.pl"):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if not os.path.exists(path):
                with open(path, "w") as f:
                    f.write("#!/bin/sh\ntac | tac\n")  # reads all before it writes, as the real one
                os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
                self.made.append(path)
        self.environment = dict(os.environ, HOME=home, NO_COLOR="1", COLUMNS="200", XDG_CACHE_HOME=os.path.join(home, ".cache"))

    def close(self):
        for path in self.made:
            os.unlink(path)

    def run(self, *command):
        return run(*command, env=self.environment, cwd=self.home)

    def memory_viz(self, path, commands):
        """What each sub-command shows, or FAILED."""
        out = os.path.join(self.home, "out")
        lists = [[command[0], path, *command[1:], *([f"{out}{i}"] if command[-1] == "-o" else [])] for i, command in enumerate(commands)]
        printed = json.loads(self.run(TORCH, "-c", DRIVER, self.viz, json.dumps(lists)).stdout)
        shown = {}
        for i, command in enumerate(commands):
            text = printed[i]
            if text is not None and command[-1] == "-o":
                with open(f"{out}{i}", encoding="utf-8", errors="replace") as f:
                    text = f.read()
            page = re.search(r'"base64": "([^"]*)"', text or "")
            if page:  # their own file, made here
                text = Plain(io.BytesIO(base64.b64decode(page.group(1)))).load(), text[:page.start()], text[page.end():]
            shown["memory_viz " + " ".join(command).replace(" -o", "")] = FAILED if text is None else text
        return shown

    def pt_snap(self, path):
        """All rows of the databases that it makes of a snapshot; times of the import and paths left out."""
        folder = tempfile.mkdtemp(dir=self.home)
        done = self.run(os.path.join(os.path.dirname(TOOLS), "pt-snap"), "import", path, "-o", folder, "--no-focus", "--json")
        if done.returncode:
            return FAILED
        rows = []
        for made in sorted(glob.glob(folder + "/**/*.db", recursive=True)):
            db = sqlite3.connect(made)
            for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall():
                if not re.search("meta|sqlite_|manifest", table):
                    rows += [(table, *row) for row in db.execute(f'SELECT * FROM "{table}"')]
            db.close()
        return sorted(rows, key=repr)

    def ptmem(self, path):
        done = self.run(os.path.join(os.path.dirname(TOOLS), "ptmem"), "-s", path)
        if done.returncode:
            return FAILED
        return "\n".join(line for line in done.stdout.splitlines() if not re.search(r"^Loading|Path:|File size:|Cache:", line.strip()))

    def everything(self, path):
        """By tool what it shows of the pickle. Each file is opened by the viewer; the rest is run once for files that are the very same to Python."""
        copy = os.path.join(self.home, "snapshot.pickle")  # ptmem leaves a file beside what it reads
        with open(path, "rb") as f, open(copy, "wb") as to:
            to.write(f.read())
        content = repr(load(path))
        opened = self.memory_viz(copy, VIZ[:1])
        if self.content != content:
            self.content, self.shown = content, self.memory_viz(copy, VIZ[1:])
            if TOOLS != "-":
                self.shown["pt-snap import"], self.shown["ptmem -s"] = self.pt_snap(copy), self.ptmem(copy)
        return {**opened, **self.shown}


def plain(data):
    """A snapshot as it can be compared: tuples as lists; without what says nothing (lists of devices behind the last with events, no annotations,
    no traces, no memory of the host)."""
    if isinstance(data, dict):
        made = {key: plain(value) for key, value in data.items()}
        while isinstance(made.get("device_traces"), list) and made["device_traces"][-1:] == [[]]:
            made["device_traces"].pop()
        for key in ("external_annotations", "traces", "device_traces", "host_segments", "host_traces"):
            if made.get(key) == []:
                del made[key]
        return made
    return [plain(value) for value in data] if isinstance(data, (list, tuple)) else data


def kept_by_copy_alone(data):
    """Why the model cannot hold all that this snapshot says, or None. Exported from the file itself it is as it was."""
    segments = data if isinstance(data, list) else data.get("segments", [])
    if any("history" in block for segment in segments for block in segment["blocks"]):
        return "2.0's history of a block: the model keeps the newest entry"
    if any(segment.get("allocated_size") != sum(b["size"] for b in segment["blocks"] if b["state"] == "active_allocated") for segment in segments):
        return "sums that contradict the blocks: the model keeps the blocks"
    return None


def difference(a, b):
    if FAILED in (a if isinstance(a, str) else "", b if isinstance(b, str) else ""):
        return f"{'fails' if a == FAILED else 'works'} before, {'fails' if b == FAILED else 'works'} after"
    if isinstance(a, str):
        x, y = a.splitlines(), b.splitlines()
        for i, (p, q) in enumerate(zip(x, y)):
            if p != q:
                return f"line {i + 1}: {p[:150]!r} became {q[:150]!r}"
        return f"{len(x)} lines became {len(y)}"
    if isinstance(a, list):
        before, after = set(map(repr, a)), set(map(repr, b))
        return f"rows only before {sorted(before - after)[:2]}, only after {sorted(after - before)[:2]}"
    return first_difference(plain(a[0]), plain(b[0]), "page")


def first_difference(a, b, where):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(set(a) | set(b), key=str):
            if (key in a) != (key in b):
                return f"{where}.{key} {'is lost' if key in a else 'is new'}"
            if a[key] != b[key]:
                return first_difference(a[key], b[key], f"{where}.{key}")
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return f"{where}: {len(a)} entries became {len(b)}"
        for i, (x, y) in enumerate(zip(a, b)):
            if x != y:
                return first_difference(x, y, f"{where}[{i}]")
    return f"{where}: {str(a)[:80]} became {str(b)[:80]}"


def same(a, b):
    if isinstance(a, tuple) and isinstance(b, tuple):
        return plain(a[0]) == plain(b[0]) and a[1:] == b[1:]
    return a == b


def exports(path, folder, routes):
    """The snapshot, exported as it is, through a .gsnap, through a database."""
    made = {}
    for route in routes:
        source = path
        if route == "through .gsnap":
            source = os.path.join(folder, "x.gsnap")
            gpusnap("export", path, "--format", "gsnap", "-f", "-o", source)
        elif route == "through a database":
            source = os.path.join(folder, "x.db")
            gpusnap("load", path, "-f", "-o", source)
        made[route] = os.path.join(folder, route.replace(" ", "_") + ".pickle")
        gpusnap("export", source, "-f", "-o", made[route])
    return made


def load(path):
    with open(path, "rb") as f:
        return Plain(f).load() if f.read(1) == b"\x80" and not f.seek(0) else None


def compare(viewer, path, folder, problems):
    """Returns how many things were shown alike."""
    name, good, original = os.path.basename(path), 0, load(path)
    why = kept_by_copy_alone(original) if original is not None else None
    made = exports(path, folder, ROUTES[:1] if why else ROUTES)
    if why:
        print(f"check-export: {name}: only as it is ({why})")
    if original is None:  # no plain pickle: the export is the first that they can open
        reference = viewer.everything(made["as it is"])
        problems += [f"{name}: {tool} fails" for tool, shown in reference.items() if shown == FAILED]
    else:
        reference = viewer.everything(path)
    for route, export in made.items():
        if original is not None and not isinstance(original, list) and plain(load(export)) != plain(original):
            problems.append(f"{name}, {route}: {first_difference(plain(original), plain(load(export)), 'snapshot')}")
        for tool, shown in viewer.everything(export).items():
            if same(reference[tool], shown):
                good += 1
            elif reference[tool] == FAILED:  # some tools take no bare list of segments; the export they do take
                good += 1
            else:
                problems.append(f"{name}, {route}: {tool}: {difference(reference[tool], shown)}")
    return good


def inputs(folder):
    run("sh", "-c", f"xz -dc '{ROOT}/tests/golden/transcripts.tar.xz' | tar -xf - -C '{folder}'")
    for script in SCRIPTS:
        name, capacity = script.split()
        path = os.path.join(folder, name + ".gsnap")
        gpusnap("sim", os.path.join(folder, name + ".in"), "--capacity", capacity, "-f", "-o", path)
        yield path
    for packed in sorted(glob.glob(ROOT + "/tests/data/states/pools_u*.pickle.zst") + glob.glob(ROOT + "/tests/data/diagnose/[c]*.pickle.zst")):
        path = os.path.join(folder, os.path.basename(packed)[:-4])
        run("zstd", "-q", "-d", "-f", packed, "-o", path)
        yield path
    yield from sorted(glob.glob(ROOT + "/tests/data/faults/g*.pickle") + [ROOT + "/tests/data/pytorch/forms/" + name for name in ("cpp.pickle", "list.pickle", "snapshot.json", "embedded.html")])
    corpus = sorted(glob.glob(ROOT + "/../shared/corpus/*.p*k*l*") + glob.glob(ROOT + "/../shared/corpus/*.json") + glob.glob(ROOT + "/../shared/corpus/*.html"))
    if not corpus:
        print("check-export: SKIPPED: no ../shared/corpus here", file=sys.stderr)
    yield from corpus


def main():
    passed = failed = skipped = things = 0
    with tempfile.TemporaryDirectory() as folder:
        viewer = Viewer(os.path.join(folder, "home"))
        for path in sys.argv[4:] or inputs(folder):
            problems = []
            try:
                things += compare(viewer, os.path.abspath(path), folder, problems)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                problems.append(str(error))
            passed, failed = passed + (not problems), failed + bool(problems)
            for problem in problems:
                print("check-export: " + problem, flush=True)
        viewer.close()
    if TOOLS == "-":
        skipped = 1
        print("check-export: SKIPPED: pt-snap-cli and ptmem cannot be installed here", file=sys.stderr)
    print(f"check-export: {things} things shown alike")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed > 0 or not passed


if __name__ == "__main__":
    sys.exit(main())
