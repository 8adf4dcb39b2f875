#!/usr/bin/env python3
"""How fast the page is in headless Chromium, with its software renderer. usage: measure.py BUILD [--turns N] [--events N…] [--before OTHER.html]

Of made pickles of so many events (50,000 and 1,000,000; 5,000,000 take 5 GB of memory to make): milliseconds from the choice of the file to the
verdict and to the first picture, the renderer's peak in MiB; of the report of the largest: seconds to make it, MB, milliseconds to its first
picture, which it has beside its recording, and to the one that moves ("live"). The least of N turns (3; 0: none of this), each
in a browser of its own that has come to rest. --before: the same of another page, in turn with this one, for ratios on a busy machine.

Then frames a second, by requestAnimationFrame, while a script zooms and pans by the wheel, the keys and dragging, a block being chosen: the
largest file, and one whose 100,000 blocks all live at once; the median, what 19 of 20 frames reach, the worst. A browser shows at most 60. And
how many milliseconds after the last movement the picture is drawn anew and no longer the one before, stretched."""
import argparse, os, shutil, subprocess, sys, tempfile, time
import motion
from playwright.sync_api import sync_playwright

HERE = os.path.dirname(os.path.abspath(__file__))
STARTS = 3000  # milliseconds in which a window that was just opened works for itself (the list below its address bar: more than a second of a processor)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
WATCH = """window.took = {}
// By the frame behind the one that shows it.
const seen = (name, there) => { const look = () => { const now = performance.now(); there() ? took[name] = Math.round(now - (window.chosen ?? 0)) : requestAnimationFrame(look) }; look() }
document.addEventListener('change', e => { if (e.target.id === 'gpusnap-input') window.chosen = performance.now() }, true)
// Reading pixels back takes ten milliseconds of a frame: not before the bands were put into the canvas.
const put = CanvasRenderingContext2D.prototype.drawImage
let bands = false
CanvasRenderingContext2D.prototype.drawImage = function (...what) { bands ||= this.canvas.id === 'gpusnap-timeline'; return put.apply(this, what) }
const drawn = () => {
  const c = document.querySelector('#gpusnap-timeline')
  if (!bands || !c?.width || document.querySelector('#gpusnap-pictures').hidden) return false
  return new Set(new Uint32Array(c.getContext('2d').getImageData(0, c.height >> 1, c.width, 40).data.buffer)).size > 6
}
const standsIn = () => (i => i && i.complete && i.naturalWidth > 0)(document.querySelector('#gpusnap-stand-in img'))
seen('verdict', () => document.querySelector('#gpusnap-verdict .headline, main h1'))
seen('picture', () => standsIn() || drawn())
seen('live', drawn)"""


def renderer_peak(of):
    """MiB of the largest renderer among the processes that came of this one."""
    parents, peaks = {}, {}
    for d in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{d}/status") as f:
                facts = dict(line.split(":", 1) for line in f if ":" in line)
            with open(f"/proc/{d}/cmdline", errors="replace") as f:
                renders = "--type=renderer" in f.read()
        except OSError:
            continue
        parents[int(d)] = int(facts["PPid"])
        if renders:
            peaks[int(d)] = int(facts.get("VmHWM", "0").split()[0]) // 1024
    def ours(pid):
        while pid in parents and pid != of:
            pid = parents[pid]
        return pid == of
    return max((peak for pid, peak in peaks.items() if ours(pid)), default=0)


def opened(drive, page_path, file):
    """A browser with the page, its picture there; the window in it."""
    browser = drive.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    page = browser.new_context(viewport={"width": 1400, "height": 950}).new_page()
    page.add_init_script(WATCH)
    page.wait_for_timeout(STARTS)
    page.goto("file://" + os.path.abspath(page_path))
    if file:
        page.wait_for_timeout(700)  # as somebody who looks for the file
        page.set_input_files("#gpusnap-input", [file])
    end = time.time() + 300
    while time.time() < end and not page.evaluate("took.verdict && took.live"):
        page.wait_for_timeout(50)
    page.wait_for_timeout(1000)
    return browser, page


def turn(drive, page_path, file):
    browser, page = opened(drive, page_path, file)
    took = dict(page.evaluate("took"), peak=renderer_peak(os.getpid()))
    browser.close()
    return took


def moved(drive, page_path, file):
    browser, page = opened(drive, page_path, file)
    page.wait_for_timeout(2000)
    told = motion.measure(page)
    browser.close()
    return told


def made(folder, events, *more):
    file = os.path.join(folder, f"{events}{''.join(more)}.pickle")
    subprocess.run([sys.executable, os.path.join(HERE, "../bench/make_big_snapshot.py"), str(events), file, *more], check=True, stdout=subprocess.DEVNULL)
    return file


def least(turns):
    return {name: min(t[name] for t in turns) for name in ("verdict", "picture", "live", "peak")}


parser = argparse.ArgumentParser()
parser.add_argument("build")
parser.add_argument("--turns", type=int, default=3)
parser.add_argument("--events", type=int, nargs="+", default=[50000, 1000000])
parser.add_argument("--before")
given = parser.parse_args()
pages = [os.path.join(given.build, "page/gpusnap.html")] + ([given.before] if given.before else [])
with tempfile.TemporaryDirectory() as folder, sync_playwright() as drive:
    print("Chromium, headless, with its software renderer")
    for events in given.events:
        file = made(folder, events)
        took = {p: [] for p in pages}
        for _ in range(given.turns):
            for p in pages:
                took[p].append(turn(drive, p, file))
        for p in pages if given.turns else ():
            told = least(took[p])
            del told["live"]  # a file has no other
            print(f"{events} events, {os.path.getsize(file) / 1e6:.0f} MB, {p}: {told}", flush=True)
    if given.turns:
        begun, report = [], os.path.join(folder, "report.html")
        for _ in range(given.turns):
            begun.append(time.time())
            subprocess.run([os.path.join(given.build, "gpusnap"), "report", "-q", "-f", file, "-o", report], check=True)
            begun[-1] = time.time() - begun[-1]
        print(f"its report: made in {min(begun):.1f} s, {os.path.getsize(report) / 1e6:.1f} MB: {least([turn(drive, report, None) for _ in range(given.turns)])}")
    print("moved by a script; frames a second: median, 19 of 20, worst")
    for what, file in ((f"{given.events[-1]} events", file), ("100,000 blocks at once", made(folder, 110000, "--live", "100000", "--births", "0.98", "--segments", "1200"))):
        for p in pages:
            print(f"{what}, {p}: " + "; ".join(f"{way} {told}" for way, told in moved(drive, p, file).items()), flush=True)
