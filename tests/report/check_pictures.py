#!/usr/bin/env python3
"""Hold pictures of known heaps against those that were looked at. usage: check_pictures.py GPUSNAP   (UPDATE=1 writes them: then look at them)

Each case is drawn as SVG, whose shapes are those of the PNG (both come from the same calls), and compared with tests/report/golden/NAME.svg
but for the headline, which is the diagnosis' own. Each is drawn as PNG too: of the size that the SVG says, and its pixels decode."""
import os, re, struct, subprocess, sys, tempfile, zlib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GPUSNAP, DATA, GOLDEN = os.path.abspath(sys.argv[1]), os.path.join(ROOT, "tests/data"), os.path.join(ROOT, "tests/report/golden")
FAULTS = "whatif/faults/{}.pickle.zst"
CASES = {
    "map-leak": ("map", FAULTS.format("leak")),
    "map-stream": ("map", FAULTS.format("stream")),
    "map-graph": ("map", FAULTS.format("graph")),
    "map-pinned": ("map", FAULTS.format("pinned")),
    "map-rounding": ("map", FAULTS.format("rounding")),
    "map-defect": ("map", FAULTS.format("defect")),
    "map-shortage": ("map", FAULTS.format("shortage")),
    "map-expandable": ("map", "states/expandable_small.pickle.zst", "--state", "peak"),
    "map-two-devices": ("map", "diagnose/two_devices_one_failing.pickle.zst", "--color", "state"),
    "map-before": ("map", FAULTS.format("leak"), "--before", "20"),
    "plot-leak": ("plot", FAULTS.format("leak")),
    "plot-pinned": ("plot", FAULTS.format("pinned"), "--axis", "events"),
    "plot-two-devices": ("plot", "diagnose/two_devices_one_failing.pickle.zst"),
    "plot-streams": ("plot", "states/streams.pickle.zst", "--by", "stream"),
}
passed = failed = 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("pictures: FAILED:", what)


def draw(case, path):
    command, file, *more = case
    done = subprocess.run([GPUSNAP, command, os.path.join(DATA, file), "--width", "720", "-o", path, *more], capture_output=True, text=True)
    check(done.returncode == 0, f"{case}: {done.stderr}")


def shapes(svg):
    """One element a line, without the headline."""
    svg = re.sub(r"<title>.*?</title>", "", svg, flags=re.S)
    svg = re.sub(r'<text [^>]*font-size="17"[^>]*>.*?</text>', "", svg, flags=re.S)
    return svg.replace("><", ">\n<")


def png_size(data):
    """Width and height, and the pixels' bytes decompressed."""
    width, height = struct.unpack(">II", data[16:24])
    at, packed = 8, b""
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + n] if kind == b"IDAT" else b""
        at += 12 + n
    return width, height, len(zlib.decompress(packed))


def holders(svg):
    """(size, name) of the legend's holders, in the order of the colours."""
    lines = re.findall(r">([^<]*)</text>", svg)
    found = [re.fullmatch(r"([\d.]+ [KMGT]?i?B)(?: in \d+ blocks?)?: (.*:\d+ .*)", line) for line in lines]
    return [m.groups() for m in found if m]


with tempfile.TemporaryDirectory() as folder:
    for name in (FAULTS.format("leak"), FAULTS.format("pinned"), FAULTS.format("defect"), "diagnose/two_devices_one_failing.pickle.zst"):
        legends = []
        for command in ("map", "plot"):
            path = os.path.join(folder, command + "-of-both.svg")
            draw((command, name, "-f"), path)
            legends.append(holders(open(path, encoding="utf-8").read()))
        check(legends[0] and legends[0] == legends[1], f"{name}: map and plot tell one state in the same colours: {legends}")
    for name, case in CASES.items():
        svg, png, golden = os.path.join(folder, name + ".svg"), os.path.join(folder, name + ".png"), os.path.join(GOLDEN, name + ".svg")
        draw(case, svg)
        draw(case, png)
        drawn = open(svg, encoding="utf-8").read()
        if os.environ.get("UPDATE"):
            open(golden, "w", encoding="utf-8").write(shapes(drawn))
        check(os.path.exists(golden) and shapes(drawn) == open(golden, encoding="utf-8").read(), f"{name} is drawn otherwise (UPDATE=1, and look)")
        width, height, n = png_size(open(png, "rb").read())
        check(f'width="{width}" height="{height}"' in drawn, f"{name}: both forms have one size")
        check(n == height * (3 * width + 1), f"{name}: {n} bytes of pixels")
print(f"pictures: {passed} passed, {failed} failed")
sys.exit(failed > 0)
