#!/usr/bin/env python3
"""Open reports in a real Chromium (Debian's, driven by playwright). usage: check_report.py GPUSNAP [FOLDER for screenshots]

Each report, with scripts on and off, light and dark, at the width of a phone and of a desktop: no message on the console, no request
to any host, nothing wider than the window, every picture loaded; dark is dark; printing gives a PDF. The HTML is parsed strictly. Names
from a hostile file stay text, in HTML and in Markdown. Without Chromium, playwright or html5lib: skipped, and said so."""
import json, os, pickle, re, shutil, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GPUSNAP, SHOTS = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
try:
    import html5lib
    from playwright.sync_api import sync_playwright
except ImportError as e:
    print(f"report: SKIPPED: {e} (make deps-report)\nreport: 0 passed, 0 failed, 1 skipped")
    sys.exit(0)
if not CHROMIUM:
    print("report: SKIPPED: no chromium (make deps-report)\nreport: 0 passed, 0 failed, 1 skipped")
    sys.exit(0)
passed = failed = 0
DATA = os.path.join(ROOT, "tests/data")
HOSTILE = ['</script><script>window.pwned=1</script>', '"><img src=x onerror="window.pwned=1">', "</style><style>*{display:none}",
           "<!--", "]]>", "javascript:alert(1)", "\x1b[31m\x07\u202eevil", "| `a` | [x](http://example.org) ![y](http://example.org/z.png)"]


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("report: FAILED:", what)


def gpusnap(*arguments):
    done = subprocess.run([GPUSNAP, *arguments], capture_output=True, text=True, errors="replace")
    check(done.returncode == 0, f"{arguments}: {done.stderr}")
    return done.stdout


def hostile_file(folder):
    """A leak whose frames, settings and device names try to become markup."""
    snapshot = pickle.load(open(os.path.join(DATA, "faults/leak.pickle"), "rb"))
    frames, turn = {}, 0

    def spoil(f):
        nonlocal turn
        key = (f["name"], f["filename"], f["line"])
        if key not in frames:
            frames[key] = (HOSTILE[turn % len(HOSTILE)], f"/a/{HOSTILE[(turn + 1) % len(HOSTILE)]}.py")
            turn += 1
        f["name"], f["filename"] = frames[key]

    seen = set()
    for trace in snapshot["device_traces"]:
        for e in trace:
            for f in e.get("frames", []):
                if id(f) not in seen:
                    seen.add(id(f))
                    spoil(f)
    snapshot["allocator_settings"] = {h: h for h in HOSTILE}
    path = os.path.join(folder, "hostile <b>&\"'.pickle")
    pickle.dump(snapshot, open(path, "wb"), protocol=4)
    return path


def open_everywhere(browser, path, name):
    for width, height in ((1400, 900), (390, 844)):
        for scheme in ("light", "dark"):
            for scripts in (True, False):
                where = f"{name}, {width} wide, {scheme}, scripts {'on' if scripts else 'off'}"
                context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, java_script_enabled=scripts)
                page, said, asked = context.new_page(), [], []
                page.on("console", lambda m: said.append(m.text))
                page.on("pageerror", lambda e: said.append(str(e)))
                page.on("request", lambda r: asked.append(r.url))
                page.goto("file://" + path)
                page.wait_for_load_state("load")
                check(not said, f"{where}: the console says {said}")
                outside = [u for u in asked if not u.startswith(("file://" + path[:1], "data:"))]
                check(not outside, f"{where}: it asks for {outside}")
                if scripts:
                    inside_look(page, width, scheme, where)
                if SHOTS:
                    page.screenshot(path=os.path.join(SHOTS, re.sub(r"\W+", "-", where) + ".png"), full_page=True)
                if scripts and scheme == "light" and width == 1400:
                    pdf = page.pdf()
                    check(pdf.startswith(b"%PDF") and b"/Type /Page" in pdf, f"{where}: a PDF")
                context.close()


def inside_look(page, width, scheme, where):
    wide = page.evaluate("document.documentElement.scrollWidth")
    check(wide <= width, f"{where}: {wide} pixels wide")
    loaded = page.evaluate("[...document.images].map(i => i.complete && i.naturalWidth > 0)")
    check(loaded and all(loaded), f"{where}: pictures {loaded}")
    check(page.evaluate("document.scripts.length") == 0, f"{where}: no script")
    check(page.evaluate("typeof window.pwned") == "undefined", f"{where}: a name has become a script")
    red, green, blue = map(int, re.findall(r"\d+", page.evaluate("getComputedStyle(document.body).backgroundColor"))[:3])
    check((red + green + blue < 200) == (scheme == "dark"), f"{where}: background {red} {green} {blue}")
    small = page.evaluate("[...document.images].filter(i => getComputedStyle(i).display != 'none').some(i => i.width > document.documentElement.clientWidth)")
    check(not small, f"{where}: a picture is wider than the window")


def visible_text(path):
    doc = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(open(path, encoding="utf-8"))
    return doc, "".join(doc.itertext())


def check_content(path, file):
    doc, text = visible_text(path)
    verdict = json.loads(gpusnap("diagnose", "-q", file, "--json"))["verdict"]
    said = doc.find(".//h1").text.replace("_", " ")
    check(verdict is None or verdict.replace("_", " ") in said, f"{file}: the headline tells the verdict {verdict}")
    in_use = json.loads(gpusnap("query", "-q", file, "SELECT count(*) n FROM setting", "--json"))["rows"][0]["n"]
    headings = [h.text for h in doc.iter("h2")]
    for wanted in ("The device", "The heap", "Memory over time", "Who holds what is in use", "What it is for", "Settings of the allocator", "Environment"):
        check(wanted in headings, f"{file}: a section {wanted}, there are {headings}")
    settings = next(s for s in doc.iter("section") if s.find("h2").text == "Settings of the allocator")
    check(len(list(settings.iter("tr"))) == in_use + 1 or in_use == 0, f"{file}: a row each of {in_use} settings")
    return doc, text


with tempfile.TemporaryDirectory() as folder, sync_playwright() as drive:
    browser = drive.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    for name in ("leak", "pinned", "stream"):
        file, path = os.path.join(DATA, f"faults/{name}.pickle"), os.path.join(folder, name + ".html")
        gpusnap("report", file, "--static", "-o", path)
        check_content(path, file)
        open_everywhere(browser, path, name)
    leak = os.path.join(DATA, "faults/leak.pickle")

    several = os.path.join(folder, "several.html")
    gpusnap("report", *(os.path.join(DATA, f"faults/{n}.pickle") for n in ("leak", "pinned", "stream", "defect")), "--static", "-o", several)
    doc, text = visible_text(several)
    table = next(s for s in doc.iter("section") if s.find("h2").text == "All 4 snapshots").find(".//table")
    check(len(list(table.iter("tr"))) == 5, "a row for each of four snapshots")
    check(sum(td.text == "first" for td in table.iter("td")) == 1, "one of them failed first")
    open_everywhere(browser, several, "several")

    changes = os.path.join(folder, "changes.html")
    gpusnap("report", leak, "--before", "20", "--static", "-o", changes)
    doc, text = visible_text(changes)
    check("Before and after" in text and "440 MiB more" in text, "what changed is told")
    open_everywhere(browser, changes, "changes")

    hostile, path = hostile_file(folder), os.path.join(folder, "hostile.html")
    gpusnap("report", hostile, "--before", "20", "--static", "-o", path)
    doc, text = visible_text(path)
    for name in HOSTILE[:6]:
        check(name in text, f"{name} is there as text")
    check("\x1b" not in text and "\u202e" not in text, "what steers is not there")
    check(not list(doc.iter("script")) and len(list(doc.iter("style"))) == 1, "no element comes from a name")
    open_everywhere(browser, path, "hostile")

    markdown = os.path.join(folder, "hostile.md")
    gpusnap("report", hostile, "-o", markdown)
    text = open(markdown, encoding="utf-8").read()
    for picture in re.findall(r"^!\[.*\]\(<(.*)>\)$", text, re.M):
        data = open(os.path.join(folder, picture), "rb").read()
        check(data.startswith(b"\x89PNG"), f"{picture} lies beside it")
    check(len(re.findall(r"^!\[.*\]\(<.*>\)$", text, re.M)) == 2, "map and plot")
    bare = re.sub(r"\\.", "", text)
    check("<script" not in bare and "<img" not in bare and "](http" not in bare and "://" not in bare, "names in Markdown are text")
    check("\x1b" not in text and "\u202e" not in text, "what steers is not in Markdown")
    browser.close()
print(f"report: {passed} passed, {failed} failed")
sys.exit(failed > 0)
