#!/usr/bin/env python3
"""How fast the page is in headless Chromium, with its software renderer. usage: measure.py BUILD [--turns N] [--events N…] [--before OTHER.html]

Of made pickles of so many events (50,000 and 1,000,000; 5,000,000 take 5 GB of memory to make): milliseconds from the choice of the file to the
verdict and to the first picture, the renderer's peak in MiB; of the report of the largest: seconds to make it, MB, milliseconds to its first
picture. The least of N turns (3). --before: the same of another page, in turn with this one, for ratios on a busy machine."""
import argparse, os, shutil, subprocess, sys, tempfile, time
from playwright.sync_api import sync_playwright

HERE = os.path.dirname(os.path.abspath(__file__))
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
WATCH = """window.took = {}
const seen = (name, there) => { const look = () => there() ? took[name] = Math.round(performance.now() - (window.chosen ?? 0)) : requestAnimationFrame(look); look() }
const watch = () => {
  document.getElementById('gpusnap-input').addEventListener('change', () => { window.chosen = performance.now() }, true)
  seen('verdict', () => document.querySelector('#gpusnap-verdict .headline, main h1'))
  seen('picture', () => {
    const c = document.querySelector('#gpusnap-timeline')
    if (!c.width || document.querySelector('#gpusnap-pictures').hidden) return false
    return new Set(new Uint32Array(c.getContext('2d').getImageData(0, c.height >> 1, c.width, 40).data.buffer)).size > 6
  })
}
document.addEventListener('DOMContentLoaded', watch)"""


def renderer_peak(of):
    """MiB of the largest renderer among the processes that came of this one."""
    parents, peaks = {}, {}
    for d in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{d}/status") as f:
                facts = dict(line.split(":", 1) for line in f if ":" in line)
            with open(f"/proc/{d}/cmdline") as f:
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


def turn(drive, page_path, file):
    browser = drive.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    page = browser.new_context(viewport={"width": 1400, "height": 950}).new_page()
    page.add_init_script(WATCH)
    page.goto("file://" + os.path.abspath(page_path))
    if file:
        page.wait_for_timeout(700)  # as somebody who looks for the file
        page.set_input_files("#gpusnap-input", [file])
    end = time.time() + 300
    while time.time() < end and not page.evaluate("took.verdict && took.picture"):
        page.wait_for_timeout(50)
    page.wait_for_timeout(1000)
    took = dict(page.evaluate("took"), peak=renderer_peak(os.getpid()))
    browser.close()
    return took


def least(turns):
    return {name: min(t[name] for t in turns) for name in ("verdict", "picture", "peak")}


parser = argparse.ArgumentParser()
parser.add_argument("build")
parser.add_argument("--turns", type=int, default=3)
parser.add_argument("--events", type=int, nargs="+", default=[50000, 1000000])
parser.add_argument("--before")
given = parser.parse_args()
pages = [os.path.join(given.build, "page/gpusnap.html")] + ([given.before] if given.before else [])
with tempfile.TemporaryDirectory() as folder, sync_playwright() as drive:
    for events in given.events:
        file, report = os.path.join(folder, f"{events}.pickle"), os.path.join(folder, "report.html")
        subprocess.run([sys.executable, os.path.join(HERE, "../bench/make_big_snapshot.py"), str(events), file], check=True, stdout=subprocess.DEVNULL)
        took = {p: [] for p in pages}
        for _ in range(given.turns):
            for p in pages:
                took[p].append(turn(drive, p, file))
        for p in pages:
            print(f"{events} events, {os.path.getsize(file) / 1e6:.0f} MB, {p}: {least(took[p])}", flush=True)
        if events == max(given.events):
            made = []
            for _ in range(given.turns):
                begun = time.time()
                subprocess.run([os.path.join(given.build, "gpusnap"), "report", "-q", "-f", file, "-o", report], check=True)
                made.append(time.time() - begun)
            print(f"its report: made in {min(made):.1f} s, {os.path.getsize(report) / 1e6:.1f} MB: {least([turn(drive, report, None) for _ in range(given.turns)])}")
