#!/usr/bin/env python3
"""Run what the pages show, and compare. usage: check_docs.py BUILD PAGE…   (UPDATE=1 rewrites outputs and pictures: then read and look at them)

A fence `console` holds commands behind "$ " (continued behind "> ") and what a terminal of 100 columns shows of them, a line "…" standing for any
lines. A fence `pycon` holds Python behind ">>> ". A page's blocks run in its order in one folder that holds docs/examples with its recordings.
Above a fence, a comment `<!-- not run: WHY -->` leaves it out; it is counted as skipped. A picture `![…](…/img/NAME.png)` whose NAME.png a command
of the page made is compared with it, pixel by pixel."""
import fcntl, glob, os, pty, re, select, shutil, struct, subprocess, sys, tempfile, termios, time, zlib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD, PAGES, UPDATE = os.path.abspath(sys.argv[1]), sys.argv[2:], os.environ.get("UPDATE") == "1"
passed = failed = skipped = 0
FENCE = re.compile(r"(?P<why><!-- not run: (?P<reason>[^>]*) -->\n)?```(?P<kind>console|pycon)\n(?P<body>.*?)^```$", re.S | re.M)


def tell(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("docs: FAILED:", what)


def environment(folder):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GPUSNAP", "COLUMNS", "LINES", "NO_COLOR"))}
    return {**env, "PATH": BUILD + ":" + env["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "xterm", "HOME": folder,
            "PYTHONPATH": ROOT + "/tools/python", "GPUSNAP_ANALYZER_LIBRARY": BUILD + "/libgpusnap-analyzer.so.1",
            "GPUSNAP_LIBRARY": BUILD + "/libgpusnap.so.1"}


def on_terminal(command, folder, limit=120):
    """What a terminal of 100 columns shows of a command, without colours; lines that were written over are gone."""
    pid, fd = pty.fork()
    if not pid:
        os.chdir(folder)
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        os.execve("/bin/bash", ["bash", "-c", command], environment(folder))
    out, end = b"", time.time() + limit
    while time.time() < end:
        if not select.select([fd], [], [], 1)[0]:
            continue
        try:
            more = os.read(fd, 65536)
        except OSError:
            break
        if not more:
            break
        out += more
    else:
        os.kill(pid, 9)
        out += b"\n(took too long)\n"
    os.waitpid(pid, 0)
    os.close(fd)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.decode("utf-8", "replace").replace("\r\n", "\n"))
    return [line.rsplit("\r", 1)[-1].rstrip() for line in text.splitlines()]


class Python:
    """One interpreter for the page, in a process of its own so that a crash of the library is the page's alone."""

    def __init__(self, folder):
        self.process = subprocess.Popen([sys.executable, "-u", "-c", "import sys; sys.path.insert(0, %r); import check_docs_python" %
                                         os.path.dirname(os.path.abspath(__file__))], cwd=folder, env=environment(folder), text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, source):
        try:
            self.process.stdin.write(repr(source) + "\n")
            self.process.stdin.flush()
            return [line.rstrip() for line in eval(self.process.stdout.readline() or "'(died)'").splitlines()]
        except BrokenPipeError:
            return ["(died)"]


def split(body, prompt, more):
    """(source, lines of output) in turn."""
    parts = []
    for line in body.splitlines():
        if line.startswith(prompt):
            parts.append(([line[len(prompt):]], []))
        elif parts and line.startswith(more) and not parts[-1][1]:
            parts[-1][0].append(line[len(more):])
        elif parts:
            parts[-1][1].append(line.rstrip())
    return parts


def renamed(lines):
    """The lines with the names that redaction makes up, new ones each time, numbered as they come."""
    names = {}
    return [re.sub(r"\b(?:file|function)-[0-9a-f]{10}\b", lambda m: names.setdefault(m[0], f"name-{len(names):010}"), line) for line in lines]


def alike(expected, got):
    """Whether the lines are those expected, "…" standing for any."""
    if not expected:
        return not got
    if expected[0] == "…":
        return any(alike(expected[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and expected[0] == got[0] and alike(expected[1:], got[1:])


def run_block(page, kind, body, folder, python):
    """The block's lines as they should be."""
    prompt, more = ("$ ", "> ") if kind == "console" else (">>> ", "... ")
    lines = []
    for source, expected in split(body, prompt, more):
        got = on_terminal("\n".join(source), folder) if kind == "console" else python.run("\n".join(source))
        while expected and not expected[-1]:
            expected.pop()
        ok = alike(renamed(expected), renamed(got))
        lines += [(prompt if not i else more) + s for i, s in enumerate(source)] + (expected if ok else got)
        if not UPDATE:
            tell(ok, f"{page}: {prompt}{source[0]}\n" + "".join(f"  - {x}\n" for x in expected) + "".join(f"  + {x}\n" for x in got))
    return "\n".join(lines) + "\n"


def pixels(path):
    """Size and pixels, however they are packed."""
    data, at, packed = open(path, "rb").read(), 8, b""
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + n] if kind == b"IDAT" else b""
        at += 12 + n
    return data[16:29], zlib.decompress(packed)


def check_pictures(page, text, folder):
    for target in re.findall(r"!\[[^]]*\]\(([^)]*img/[^)]*)\)", text):
        stored, made = os.path.normpath(os.path.join(ROOT, os.path.dirname(page), target)), os.path.join(folder, os.path.basename(target))
        if not os.path.exists(made):
            tell(os.path.exists(stored), f"{page}: {target} is missing")
        elif UPDATE:
            shutil.copyfile(made, stored)
        else:
            tell(os.path.exists(stored) and (pixels(made) == pixels(stored) if made.endswith(".png") else True), f"{page}: {target} has changed")


def furnish(folder):
    for path in glob.glob(ROOT + "/docs/examples/*.*"):
        shutil.copy(path, folder)
    for path in glob.glob(ROOT + "/docs/examples/recorded/*"):
        if path.endswith(".zst"):
            subprocess.run(["zstd", "-qd", path, "-o", os.path.join(folder, os.path.basename(path)[:-4])], check=True)
        else:
            shutil.copy(path, folder)


def check_page(page):
    global skipped
    path = os.path.join(ROOT, page)
    text, out, at = open(path, encoding="utf-8").read(), [], 0
    with tempfile.TemporaryDirectory() as folder:
        furnish(folder)
        python = Python(folder)
        for m in FENCE.finditer(text):
            out.append(text[at:m.start("body")])
            at = m.end("body")
            if m["why"]:
                skipped += 1
            out.append(m["body"] if m["why"] else run_block(page, m["kind"], m["body"], folder, python))
        python.process.stdin.close()
        python.process.wait()
        check_pictures(page, text, folder)
    if UPDATE:
        open(path, "w", encoding="utf-8").write("".join(out) + text[at:])


for page in PAGES:
    check_page(os.path.relpath(page, ROOT))
print(f"docs: {passed} passed, {failed} failed" + (f", {skipped} skipped (need a GPU, a network or PyTorch)" if skipped else ""))
sys.exit(failed > 0)
