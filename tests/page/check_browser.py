#!/usr/bin/env python3
"""The page in a real browser: Debian's Chromium, headless. usage: check_browser.py BUILD [FOLDER for screenshots]

Files are opened and dropped; the page zooms, pans, hovers, searches, chooses, marks, compares, asks, replays and saves; light, dark, a phone's
width, touch, the keyboard alone, print; what it says is what the command says; hostile names stay text; a crash of the worker is told and the
page goes on. No message on the console, no request to any host. Without Chromium or playwright: skipped, and said so."""
import base64, gzip, hashlib, http.server, json, os, pickle, random, re, shutil, subprocess, sys, tempfile, threading, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD, SHOTS = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
GPUSNAP, PAGE = os.path.join(BUILD, "gpusnap"), os.path.join(BUILD, "page/gpusnap.html")
DATA = os.path.join(ROOT, "tests/data")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def skip(why):
    print(f"browser: SKIPPED: {why}\nbrowser: 0 passed, 0 failed, 1 skipped")
    sys.exit(0)


try:
    from playwright.sync_api import sync_playwright, TimeoutError
except ImportError as e:
    skip(f"{e} (make deps-browser)")
if not CHROMIUM:
    skip("no chromium (make deps-browser)")
if not os.path.exists(PAGE):
    skip("no page (make page)")
passed = failed = 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("browser: FAILED:", what, flush=True)


def gpusnap(*arguments):
    return subprocess.run([GPUSNAP, *arguments], capture_output=True, text=True, errors="replace", env=dict(os.environ, LC_ALL="C.UTF-8", COLUMNS="100")).stdout


def fault(name):
    return os.path.join(DATA, f"faults/{name}.pickle")


class Session:
    """A window with the page in it, and all that it said and asked for."""

    def __init__(self, browser, width=1400, height=950, scheme="light", fragment="", page=PAGE, script=None, serve=None, **more):
        self.context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, accept_downloads=True, **more)
        self.page, self.said, self.asked = self.context.new_page(), [], []
        self.page.on("console", lambda m: self.said.append(m.text))
        self.page.on("pageerror", lambda e: self.said.append(str(e)))
        self.page.on("request", lambda r: self.asked.append(r.url))
        self.url = serve or "file://" + page
        if script:
            self.context.add_init_script(script)
        self.page.goto(self.url + fragment)

    def open(self, *files):
        self.page.set_input_files("#gpusnap-input", list(files))
        self.settle()

    def settle(self, headline=True):
        if headline:
            self.page.wait_for_selector("#gpusnap-verdict .headline, #gpusnap-ranks .failed", timeout=60000)
        self.until("!/ …$/.test(document.querySelector('#gpusnap-panel').textContent) && !document.querySelector('#gpusnap-ranks .reading')")
        self.page.wait_for_timeout(250)

    def until(self, script, seconds=60):
        """The page's policy forbids what playwright's own waiting does."""
        end = time.time() + seconds
        while not self.page.evaluate(script):
            if time.time() > end:
                raise TimeoutError(script)
            self.page.wait_for_timeout(50)

    def text(self, selector):
        return self.page.inner_text(selector)

    def end(self, where):
        outside = [u for u in self.asked if not u.startswith((self.url.split("#")[0], "data:", "blob:"))]
        check(not self.said, f"{where}: the console says {self.said[:3]}")
        check(not outside, f"{where}: it asks for {outside[:3]}")
        check(self.page.evaluate("typeof window.pwned") == "undefined", f"{where}: a name has become a script")
        self.context.close()

    def shot(self, name):
        if SHOTS:
            os.makedirs(SHOTS, exist_ok=True)
            self.page.evaluate('scrollTo(0, 0)')
            self.page.screenshot(path=os.path.join(SHOTS, name + ".png"), full_page=True)

    def fragment(self):
        self.page.wait_for_timeout(400)
        return dict(p.split("=", 1) for p in self.page.evaluate("location.hash").lstrip("#").split("&") if "=" in p)

    def at(self, x, y):
        """A point of the picture, from its left and its bottom, as shares of it."""
        self.page.locator("#gpusnap-timeline").scroll_into_view_if_needed()
        box = self.page.locator("#gpusnap-timeline").bounding_box()
        left = 66 if box["width"] < 600 else 76
        return box["x"] + left + x * (box["width"] - left - 10), box["y"] + box["height"] - 44 - y * (box["height"] - 84)


def unfold(s):
    """The whole legend."""
    if s.page.locator("#gpusnap-legend .more button", has_text="more").is_visible():
        s.page.click("#gpusnap-legend .more button")


def headline(text):
    first = re.split(r"\n {2}\S+(?: \S+)? {2,}|\n\n", text)[0]
    return " ".join(first.split())


def says_what_the_command_says(browser):
    files = [fault(n) for n in ("leak", "pinned", "stream", "graph", "defect", "shortage")]
    files += sorted(os.path.join(DATA, "texts", n) for n in os.listdir(os.path.join(DATA, "texts")))[:3]
    for file in files:
        s = Session(browser)
        s.open(file)
        told = headline(gpusnap("diagnose", file, "-q"))
        check(s.text("#gpusnap-verdict .headline") == told, f"{file}: the verdict is {s.text('#gpusnap-verdict .headline')!r}, the command's {told!r}")
        s.end(file)


def moves(browser):
    s = Session(browser)
    s.open(fault("leak"))
    before = s.fragment()
    check("view" not in before, "the whole is shown at first")
    x, y = s.at(0.5, 0.2)
    s.page.mouse.move(x, y)
    s.page.wait_for_selector("#gpusnap-tip:not([hidden])", timeout=60000)
    tip = s.text("#gpusnap-tip")
    check("faults.py:15 take" in tip and "40 MiB" in tip, f"hovering tells the block: {tip!r}")
    s.until("document.querySelector('#gpusnap-tip .stack')", 20)
    check("keep_metrics (/home/user/train/script/faults.py:19)" in s.text("#gpusnap-tip"), "and its stack")
    s.page.mouse.wheel(0, -300)
    s.page.mouse.wheel(0, 120)
    check("view" not in s.fragment(), "the wheel alone does not zoom")
    s.page.evaluate("scrollTo(0, 0)")
    x, y = s.at(0.5, 0.2)
    s.page.mouse.move(x, y)
    s.page.keyboard.down("Control")
    s.page.mouse.wheel(0, -300)
    s.page.mouse.wheel(0, -300)
    s.page.keyboard.up("Control")
    zoomed = s.fragment()
    check("view" in zoomed, f"Ctrl and the wheel zoom: {zoomed}")
    s.page.mouse.down()
    s.page.mouse.move(x + 150, y, steps=4)
    s.page.mouse.up()
    panned = s.fragment()
    a, b = ([int(v) for v in f["view"].split("_")] for f in (zoomed, panned))
    check(b[0] < a[0] and abs((b[1] - b[0]) - (a[1] - a[0])) <= 1, f"dragging moves to the left: {zoomed} {panned}")
    s.page.keyboard.press("0")
    check("view" not in s.fragment(), "0 shows the whole")
    for key in "wwd":
        s.page.keyboard.press(key)
    keyed = s.fragment()
    check("view" in keyed, "w and d move")
    s.page.keyboard.press("s")
    s.page.keyboard.press("s")
    s.page.keyboard.press("a")
    s.page.mouse.move(*s.at(0.5, 0.5))
    s.page.keyboard.down("Shift")
    s.page.mouse.wheel(0, -300)
    s.page.keyboard.up("Shift")
    check("bytes" in s.fragment(), "Shift and the wheel zoom the bytes")
    s.page.keyboard.press("0")
    s.page.mouse.click(*s.at(0.93, 0.5))
    s.settle()
    chosen = s.fragment()
    check(re.match(r"0x[0-9a-f]+(@|%40)-?\d+$", chosen.get("block", "")), f"a click chooses a block by address and birth: {chosen}")
    check("Block of" in s.text("#gpusnap-block") and "faults.py" in s.text("#gpusnap-block .stack"), "the block is told with its stack")
    check("After event" in s.text("#gpusnap-panel"), "and its moment")
    s.page.keyboard.press("f")
    check("view" in s.fragment(), "f looks at the block")
    address = s.page.evaluate("location.href")
    s.end("moves")
    again = Session(browser, fragment="#" + address.split("#")[1])
    again.open(fault("leak"))
    check(again.fragment() == dict(p.split("=", 1) for p in address.split("#")[1].split("&")), "the address brings the view back")
    again.end("an address")


def tells(browser):
    """What a stranger looks for is on the page and can be pointed at: what each colour holds, the names of the verdict, the device's size."""
    s = Session(browser)
    s.open(fault("leak"))
    s.until("document.querySelector('#gpusnap-timeline').getAttribute('aria-busy') === 'false'")
    legend = s.page.evaluate("[...document.querySelectorAll('#gpusnap-legend li:not(.more) button')].map(b => b.textContent.trim())")
    rows = json.loads(gpusnap("query", fault("leak"), "holders", "--json", "-q"))["rows"]
    wanted = [f"{r['where']} ← {r['called_by']} {r['bytes'] >> 20} MiB" for r in rows]
    check(legend == wanted, f"the legend tells who holds how much at the failure: {legend}, the command: {wanted}")
    check("the failure, 40 MiB asked for" in s.text("#gpusnap-panel h2"), f"the moment tells what was asked for: {s.text('#gpusnap-panel h2')!r}")
    s.page.get_by_role("button", name="peak", exact=True).click()
    s.until("document.querySelector('#gpusnap-legend').textContent.includes('after event 41')", 10)
    name = s.page.locator("#gpusnap-verdict .names").first
    check(name.inner_text() == "faults.py:15 take ← faults.py:19 keep_metrics", f"the verdict's holder can be pointed at: {name.inner_text()!r}")
    for press in (name.click, lambda: (name.focus(), s.page.keyboard.press("Enter"))):
        press()
        check(s.text("#gpusnap-found") == "20 blocks, 800 MiB after event 41", f"and lights its blocks, by the keyboard too: {s.text('#gpusnap-found')!r}")
        name.click()
        check(s.text("#gpusnap-found") == "", f"and no longer when pressed again: {s.text('#gpusnap-found')!r}")
    s.page.get_by_role("button", name="faults.py:15 take ← faults.py:16 weights", exact=True).last.click()
    check(s.text("#gpusnap-found") == "1 block, 200 MiB after event 41", f"a row of the holders lights its blocks alone: {s.text('#gpusnap-found')!r}")
    shares = s.page.evaluate("[...document.querySelectorAll('.device-bar span')].map(e => [e.title, Math.round(e.getBoundingClientRect().width / e.parentElement.clientWidth * 100)])")
    check(shares == [["1000 MiB in use", 98], ["24 MiB free", 2]], f"the device as a bar: {shares}")
    check("--capacity" not in s.text("#gpusnap-verdict"), "no option of the command is proposed")
    s.page.fill("input[aria-label='the capacity of the device']", "2GiB")
    s.page.get_by_role("button", name="judge again").click()
    told = headline(gpusnap("diagnose", fault("leak"), "-q", "--capacity", "2GiB"))
    s.until(f"document.querySelector('#gpusnap-verdict .headline')?.textContent === {json.dumps(told)}", 20)
    check(told != headline(gpusnap("diagnose", fault("leak"), "-q")), "the capacity that is given changes the verdict")
    s.page.fill("input[aria-label='the capacity of the device']", "much")
    s.page.get_by_role("button", name="judge again").click()
    check("no size" in s.text("#gpusnap-verdict form"), "what is no size is told")
    s.end("tells")
    s = Session(browser)
    s.open(fault("stream"))
    unfold(s)
    check("freed, waiting" in s.text("#gpusnap-legend"), f"the legend has what waits for one event only: {s.text('#gpusnap-legend')!r}")
    s.end("a legend")


LOOPS = [os.path.join(ROOT, f"../shared/meaning/{n}-end3-python-26.pickle") for n in ("leak", "hfvit")]
ONE_BLOCK = os.path.join(ROOT, "../shared/faults/limit.pickle")


def told_alike(browser):
    """A tip and the card of its block say the same of its end and its stack; after a click the tip is gone until the pointer moves."""
    if not os.path.exists(LOOPS[0]):
        return print("browser: SKIPPED:", LOOPS[0])
    s = Session(browser, 1400, 900)
    s.open(LOOPS[0])
    x, y = s.at(0.1, 0.1)  # an activation of the first step
    s.page.mouse.move(x, y)
    s.until("document.querySelector('#gpusnap-tip .stack')", 20)
    tip = s.text("#gpusnap-tip")
    first = lambda of: s.page.evaluate(f"(e => [e.start, e.firstChild.textContent])(document.querySelector('{of} .stack'))")
    ends, begins = re.search(r"asked to be freed at event (\d+), gone at event (\d+)", tip), first("#gpusnap-tip")
    s.page.mouse.down()
    s.page.mouse.up()
    s.page.wait_for_selector("#gpusnap-block:not([hidden]) .stack")
    s.page.wait_for_timeout(400)
    check(not s.page.is_visible("#gpusnap-tip"), "the tip goes with a click")
    card = s.text("#gpusnap-block")
    address, birth = s.fragment()["block"].replace("%40", "@").split("@")
    life = json.loads(gpusnap("query", LOOPS[0], f"SELECT idx, action FROM event WHERE address = {int(address, 16)} AND idx > {birth} ORDER BY idx LIMIT 2", "--json", "-q"))["rows"]
    check(ends and [int(ends[1]), int(ends[2])] == [r["idx"] for r in life] and [r["action"] for r in life] == ["free_requested", "free_completed"], f"the tip has both events of its end: {tip!r}, {life}")
    check(f"asked to be freed at event {life[0]['idx']}" in card and f"gone at event {life[1]['idx']}" in card, f"and the card: {card!r}")
    check(first("#gpusnap-block") == begins, f"and where the stack begins: {begins}, {first('#gpusnap-block')}")
    x, y = s.at(0.4, 0.3)  # a parameter, which a module has moved to the device
    s.page.mouse.move(x, y)
    s.until("document.querySelector('#gpusnap-tip .stack')", 20)
    begins = first("#gpusnap-tip")
    s.page.mouse.click(x + 2, y)  # at once behind the movement: a tip that the next frame would bring
    s.page.wait_for_timeout(300)
    check(not s.page.is_visible("#gpusnap-tip"), "and does not come back behind it")
    s.until("document.querySelector('#gpusnap-block details')", 20)
    place = s.page.inner_text("#gpusnap-block .names").split(" ←")[0].split(" ")
    check(first("#gpusnap-block") == begins and begins[1].startswith(place[1]) and place[0] in begins[1] and begins[0] > 1, f"the stack begins with the holder in both: {begins}, {first('#gpusnap-block')}, {place}")
    folded = s.page.locator("#gpusnap-block details summary")
    check(folded.inner_text() == f"{begins[0] - 1} frame{'s' * (begins[0] > 2)} further inside", f"what is inside it is folded: {folded.inner_text()!r}")
    folded.click()
    check(s.page.locator("#gpusnap-block details li").count() == begins[0] - 1, "and unfolds")
    s.page.mouse.move(x + 5, y)
    s.until("!document.querySelector('#gpusnap-tip').hidden", 5)
    heap = s.page.locator("#gpusnap-panel canvas.heap")
    heap.scroll_into_view_if_needed()
    box = heap.bounding_box()
    s.page.mouse.move(box["x"] + 60, box["y"] + 40)
    s.until("!document.querySelector('#gpusnap-tip').hidden", 5)
    s.page.mouse.down()
    s.page.mouse.up()
    s.page.wait_for_timeout(400)
    check(not s.page.is_visible("#gpusnap-tip"), "nor does it stay over the heap")
    s.end("told alike")


def named(browser):
    """What no line is named for has its categories, and leads to them; all places of the verdict light blocks."""
    for file in LOOPS:
        if not os.path.exists(file):
            print("browser: SKIPPED:", file)
            continue
        s = Session(browser, 1400, 900)
        s.open(file)
        entries = [" ".join(t.split()) for t in s.page.evaluate("[...document.querySelectorAll('#gpusnap-legend button')].map(b => b.textContent)")]
        size = lambda t: float(t.split()[0]) * {"KiB": 2**10, "MiB": 2**20}[t.split()[1]]
        nobody = [re.match(r"(other holders|no stack recorded) ([\d.]+ \w+) \((.*)\)$", t) for t in entries if re.match(r"(other|no stack)", t)]
        check(len(nobody) == 2 and all(nobody), f"what nobody is named for has its categories: {entries}")
        for m in filter(None, nobody):
            parts = [size(" ".join(p.split()[-2:])) for p in m[3].split(", ") if p != "…"]
            check(parts == sorted(parts, reverse=True) and 0.9 * size(m[2]) <= sum(parts) <= 1.01 * size(m[2]), f"the largest, by size: {m[0]!r}")
        s.page.get_by_role("button", name="colour by category").click()
        s.until("document.querySelector('#gpusnap-legend').textContent.includes('optimizer state')", 10)
        check(s.page.input_value("select[aria-label='colour by']") == "category" and s.fragment().get("color") == "category", "a link leads to the colours of categories")
        if "vit" in file:
            name = s.page.locator("#gpusnap-verdict .names", has_text="backward pass")
            name.click()
            check(s.text("#gpusnap-found").startswith("1 block,"), f"a holder without a line lights its blocks: {s.text('#gpusnap-found')!r}")
        s.end("named")
    s = Session(browser)
    s.open(fault("shortage"))
    name = s.page.locator("#gpusnap-verdict .names", has_text="faults.py:22 main")
    check(name.count() and name.first.inner_text() == "faults.py:15 take ← faults.py:22 main", "the failed request's place can be pressed")
    name.first.click()
    there = json.loads(gpusnap("query", fault("shortage"), "SELECT count(*) n, sum(bytes) b FROM (SELECT size AS bytes FROM block WHERE state = 'active_allocated')", "--json", "-q"))["rows"][0]
    check(s.text("#gpusnap-found") == f"{there['n']} blocks, {there['b'] >> 20} MiB after event 8", f"and lights the blocks of its line: {s.text('#gpusnap-found')!r}, {there}")
    s.end("the failed request's place")


def in_sight(browser):
    """The marks hide nothing: the spike of the peak, the word reserved, the triangle at the right end; a phase has its name; a block of many rows is one."""
    if not os.path.exists(LOOPS[0]) or not os.path.exists(ONE_BLOCK):
        return print("browser: SKIPPED:", LOOPS[0], ONE_BLOCK)
    s = Session(browser, 1400, 900)
    s.open(LOOPS[0])
    s.until("document.querySelector('#gpusnap-timeline').getAttribute('aria-busy') === 'false'")
    box = s.page.locator("#gpusnap-timeline").bounding_box()
    peak = json.loads(gpusnap("diagnose", LOOPS[0], "--json", "-q"))["peak"]
    events = json.loads(gpusnap("query", LOOPS[0], "SELECT count(*) n FROM event", "--json", "-q"))["rows"][0]["n"]
    x, low = round(76 + (peak["idx"] + 1.5) / (events + 1) * (box["width"] - 86)), round(box["height"] - 44)
    s.page.get_by_role("button", name="end", exact=True).click()
    s.settle()
    column, right = s.page.evaluate(f"(c => {{ const w = c.width, d = c.getContext('2d').getImageData(0, 0, w, c.height).data, cut = (x, y, wide, high) => Array.from({{length: high}}, (_, r) => [...d.slice(4 * ((y + r) * w + x), 4 * ((y + r) * w + x + wide))]).flat(); return [cut({x - 3}, 40, 6, {low - 44}), cut(w - 16, 38, 16, 8)] }})(document.querySelector('#gpusnap-timeline'))")
    # From below: where the last band of any of these columns ends. The spike of the peak is one or two of them.
    grid, rows = [column[i:i + 4] for i in range(0, len(column), 4)], low - 44
    high = next(r for r in range(rows) if any(max(p[:3]) - min(p[:3]) > 24 for p in grid[6 * r + 2:6 * r + 4]))
    check(all(len({tuple(p[:3]) for p in grid[6 * r + 1:6 * r + 5]} - {(255, 255, 255)}) for r in range(high + 4, rows)), "the bands at the peak are not covered by its line")
    tip = [i for i in range(0, len(right), 4) if right[i + 2] > right[i] + 60]
    check(max((i // 4) % 16 for i in tip) - min((i // 4) % 16 for i in tip) >= 10, "the triangle at the right end is whole")
    ticks = json.loads(gpusnap("query", LOOPS[0], "SELECT name, stage, time_us FROM annotation ORDER BY time_us", "--json", "-q"))["rows"]
    first = next(t for t in ticks if t["stage"] == "START")
    at = json.loads(gpusnap("query", LOOPS[0], f"SELECT min(idx) i FROM event WHERE time_us >= {first['time_us']}", "--json", "-q"))["rows"][0]["i"]
    s.page.evaluate("scrollTo(0, 0)")
    box = s.page.locator("#gpusnap-timeline").bounding_box()
    s.page.mouse.move(box["x"] + 76 + (at + 1) / (events + 1) * (box["width"] - 86) + 7, box["y"] + box["height"] - 34)
    s.until("!document.querySelector('#gpusnap-tip').hidden", 5)
    check(first["name"] in s.text("#gpusnap-tip"), f"a phase has its name: {s.text('#gpusnap-tip')!r}, {first}")
    s.end("in sight")
    s = Session(browser)
    s.open(ONE_BLOCK)
    s.until("document.querySelector('#gpusnap-panel canvas.heap')?.getAttribute('aria-description')", 20)
    for _ in range(3):
        s.page.locator("#gpusnap-panel .tools button", has_text="+").click()
    s.page.wait_for_timeout(200)
    # Down through the middle of the block: one colour from its first row to its last.
    column = s.page.evaluate("(c => { const d = c.getContext('2d').getImageData(c.width / 2, 0, 1, c.height).data; return Array.from({length: c.height}, (_, y) => [...d.slice(4 * y, 4 * y + 3)].join()) })(document.querySelector('#gpusnap-panel canvas.heap'))")
    red = [y for y, p in enumerate(column) if p == max(set(column[60:]), key=column.count) and y > 50]
    check(red[-1] - red[0] > 60 and len(red) == red[-1] - red[0] + 1, f"a block that goes over rows has no edges inside: {red[0]} to {red[-1]}, {len(red)}")
    s.page.get_by_role("button", name="fit", exact=True).click()
    s.page.wait_for_timeout(200)
    check(s.page.evaluate("document.querySelector('#gpusnap-panel .heap-space').offsetHeight") <= 90, "and fitted a single one has a single row")
    s.end("one block")
    s = Session(browser, 390, 844)
    s.open(fault("leak"))
    field, advice = s.page.locator("input[aria-label='the capacity of the device']").bounding_box(), s.page.locator("#gpusnap-verdict .tries").bounding_box()
    check(0 <= field["y"] - advice["y"] - advice["height"] < 150, f"on a phone the field stands below the advice that names it: {field}, {advice}")
    s.end("the field on a phone")


def one_file_one_state(browser):
    """A file that is opened is shown, with nothing of the one before; what was looked at comes back with its own file."""
    s = Session(browser)
    s.open(fault("leak"))
    s.page.mouse.click(*s.at(0.93, 0.5))
    s.settle()
    s.page.locator("#gpusnap-legend button").first.click()
    s.page.evaluate("scrollTo(0, 600)")
    leak, lit = s.fragment(), s.text("#gpusnap-found")
    check(leak.get("file") == "leak.pickle" and "block" in leak and lit, f"the address names the file: {leak}, lit: {lit!r}")
    s.page.set_input_files("#gpusnap-input", [fault("pinned")])
    s.until("document.querySelector('#gpusnap-ranks .chosen .rank-name')?.textContent === 'pinned.pickle'", 20)
    s.settle()
    s.until("document.querySelector('#gpusnap-of').textContent === 'pinned.pickle'", 20)
    check(s.text("#gpusnap-verdict .headline") == headline(gpusnap("diagnose", fault("pinned"), "-q")), "the verdict is that of the file opened last")
    check(s.page.evaluate("document.querySelector('#gpusnap-viewer').getBoundingClientRect().top") >= 0, "and it is in sight")
    pinned = s.fragment()
    last = json.loads(gpusnap("query", fault("pinned"), "SELECT max(idx) n FROM event WHERE action = 'oom'", "--json", "-q"))["rows"][0]["n"]
    check("block" not in pinned and "span" not in pinned and pinned.get("moment") == str(last), f"with no block and no moment of another: {pinned}, failed at {last}")
    check(not s.page.is_visible("#gpusnap-block") and s.text("#gpusnap-found") == "", "no card and no light of another file stay")
    s.page.get_by_role("button", name="leak.pickle", exact=True).click()
    s.until("document.querySelector('#gpusnap-of').textContent === 'leak.pickle'", 20)
    s.settle()
    check(s.fragment() == leak and s.text("#gpusnap-found") == lit and s.page.is_visible("#gpusnap-block"), f"with its file comes back what was looked at: {s.fragment()}, {leak}")
    s.end("one file")
    s = Session(browser, fragment="#file=other.pickle&moment=7&color=category&find=take&tab=ask&view=3_9")
    s.open(fault("pinned"))
    got = s.fragment()
    check(got == {"file": "pinned.pickle", "moment": str(last)}, f"an address of one file is not followed in another: {got}")
    with tempfile.TemporaryDirectory() as folder:
        bad = os.path.join(folder, "bad.pickle")
        open(bad, "wb").write(b"\x80\x04" + b"nonsense" * 50)
        s.page.set_input_files("#gpusnap-input", [bad])
        s.page.wait_for_selector("#gpusnap-ranks .failed")
        s.until("document.querySelector('#gpusnap-ranks .chosen .rank-name')?.textContent === 'pinned.pickle' && document.querySelector('#gpusnap-verdict .headline') && !document.querySelector('#gpusnap-pictures').hidden", 20)
        check(True, "where a file cannot be read, the one before stays")
    s.end("an address of another file")


def facts(browser):
    """Every verdict has the same four lines: peak, who holds most, growth, the failed request; of the command's answer alone."""
    texts = sorted(os.path.join(DATA, "texts", n) for n in os.listdir(os.path.join(DATA, "texts")))
    for file in [fault("leak"), fault("graph"), fault("pinned"), texts[0], os.path.join(ROOT, "docs/examples/recorded/train-8.pickle.zst"), os.path.join(ROOT, "../shared/meaning/leak-end3-python-26.pickle")]:
        if not os.path.exists(file):
            print("browser: SKIPPED:", file)
            continue
        s = Session(browser)
        s.open(file)
        s.until("document.querySelector('#gpusnap-verdict .facts') && !document.querySelector('#gpusnap-verdict .facts').textContent.includes('…')", 30)
        told = dict(s.page.evaluate("[...document.querySelectorAll('#gpusnap-verdict .facts dt')].map(e => [e.textContent, e.nextSibling.textContent])"))
        answer, where = json.loads(gpusnap("diagnose", file, "--json", "-q")), os.path.basename(file)
        holds = "holds most at the failure" if answer["verdict"] else "holds most at the end"
        check(list(told) in (["peak", holds, "growth", "failed request"], ["peak", "holds most", "growth", "failed request"]), f"{where}: the four lines: {list(told)}")
        holds = list(told)[1]
        peak, held, growth = answer["peak"], answer["holders"], answer["growth"]
        check(f"at event {peak['idx']}" in told["peak"] if peak else told["peak"] == "not told in this file", f"{where}: the peak: {told['peak']!r}, {peak}")
        check(told[holds].startswith(held[0]["where"]) if held else told[holds].startswith("not told"), f"{where}: who holds most: {told[holds]!r}")
        check(f"in {growth[0]['blocks']} blocks" in told["growth"] if growth else told["growth"].split(":")[0] in ("none seen", "not told"), f"{where}: growth: {told['growth']!r}, {growth}")
        check(f"why: {answer['verdict']}" in told["failed request"] if answer["verdict"] else told["failed request"] == "none: nothing failed", f"{where}: the request: {told['failed request']!r}")
        left = s.page.evaluate("[...document.querySelectorAll('#gpusnap-verdict dl:not(.facts) dt')].map(e => e.textContent)")
        check("no failure" not in s.text("#gpusnap-verdict .headline") or "also" not in left, f"{where}: all holders are in one line: {left}")
        check(s.text("#gpusnap-verdict").count("\npeak\n") <= 1, f"{where}: and none is told twice")
        s.end(where)


def beside(browser):
    """The card of a block is beside the picture, below it on a phone; the legend tells all that is drawn, by size at the moment."""
    for width in (1400, 390):
        s = Session(browser, width, 950)
        s.open(fault("pinned"))
        s.page.mouse.click(*s.at(0.5, 0.1))
        s.page.wait_for_selector("#gpusnap-block:not([hidden]) .stack")
        picture, card, tabs = (s.page.locator(f"#gpusnap-{n}").bounding_box() for n in ("timeline", "block", "tabs"))
        check(card["x"] >= picture["x"] + picture["width"] and card["y"] < picture["y"] + picture["height"] if width > 900 else picture["y"] < card["y"] < tabs["y"], f"{width} wide: the card is beside: {card}, {picture}")
        if width < 900:
            check(0 <= picture["y"] and card["y"] + card["height"] <= 950 and card["y"] > picture["y"] + picture["height"] / 3, f"on a phone the card comes where it is seen, and leaves the picture: {card}, {picture}")
            s.page.locator("#gpusnap-block .close").click()
            check(not s.page.is_visible("#gpusnap-block"), "and can be closed")
            s.page.mouse.click(*s.at(0.5, 0.1))
        s.shot(f"11-card-{width}")
        if width > 900:
            s.page.get_by_role("button", name="end", exact=True).click()
            last = json.loads(gpusnap("query", fault("pinned"), "SELECT max(idx) n FROM event", "--json", "-q"))["rows"][0]["n"]
            s.until(f"document.querySelector('#gpusnap-legend').textContent.includes('after event {last}')", 10)
            s.page.get_by_role("button", name="peak", exact=True).click()
            s.until("!document.querySelector('#gpusnap-legend').textContent.includes('after event %d')" % last, 10)
            unfold(s)
            sizes = [float(b) for b in s.page.evaluate("[...document.querySelectorAll('#gpusnap-legend button b')].map(e => parseFloat(e.textContent))")]
            legend = s.text("#gpusnap-legend")
            check(len(sizes) > 1 and sizes == sorted(sizes, reverse=True), f"the legend is by size: {sizes}")
            check(all(t in legend for t in ("waiting for another stream", "a failed request", "the peak", "the moment", "steps")), f"and whole: {legend!r}")
        s.end(f"beside, {width}")


def first_screen(browser):
    """Without scrolling: the verdict, the four facts, what to try first, the picture of memory over time whole, and the tabs."""
    files = [f for f in (*LOOPS, ONE_BLOCK) if os.path.exists(f)] + [fault("leak"), fault("shortage")] + [os.path.join(DATA, f"diagnose/{n}.pickle.zst") for n in ("two_devices_one_failing", "fragmented_and_leaking", "waits_in_capture")]
    for width, height in ((1400, 900), (1280, 720), (1000, 800)):
        for file in files:
            s = Session(browser, width, height)
            s.open(file)
            where = f"{os.path.basename(file)} at {width} × {height}"
            boxes = {n: s.page.locator(n).first.bounding_box() for n in (".headline", "#gpusnap-timeline", "#gpusnap-verdict .facts", "#gpusnap-verdict .tries li") if s.page.locator(n).count()}
            picture = boxes["#gpusnap-timeline"]
            check(picture["y"] + picture["height"] <= height and picture["height"] >= max(300, 0.55 * height if height >= 900 else 0), f"{where}: the picture: {picture}")
            tabs, lines = s.page.locator("#gpusnap-tabs").bounding_box(), s.page.locator(".headline").bounding_box()["height"] / 26
            check(tabs["y"] + tabs["height"] <= height or width < 1280 or lines > 2.5, f"{where}: the tabs: {tabs}")
            hint = s.page.locator("#gpusnap-timeline-beside .hint").bounding_box()
            check(hint["y"] + hint["height"] <= height or lines > 2.5, f"{where}: the hint is whole: {hint}")
            for name, box in boxes.items():
                check(box["y"] + min(box["height"], 40) <= height, f"{where}: {name} is in sight: {box}")
            check(boxes["#gpusnap-verdict .facts"]["x"] >= picture["x"] + picture["width"], f"{where}: the verdict is beside the picture")
            words = s.page.evaluate("[...document.querySelectorAll('#gpusnap-verdict dt')].map(e => e.textContent)")
            check(not {"next", "and"} & set(words) or "#gpusnap-verdict .tries li" not in boxes, f"{where}: what to try is told once: {words}")
            s.end(where)
    s = Session(browser, 1280, 720)  # without pictures the words have the whole width
    s.open(os.path.join(DATA, "texts/01-free-exceeds-request-others.txt"))
    facts, page = s.page.locator("#gpusnap-verdict .facts").bounding_box(), s.page.locator("#gpusnap-verdict").bounding_box()
    check(facts["x"] < 60 and page["width"] > 1100, f"a text has no picture: {facts}, {page}")
    s.end("a text")


def waits_are_told(browser):
    """What is freed and waits for another stream is told alike in the verdict, its bar, the legend, the strip, the moment and the tip."""
    file = os.path.join(DATA, "diagnose/waits_in_capture.pickle.zst")
    s = Session(browser)
    s.open(file)
    device = next(line for line in re.sub(r"\n {10,}", " ", gpusnap("diagnose", file, "-q")).split("\n") if line.startswith("  device 0"))
    check("600 MiB in use (all waiting to be freed)" in device and "600 MiB in use (all waiting to be freed)" in s.text("#gpusnap-verdict"), f"the command says {device!r}")
    shares = s.page.evaluate("[...document.querySelectorAll('.device-bar span')].map(e => e.title)")
    check(shares == ["600 MiB waiting to be freed", "424 MiB free"], f"the bar: {shares}")
    check("600 MiB in use (all waiting to be freed)" in s.text("#gpusnap-panel"), f"the moment: {s.text('#gpusnap-panel')[:200]!r}")
    check("freed, waiting for another stream 600 MiB" in " ".join(s.text("#gpusnap-legend").split()), "the legend")
    s.page.mouse.move(*s.at(0.9, 0.5))
    s.page.wait_for_selector("#gpusnap-tip:not([hidden])")
    check("600 MiB in use (all waiting to be freed)" in s.text("#gpusnap-tip"), f"the tip: {s.text('#gpusnap-tip')!r}")
    strip = s.page.evaluate("""(() => { const c = document.querySelector('#gpusnap-overview'), g = c.getContext('2d'), row = g.getImageData(0, Math.round(c.height * 0.6), c.width, 1).data, at = x => [...row.slice(4 * Math.round(76 + (c.width - 86) * x)).slice(0, 3)].join(); return [at(0.1), at(0.5), at(0.7), at(0.97)] })()""")
    check(strip[2] == strip[3] and len(set(strip[:3])) == 3, f"the strip has what waits: {strip}")
    s.end("what waits")


def sums_agree(browser):
    """A place that holds two categories: the legend's sum is told in the parts that the verdict and the table of holders have."""
    file = os.path.join(ROOT, "../shared/meaning/hfgpt2-forward1-python-26.pickle")
    if not os.path.exists(file):
        return print("browser: SKIPPED:", file)
    s = Session(browser)
    s.open(file)
    rows = json.loads(gpusnap("query", file, "holders", "--json", "-q"))["rows"]
    several = {}
    for r in rows:
        several.setdefault(r["where"] + (f" ← {r['called_by']}" if r["called_by"] else ""), []).append(r)
    legend = [" ".join(t.split()) for t in s.page.evaluate("[...document.querySelectorAll('#gpusnap-legend button')].map(b => b.textContent)")]
    words = {"parameter": "parameters", "buffer": "buffers", "activation": "activations"}
    size = lambda b: s.page.evaluate("b => b", re.sub(r"\.0+(?= )", "", f"{b / 2**20:.0f} MiB") if b % 2**20 == 0 and b < 10 * 2**20 else f"{b / 2**20:.{2 if b < 9.995 * 2**20 else 1}f} MiB")
    told = 0
    for name, parts in several.items():
        entry = next((t for t in legend if t.startswith(name + " ") or t == name), None)
        if len(parts) == 2 and entry:
            parts.sort(key=lambda r: -r["bytes"])
            told += 1
            wanted = ", ".join(f"{words.get(r['category'], r['category'])} {size(r['bytes'])}" for r in parts)
            check(f"({wanted})" in entry and size(sum(r["bytes"] for r in parts)) in entry, f"{entry!r} tells its parts: {wanted}")
    check(told >= 1, f"some place holds two categories: {legend}")
    s.page.select_option("select[aria-label='colour by']", "category")
    s.until("document.querySelector('#gpusnap-legend').textContent.includes('inputs')", 10)
    legend = [" ".join(t.split()) for t in s.page.evaluate("[...document.querySelectorAll('#gpusnap-legend li:not(.more) button')].map(b => b.textContent)")]
    said = re.search(r"^  in use +(.*(?:\n {10,}.*)*)", gpusnap("diagnose", file, "-q"), re.M).group(1)
    check([t for t in legend if "none at this event" not in t] == re.split(r",\s+", " ".join(said.split())), f"categories have the verdict's words and sums: {legend}, {said!r}")
    s.page.select_option("select[aria-label='colour by']", "holder")
    name = s.page.locator("#gpusnap-verdict .names", has_text="modeling_utils.py:3162")
    name.first.click()
    line = s.page.evaluate("document.querySelector('#gpusnap-verdict .facts').textContent")
    count = re.search(r"modeling_utils\.py:3162 to ← finetune\.py:51 build: \S+ MiB in (\d+) blocks", line).group(1)
    check(s.text("#gpusnap-found").split(",")[0] == f"{count} blocks", f"the verdict's name lights what it counts: {s.text('#gpusnap-found')!r}, {count}")
    s.end("sums")


def agrees(browser):
    """What is in use at a failure is one figure: in the verdict, at the moment that is shown, as the sum of the legend, in the table of the heap."""
    units = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
    size = lambda text: float(text.split()[0]) * units[text.split()[1]]
    files = [os.path.join(DATA, f"diagnose/{n}.pickle.zst") for n in ("waits_in_capture", "two_devices_one_failing", "small_pool", "stranded_by_streams", "expandable_one_hole", "fragmented_and_leaking")]
    for file in files + [os.path.join(ROOT, "docs/examples/recorded/run.gsnap")]:
        s = Session(browser)
        s.open(file)
        where, device = os.path.basename(file), s.page.evaluate("[...document.querySelectorAll('#gpusnap-verdict dt')].find(e => /^device/.test(e.textContent)).nextSibling.textContent")
        told, moment = (re.search(r"([\d.]+ \w+) in use", t).group(1) for t in (device, s.text("#gpusnap-panel")))
        if "no failure" not in s.text("#gpusnap-verdict .headline"):
            check(told == moment, f"{where}: in use at the failure: {told}, {moment}")
        legend = sum(size(t) for t in s.page.evaluate("[...document.querySelectorAll('#gpusnap-legend b')].map(e => e.textContent)"))
        check(abs(legend - size(moment)) <= 0.01 * size(moment) + 2**14, f"{where}: the legend's sum: {legend}, {moment}")
        s.page.click("#gpusnap-panel .beside summary")
        s.until("document.querySelector('#gpusnap-panel .beside td')", 20)
        while s.page.locator("#gpusnap-panel .beside button", has_text=re.compile(r"\d more$")).count():
            s.page.locator("#gpusnap-panel .beside button", has_text=re.compile(r"\d more$")).click()
        blocks = sum(s.page.evaluate("[...document.querySelectorAll('#gpusnap-panel .beside tbody tr')].filter(r => r.cells[2].textContent !== 'free').map(r => Number(r.cells[1].title))"))
        check(abs(blocks - size(moment)) <= 0.005 * size(moment) + 1, f"{where}: the table's blocks: {blocks}, {moment}")
        s.end(where)


def words_are_told(browser):
    """Words that a reader of another tool does not know tell what they mean: to a pointer, when pressed, and in the list under ?, as the command has them."""
    terms = gpusnap("help", "terms")
    meaning = lambda word: " ".join(re.search(rf"^  {re.escape(word)} +(.*(?:\n {{10,}}.*)*)", terms, re.M).group(1).split())
    s = Session(browser)
    s.open(fault("graph"))
    verdict = s.page.locator("#gpusnap-verdict .headline .term")
    told = lambda e: e.get_attribute("aria-description")
    check(verdict.inner_text() == "private_pool" and meaning("private_pool") in told(verdict), f"the verdict: {told(verdict)!r}")
    for label, word in (("holds most at the failure", "holder"), ("growth", "grows"), ("peak", "peak")):
        title = told(s.page.locator("#gpusnap-verdict .term", has_text=label).first)
        check(title.split("; now:")[0] == meaning(word), f"{label}: {title!r}, the command: {meaning(word)!r}")
    s.page.mouse.click(*s.at(0.5, 0.1))
    s.page.wait_for_selector("#gpusnap-block:not([hidden]) .stack")
    for word in ("holder", "category", "born", "pool"):
        title = told(s.page.locator("#gpusnap-block .term", has_text=word).first)
        check(title == meaning(word), f"the card's {word}: {title!r}")
    born = s.page.locator("#gpusnap-block .term", has_text="born")
    for come, go in ((born.hover, lambda: s.page.mouse.move(5, 5)), (lambda: (s.page.locator("#gpusnap-block .close").focus(), [s.page.keyboard.press("Tab") for _ in range(4)]), lambda: s.page.keyboard.press("Tab"))):
        come()
        s.until("!document.querySelector('#gpusnap-tip').hidden", 5)
        tip, word = s.page.locator("#gpusnap-tip").bounding_box(), born.bounding_box()
        check(s.text("#gpusnap-tip") == meaning("born"), f"a word tells what it means, unpressed: {s.text('#gpusnap-tip')!r}")
        check(tip["y"] >= word["y"] + word["height"] or tip["y"] + tip["height"] <= word["y"], f"and stays in sight: {tip}, {word}")
        go()
        s.until("document.querySelector('#gpusnap-tip').hidden", 5)
    born.click()
    check(not s.page.is_visible("#gpusnap-tip"), "its tip goes with the list")
    check(s.page.is_visible("#gpusnap-help") and s.text("#gpusnap-help .told") == "born", "a press opens the list at the word")
    listed = dict(s.page.evaluate("[...document.querySelectorAll('#gpusnap-help dt[id]')].map(e => [e.textContent, e.nextSibling.textContent])"))
    check(all(meaning(w) in listed[w] for w in listed if w not in ("rounding", "outside")) and len(listed) > 25, f"the list is the command's: {listed}")
    s.page.keyboard.press("Escape")
    check(not s.page.is_visible("#gpusnap-help") and "Block of" in s.text("#gpusnap-block"), "Escape closes the list alone")
    s.end("words")


def refits(browser):
    """The heap is fitted again where its room changes, unless its scale was chosen."""
    s = Session(browser)
    s.open(fault("pinned"))
    rows = "(e => Math.round((e.offsetHeight - 70) / 18))(document.querySelector('#gpusnap-panel .heap-space'))"
    scale = "document.querySelector('#gpusnap-panel .tools .remark').textContent"
    wide = s.page.evaluate(scale)
    s.page.set_viewport_size({"width": 480, "height": 900})
    s.until(f"{scale} !== {json.dumps(wide)}", 10)
    check(s.page.evaluate(rows) <= 22, f"a narrower room has its own scale: {s.page.evaluate(scale)}, {s.page.evaluate(rows)} rows")
    s.page.set_viewport_size({"width": 1400, "height": 950})
    s.until(f"{scale} === {json.dumps(wide)}", 10)
    s.page.locator("#gpusnap-panel .tools button", has_text="+").click()
    chosen = s.page.evaluate(scale).split(",")[0]
    s.page.set_viewport_size({"width": 700, "height": 900})
    s.page.wait_for_timeout(300)
    check(chosen != wide.split(",")[0] and s.page.evaluate(scale).split(",")[0] == chosen, f"a scale that was chosen stays: {chosen}, {s.page.evaluate(scale)}")
    s.end("refit")


def lists_events(browser):
    """The events as they were recorded, around the moment; what is lit is left by a button too."""
    s = Session(browser)
    s.open(fault("leak"))
    s.page.locator("#gpusnap-timeline-beside summary", has_text="Events as a list").click()
    rows = "[...document.querySelectorAll('#gpusnap-timeline-beside tbody tr')].map(r => [r.cells[0].textContent, r.cells[1].textContent, r.className])"
    s.until(f"{rows}.length", 20)
    told = json.loads(gpusnap("query", fault("leak"), "SELECT idx, action FROM event WHERE idx >= 22", "--json", "-q"))["rows"]
    wanted = [[str(r["idx"]), r["action"].replace("_", " "), "marked" if r["action"] == "oom" else ""] for r in told]
    check(s.page.evaluate(rows) == wanted, f"the events up to the failure: {s.page.evaluate(rows)}, {wanted}")
    s.page.locator("#gpusnap-timeline-beside").get_by_role("button", name="earlier").click()
    s.until(f"({rows})[0]?.[0] === '2'", 20)
    s.until("document.querySelector('#gpusnap-panel h2')?.textContent.includes('After event 22')", 20)
    check(s.fragment()["moment"] == "22", "earlier ones come with their moment")
    check(not s.page.is_visible("#gpusnap-unlight"), "nothing is lit")
    s.page.locator("#gpusnap-legend button").first.click()
    check(s.text("#gpusnap-found") == "20 blocks, 10 of them (400 MiB) after event 22" and s.page.is_visible("#gpusnap-unlight"), "what is lit can be left by a button")
    s.page.click("#gpusnap-unlight")
    check(s.text("#gpusnap-found") == "" and not s.page.is_visible("#gpusnap-unlight"), "and is")
    check("computed: figures of the file prove it" in s.text("#gpusnap-verdict .tries"), "how an advice is known is explained")
    s.end("events")


def stays(browser):
    """Nothing moves the reader unasked: the wheel scrolls past the picture, tabs stay where they are, keys show what they turn, there is no event -1."""
    s = Session(browser, 1400, 700)
    s.open(fault("pinned"))
    x, y = s.at(0.5, 0.5)
    s.page.mouse.click(x, y)
    s.settle()
    x, y = s.at(0.5, 0.5)
    s.page.mouse.move(x, y)
    before = s.page.evaluate("scrollY")
    s.page.mouse.wheel(0, 200)
    s.until(f"scrollY > {before + 50}", 5)
    check("view" not in s.fragment(), "the wheel over the picture scrolls the page, also after a click on it")
    s.page.locator("#gpusnap-tabs").evaluate("e => scrollTo(0, e.getBoundingClientRect().top + scrollY - 100)")
    s.page.wait_for_timeout(200)
    top = lambda: round(s.page.evaluate("document.querySelector('#gpusnap-tabs').getBoundingClientRect().top"))
    was = top()
    for tab in ("whatif", "ask", "save", "span", "moment", "whatif"):
        s.page.click(f"#gpusnap-tab-{tab}")
        s.settle()
        check(abs(top() - was) <= 1, f"the tabs stay where they are: {tab}: {top()}, {was}")
    s.page.evaluate("scrollTo(0, 0)")
    s.page.keyboard.press("5")
    s.settle()
    check(0 <= top() < 420 and s.page.is_visible("#gpusnap-sql"), f"a key shows the tab that it turns: {top()}")
    s.page.keyboard.press("1")
    s.page.evaluate("scrollTo(0, 0)")
    tops = []
    for event in (60, 30, 2, 45):
        s.page.evaluate(f"location.hash = '#moment={event}'")
        s.until(f"document.querySelector('#gpusnap-legend').textContent.includes('after event {event}:')", 10)
        s.settle()
        tops.append(top())
    check(len(set(tops)) == 1, f"with each moment the legend changes, and what stands below it stays: {tops}")
    s.page.evaluate("location.hash = '#moment=1'")
    s.settle()
    s.page.evaluate("document.activeElement.blur()")
    for _ in range(4):
        s.page.keyboard.press("ArrowLeft")
    s.settle()
    check(s.fragment()["moment"] == "0" and "After event 0" in s.text("#gpusnap-panel h2"), f"the first moment is that after event 0: {s.fragment()}")
    s.page.mouse.click(*s.at(0.0005, 0.5))
    s.settle()
    check(s.fragment()["moment"] == "0", f"and at the left edge too: {s.fragment()}")
    s.end("stays")


def holes(browser):
    """Free memory: the request and the holes to one scale, each free block with its stream and pool, and why the request may not use it."""
    s = Session(browser)
    s.open(fault("graph"))
    s.until("document.querySelector('#gpusnap-panel canvas.heap')?.getAttribute('aria-description')", 20)
    ruler = s.page.get_attribute("#gpusnap-panel canvas.heap", "aria-description")
    check(ruler == "request: 400 MiB; there is no hole that it may use; larger, but not for it: 700 MiB, of pool 1,0, the request is of the default pool (0,0)", f"the ruler: {ruler!r}")
    s.page.locator("#gpusnap-panel canvas.heap").focus()
    for wanted in ("1 KiB", "Free block of 2", "Free block of 700 MiB"):
        for _ in range(5):
            if wanted in s.text("#gpusnap-block") if s.page.is_visible("#gpusnap-block") else False:
                break
            s.page.keyboard.press("ArrowRight")
            s.page.wait_for_timeout(100)
        if "Free" in wanted:
            check(wanted in s.text("#gpusnap-block"), f"arrow keys reach what is free: {wanted}")
    card = s.text("#gpusnap-block")
    check(all(t in card for t in ("of pool 1,0, the request is of the default pool (0,0)", "65536", "large pool, pool 1,0", "nothing: the segment ends here")), f"a free block is told: {card!r}")
    check("of a free one why the request may not use it" in s.text("#gpusnap-panel"), "and that it will be")
    s.page.keyboard.press("p")
    s.settle()
    check(not s.page.is_visible("#gpusnap-block"), "its card goes with its moment")
    check("of a free one what lies beside it" in s.text("#gpusnap-panel"), "where nothing is asked for no request is spoken of")
    s.page.select_option("#gpusnap-tools select >> nth=0", "pool")
    s.page.wait_for_timeout(300)
    legend = s.text("#gpusnap-legend")
    check("pool 1,0 720 MiB" in " ".join(legend.split()) and "not told" not in legend, f"a block is of its segment's pool: {legend!r}")
    s.end("holes of another pool")
    s = Session(browser)
    s.open(fault("pinned"))
    s.until("document.querySelector('#gpusnap-panel canvas.heap')?.getAttribute('aria-description')", 20)
    ruler = s.page.get_attribute("#gpusnap-panel canvas.heap", "aria-description")
    check(ruler == "request: 200 MiB; largest hole that it may use: 88 MiB, too small by 112 MiB", f"the ruler: {ruler!r}")
    s.page.click("#gpusnap-panel .beside summary")
    s.page.locator("#gpusnap-panel .beside tr", has_text="free").first.locator("button, [role=button]").first.click()
    check("too small by" in s.text("#gpusnap-block"), f"a row of the table chooses a free block: {s.text('#gpusnap-block')[:80]!r}")
    s.end("holes that are too small")


def drops(browser):
    s = Session(browser)
    check(s.page.is_visible("#gpusnap-welcome"), "the empty page says what to do")
    s.shot("01-empty")
    data = list(open(fault("pinned"), "rb").read())
    s.page.evaluate("""data => {
        const t = new DataTransfer()
        t.items.add(new File([new Uint8Array(data)], 'dropped.pickle'))
        for (const name of ['dragenter', 'dragover', 'drop']) document.dispatchEvent(new DragEvent(name, {dataTransfer: t, bubbles: true, cancelable: true}))
    }""", data)
    s.settle()
    check(s.text("#gpusnap-verdict .headline").startswith("fragmented"), "a dropped file is judged")
    check("dropped.pickle" in s.text("#gpusnap-ranks"), "and named")
    s.end("drop")


def searches(browser):
    s = Session(browser)
    s.open(fault("leak"))
    before = picture(s)
    s.page.keyboard.press("/")
    s.page.keyboard.type("keep_metrics")
    s.until("/blocks/.test(document.querySelector('#gpusnap-found').textContent)")
    check(s.text("#gpusnap-found") == "20 blocks, 800 MiB after event 42", f"a search counts, and sums at the moment: {s.text('#gpusnap-found')}")
    s.page.wait_for_timeout(300)
    check(picture(s) != before, "and lights them")
    s.page.keyboard.press("Enter")
    check("block" in s.fragment(), "Enter goes to a match")
    first = int(s.fragment()["moment"])
    check(s.text("#gpusnap-found") == f"20 blocks, 1 of them (40 MiB) after event {first}", f"the sum follows the moment: {s.text('#gpusnap-found')!r}")
    lit = lambda: (s.page.input_value("#gpusnap-search"), s.text("#gpusnap-found"), s.page.is_visible("#gpusnap-unlight"))
    s.page.keyboard.press("Escape")
    check(lit() == ("", "", False) and s.page.is_visible("#gpusnap-block"), f"Escape ends it: {lit()}")
    check("Esc again chooses nothing" in s.text("#gpusnap-status"), f"and says what the next one does: {s.text('#gpusnap-status')!r}")
    s.page.keyboard.press("Escape")
    check(not s.page.is_visible("#gpusnap-block"), "which it does")
    s.page.keyboard.press("o")
    s.settle()
    before = picture(s)
    s.page.keyboard.press("/")
    s.page.keyboard.type("nosuchname")
    s.until("document.querySelector('#gpusnap-found').textContent === '0 blocks'")
    s.page.keyboard.press("Escape")
    s.page.wait_for_timeout(400)
    s.page.evaluate("document.activeElement.blur()")
    check(lit() == ("", "", False) and picture(s) == before, f"what finds nothing ends with it too: {lit()}")
    check("again" not in s.text("#gpusnap-status"), f"and no next one is spoken of: {s.text('#gpusnap-status')!r}")
    for search, found in (("size>100MiB", "1 block, 200 MiB after event 42"), ("take size<100MiB", "20 blocks, 800 MiB after event 42"), ("stream:0", "21 blocks, 1000 MiB after event 42"), ("stream:7", "there is no stream 7")):
        s.page.fill("#gpusnap-search", search)
        s.until(f"document.querySelector('#gpusnap-found').textContent === '{found}'", 20)
    s.page.fill("#gpusnap-search", "")
    for by in ("category", "step", "age", "stream", "pool", "tag", "size", "holder"):
        s.page.select_option("#gpusnap-tools select >> nth=0", by)
        s.page.wait_for_timeout(200)
        check(s.page.locator("#gpusnap-legend li").count() > 0, f"colours by {by} have a legend")
    s.page.select_option("#gpusnap-tools select >> nth=1", "birth")
    check(s.fragment().get("order") == "birth", "blocks pile by birth")
    s.end("search")


def picture(s):
    return s.page.evaluate("document.querySelector('#gpusnap-timeline').toDataURL()")


def paints_to_the_end(browser):
    """The very first picture is coarse at first; none is in the end, whatever is drawn anew."""
    s = Session(browser)
    s.open(fault("leak"))

    def painted(after):
        s.page.wait_for_timeout(300)
        try:
            s.until("document.querySelector('#gpusnap-timeline').getAttribute('aria-busy') === 'false'", 10)
        except TimeoutError:
            check(False, f"painted to the end after {after}")
    painted("a file was opened")
    s.page.fill("#gpusnap-search", "faults.py")
    s.until("/block/.test(document.querySelector('#gpusnap-found').textContent)")
    painted("a search")
    s.page.fill("#gpusnap-search", "")
    s.until("document.querySelector('#gpusnap-unlight').hidden")
    painted("the search was ended")
    s.page.locator("#gpusnap-legend li button").first.click()
    painted("a colour was lit")
    s.page.keyboard.press("Escape")
    painted("all alike")
    s.page.select_option("#gpusnap-tools select >> nth=0", "category")
    painted("other colours")
    s.page.click("#gpusnap-tab-save")
    s.settle()
    for kind in ("SVG", "PNG"):
        with s.page.expect_download(timeout=30000):
            s.page.get_by_role("button", name=kind, exact=True).click()
        painted(f"{kind} was saved")
    s.page.emulate_media(media="print")
    painted("it was printed")
    s.page.emulate_media(media="screen")
    painted("and shown again")
    s.end("painted to the end")


def spans(browser):
    s = Session(browser)
    s.open(fault("leak"))
    s.page.click("#gpusnap-tab-span")
    s.page.get_by_role("button", name="the last third").click()
    s.until("/From event 28 to 42/.test(document.querySelector('#gpusnap-panel').textContent)", 20)
    s.page.get_by_role("button", name="forget it").click()
    s.page.keyboard.down("Shift")
    s.page.mouse.move(*s.at(0.2, 0.5))
    s.page.mouse.down()
    s.page.mouse.move(*s.at(0.8, 0.5), steps=5)
    s.page.mouse.up()
    s.page.keyboard.up("Shift")
    s.settle()
    text = s.text("#gpusnap-panel")
    check(re.search(r"From event \d+ to \d+", text) and "Born and still there" in text and "keep_metrics" in text, f"a span is told by holder: {text[:200]!r}")
    a, b = (int(v) for v in re.search(r"From event (\d+) to (\d+)", text).groups())
    born = int(re.search(r"still there: (\d+) block", text).group(1))
    events = pickle.load(open(fault("leak"), "rb"))["device_traces"][0]
    check(born == sum(e["action"] == "alloc" for e in events[a + 1:b + 1]), f"what was born in it: {born}")
    s.shot("06-span")
    s.page.click("#gpusnap-tab-compare")
    s.settle()
    text, told = s.text("#gpusnap-panel"), json.loads(gpusnap("diff", fault("leak"), "--from", str(a), "--to", str(b), "--json", "-q"))
    check(told["summary"].split("\n")[0] in text, f"two moments are compared: {text[:300]!r}, the command: {told['summary']!r}")
    s.end("span")


def compares(browser):
    s = Session(browser)
    s.open(fault("leak"), fault("pinned"))
    s.page.get_by_role("button", name="compare two recordings").click()
    s.settle()
    s.until("document.querySelectorAll('#gpusnap-panel .both canvas.heap').length === 2", 20)
    check(s.page.evaluate("[...document.querySelectorAll('#gpusnap-panel .both h3')].map(h => h.textContent).sort().join()") == ",".join(sorted((f"after: {'pinned' if 'leak' in s.text('#gpusnap-ranks .chosen') else 'leak'}.pickle", f"before: {'leak' if 'leak' in s.text('#gpusnap-ranks .chosen') else 'pinned'}.pickle"))), "two files that are open are compared without being chosen")
    check(s.page.locator("#gpusnap-panel .both .beside").count() == 2, "a table stands beside each of the two heaps")
    s.page.select_option("select[aria-label='the second recording']", label="pinned.pickle" if "leak" in s.text("#gpusnap-ranks .chosen") else "leak.pickle")
    s.settle()
    chosen = "leak" if "leak" in s.text("#gpusnap-ranks .chosen") else "pinned"
    s.page.select_option("select[aria-label='the first moment']", "")
    s.settle()
    s.page.select_option("select[aria-label='the second moment']", "")
    s.settle()
    told = json.loads(gpusnap("diff", fault(chosen), fault("pinned" if chosen == "leak" else "leak"), "--json", "-q"))
    s.until("document.querySelectorAll('#gpusnap-panel .both canvas.heap').length === 2", 20)
    check(told["summary"].split("\n")[0] in s.text("#gpusnap-panel"), f"two files are compared: {s.text('#gpusnap-panel')[:300]!r}; {told['summary']!r}")
    s.shot("07-compare-files")
    s.end("compare")


def asks(browser):
    s = Session(browser)
    s.open(fault("pinned"))
    s.page.click("#gpusnap-tab-ask")
    s.settle()
    box = s.page.locator("#gpusnap-sql")
    box.click()
    s.page.keyboard.type("SELECT count(*) AS n FROM blo")
    check("block" in s.text("#gpusnap-words"), "tables are completed")
    s.page.keyboard.press("Tab")
    check(box.input_value().endswith("FROM block"), f"Tab takes a word: {box.input_value()}")
    s.page.keyboard.press("Control+Enter")
    s.page.wait_for_selector("#gpusnap-panel td")
    told = json.loads(gpusnap("query", fault("pinned"), "SELECT count(*) AS n FROM block", "--json", "-q"))["rows"][0]["n"]
    check(s.text("#gpusnap-panel td") == str(told), f"SQL is answered: {s.text('#gpusnap-panel td')}")
    box.fill("SELECT a FROM nowhere")
    s.page.keyboard.press("Control+Enter")
    s.page.wait_for_selector("#gpusnap-panel .error")
    check("nowhere" in s.text("#gpusnap-panel .error"), f"a wrong one is told: {s.text('#gpusnap-panel .error')!r}")
    s.page.select_option("select[aria-label='named queries']", "segments")
    s.settle()
    rows = json.loads(gpusnap("query", fault("pinned"), "segments", "--json", "-q"))["rows"]
    s.until(f"document.querySelectorAll('#gpusnap-panel tbody tr').length === {len(rows)}")
    check(True, "a named query has the command's rows")
    s.shot("08-ask")
    s.end("ask")


def tries(browser):
    s = Session(browser)
    s.open(fault("pinned"))
    s.page.click("#gpusnap-tab-whatif")
    s.settle()
    s.page.select_option("select[aria-label='expandable_segments']", "True")
    s.page.fill("input[aria-label='capacity']", "1GiB")
    s.page.click("#gpusnap-replay")
    s.page.wait_for_selector("#gpusnap-panel td", timeout=30000)
    text = s.text("#gpusnap-panel")
    row = json.loads(gpusnap("whatif", fault("pinned"), "--conf", "expandable_segments:True", "--capacity", "1GiB", "--json", "-q"))["rows"][0]
    cells = s.page.evaluate("[...document.querySelectorAll('#gpusnap-panel tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
    mine = [c for c in cells if c[0] == "expandable_segments:True"]
    check(mine and ("yes" if row["fits"] else "no") in mine[0], f"a what-if is replayed: {text[:300]!r}, the command: {row}")
    heads = s.page.evaluate("[...document.querySelectorAll('#gpusnap-panel th')].map(h => [h.textContent, h.firstChild.getAttribute('aria-description')])")
    check(all(about or name == "settings" for name, about in heads) and not any("idx" in name for name, _ in heads), f"the columns are words, and explained: {heads}")
    s.shot("09-what-if")
    s.end("what-if")
    run = os.path.join(ROOT, "docs/examples/recorded/run.gsnap")
    s = Session(browser)
    s.open(run)
    s.page.click("#gpusnap-tab-whatif")
    s.settle()
    s.page.click("#gpusnap-replay")
    check("Nothing is asked yet: choose a setting" in s.text("#gpusnap-panel") and not s.page.locator("#gpusnap-panel td").count(), "where nothing is asked nothing is replayed, and what to fill in is said")
    check(all(t in s.text("#gpusnap-panel") for t in ("your settings, beside the recorded ones", "each tried for you")), "each button says what it does")
    rows = json.loads(gpusnap("whatif", run, "--conf", "", "--conf", "expandable_segments:True", "--json", "-q"))["rows"]
    check(s.page.input_value("input[aria-label='capacity']") == "3GiB" and rows[0]["capacity"] == 3 << 30 and "recorded: 3.00 GiB" in s.text("#gpusnap-panel"), "the capacity that is recorded stands in its field")

    def replayed():
        s.page.click("#gpusnap-replay")
        s.until("document.querySelector('#gpusnap-panel td, #gpusnap-panel .fields .error:not(:empty)')", 60)
        return s.page.evaluate("[...document.querySelectorAll('#gpusnap-panel tbody tr')].map(r => [...r.cells].slice(0, 2).map(c => c.textContent))")

    s.page.select_option("select[aria-label='expandable_segments']", "True")
    wanted = [[r["conf"] or "no settings", "yes" if r["fits"] else "no"] for r in rows]
    check(replayed() == wanted, f"and asks what the command asks without one: {wanted}")
    check("replayed on 3.00 GiB" in s.text("#gpusnap-panel caption"), "the table says on what it was replayed")
    cards = dict(s.page.evaluate("[...document.querySelectorAll('#gpusnap-cards option')].map(o => [o.value, o.textContent])"))
    check(cards.get("t4") == "14.6 GiB" and len(cards) > 20, f"cards are offered: {cards}")
    s.page.fill("input[aria-label='capacity']", "t4")
    s.page.click("#gpusnap-replay")
    s.until("document.querySelector('#gpusnap-panel caption')?.textContent.includes('14.6 GiB')", 60)
    check(all(r[1] == "yes" for r in replayed()), "and replayed on by name")
    s.page.fill("input[aria-label='capacity']", "constructor")
    replayed()
    check("no size" in s.text("#gpusnap-panel .fields .error"), "what is neither is told")
    s.end("what-if on cards")


def saves(browser):
    s = Session(browser)
    s.open(fault("pinned"))
    s.page.click("#gpusnap-tab-save")
    s.settle()
    wanted = {"PNG": lambda b: b.startswith(b"\x89PNG"), "PNG of the heap": lambda b: b.startswith(b"\x89PNG") and len(b) > 2000, "SVG": lambda b: b.startswith(b"<svg") and b.rstrip().endswith(b"</svg>"), "CSV of blocks": lambda b: b.count(b"\n") > 10 and b"address" in b.split(b"\n")[0],
              "CSV of holders": lambda b: b"where" in b.split(b"\n")[0], "Markdown": lambda b: b.decode() == gpusnap("diagnose", fault("pinned"), "-q", "--format", "markdown"), "redacted copy": None, ".gsnap": None}
    with tempfile.TemporaryDirectory() as folder:
        for name, right in wanted.items():
            with s.page.expect_download(timeout=30000) as download:
                s.page.get_by_role("button", name=name, exact=True).click()
            path = os.path.join(folder, download.value.suggested_filename)
            download.value.save_as(path)
            data = open(path, "rb").read()
            if right:
                check(right(data), f"{name} is saved: {data[:120]}")
            else:
                check(headline(gpusnap("diagnose", path, "-q")).split(":")[0] == "fragmented", f"{name} reads as the file did")
                check(name != "redacted copy" or (b"faults.py" not in subprocess.run(["zstd", "-dc", path], capture_output=True).stdout), "no name is left in the redacted copy")
            if name == "SVG":
                import xml.dom.minidom
                xml.dom.minidom.parseString(data)
    s.end("save")


def looks(browser):
    for width, height in ((1400, 950), (800, 1000), (390, 844)):
        for scheme in ("light", "dark"):
            where = f"{width} wide, {scheme}"
            s = Session(browser, width, height, scheme)
            s.open(fault("pinned"))
            for tab in ("moment", "span", "compare", "flame", "ask", "whatif", "save"):
                s.page.click(f"#gpusnap-tab-{tab}")
                s.settle()
                if tab == "span":
                    s.page.get_by_role("button", name="the whole recording", exact=True).click()
                    s.until("document.querySelector('#gpusnap-panel td')", 20)
                if tab == "whatif":
                    s.page.click("#gpusnap-search-settings")
                    s.until("document.querySelector('#gpusnap-panel td')", 30)
                wide = s.page.evaluate("document.documentElement.scrollWidth")
                check(wide <= width, f"{where}, {tab}: {wide} pixels wide")
                cut = s.page.evaluate("[...document.querySelectorAll('#gpusnap-viewer .table')].filter(t => t.offsetParent && t.scrollWidth > t.clientWidth + 1).map(t => t.textContent.slice(0, 40))")
                check(not cut, f"{where}, {tab}: tables are cut at the right: {cut}")
            red, green, blue = map(int, re.findall(r"\d+", s.page.evaluate("getComputedStyle(document.querySelector('#gpusnap-viewer')).backgroundColor"))[:3])
            check((red + green + blue < 200) == (scheme == "dark"), f"{where}: background {red} {green} {blue}")
            s.page.click("#gpusnap-tab-moment")
            s.settle()
            s.shot(f"{'02' if width > 500 else '03'}-pinned-{width}-{scheme}")
            if scheme == "light" and width == 1400:
                pdf = s.page.pdf()
                check(pdf.startswith(b"%PDF"), "it prints")
            s.end(where)


def touches(browser):
    s = Session(browser, 390, 844, has_touch=True, is_mobile=True, device_scale_factor=2)
    s.open(fault("leak"))
    x, y = s.at(0.9, 0.3)
    s.page.touchscreen.tap(x, y)
    s.settle()
    check("block" in s.fragment(), f"a tap chooses a block: {s.fragment()}")
    x, y = s.at(0.9, 0.3)
    client = s.context.new_cdp_session(s.page)
    point = lambda a, b: [{"x": a, "y": y, "id": 0}, {"x": b, "y": y, "id": 1}]
    client.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": point(150, 250)})
    s.page.wait_for_timeout(50)
    for k in range(1, 6):
        client.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": point(150 - 12 * k, 250 + 12 * k)})
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    check("view" in s.fragment(), "two fingers zoom")
    zoomed = s.fragment()["view"]
    x, y = s.at(0.5, 0.3)
    one = lambda a: [{"x": a, "y": y, "id": 0}]
    client.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": one(220)})
    for k in range(1, 6):
        client.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": one(220 + 12 * k)})
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    panned = s.fragment()["view"]
    check(panned != zoomed and int(panned.split("_")[0]) < int(zoomed.split("_")[0]), f"one finger moves: {zoomed} {panned}")
    s.shot("04-phone-touch")
    s.end("touch")


def keys_alone(browser):
    s = Session(browser)
    s.open(fault("leak"))
    s.page.keyboard.press("p")
    s.settle()
    check("the peak" in s.text("#gpusnap-panel h2"), f"p shows the peak: {s.text('#gpusnap-panel h2')}")
    s.page.keyboard.press("o")
    s.settle()
    check("the failure" in s.text("#gpusnap-panel h2"), "o shows the failure")
    s.page.keyboard.press("ArrowUp")
    s.page.keyboard.press("ArrowUp")
    check("MiB" in s.text("#gpusnap-status"), f"the block is announced: {s.text('#gpusnap-status')}")
    s.page.keyboard.press("m")
    for _ in range(6):
        s.page.keyboard.press("ArrowLeft")
    s.page.keyboard.press("m")
    s.settle()
    check("From event 36 to 42" in s.text("#gpusnap-panel"), f"m marks a span: {s.text('#gpusnap-panel')[:60]!r}")
    s.page.keyboard.press("?")
    check(s.page.is_visible("#gpusnap-help"), "? tells the keys")
    s.page.keyboard.press("Escape")
    check(not s.page.is_visible("#gpusnap-help"), "Escape closes it")
    for _ in range(60):
        s.page.keyboard.press("Tab")
        if s.page.evaluate("document.activeElement?.id") == "gpusnap-timeline":
            break
    check(s.page.evaluate("document.activeElement?.id") == "gpusnap-timeline", "Tab reaches the picture")
    unnamed = s.page.evaluate("""[...document.querySelectorAll('#gpusnap-viewer :is(button, input, select, textarea, canvas[role])')].filter(e => e.offsetParent && !(e.getAttribute('aria-label') || e.textContent.trim() || e.title || e.closest('label'))).map(e => e.outerHTML.slice(0, 90))""")
    check(not unnamed, f"all that can be reached has a name: {unnamed}")
    s.page.click("#gpusnap-timeline-beside summary")
    s.page.wait_for_selector("#gpusnap-timeline-beside td")
    check("1000 MiB" in s.text("#gpusnap-timeline-beside"), "a table stands beside the picture")
    s.end("keys")


def keeps_focus(browser):
    """By keyboard nobody is thrown back to the top: what is pressed keeps the focus though it is drawn anew, and the order of the focus is that of the page."""
    s = Session(browser)
    s.open(fault("leak"))
    focused = lambda: s.page.evaluate("(e => e.id || e.title || e.textContent)(document.activeElement)")
    for selector in ("#gpusnap-legend button >> nth=1", "#gpusnap-tab-flame", "#gpusnap-tab-moment", "#gpusnap-panel th button >> nth=2"):
        s.page.locator(selector).focus()
        before = focused()
        s.page.keyboard.press("Enter")
        s.settle(headline=False)
        check(before and focused().split(" ▾")[0] == before, f"{selector} keeps the focus: {before!r}, {focused()!r}")
    s.page.locator("#gpusnap-timeline").focus()
    s.page.keyboard.press("ArrowUp")
    s.page.wait_for_selector("#gpusnap-block:not([hidden]) .stack")
    s.page.locator("#gpusnap-block .close").focus()
    s.page.keyboard.press("Enter")
    check(focused() == "gpusnap-timeline", f"a card that is closed gives the focus back to the picture: {focused()!r}")
    s.page.evaluate("document.querySelector('#gpusnap-open').focus()")
    order = []
    for _ in range(60):
        s.page.keyboard.press("Tab")
        order.append(s.page.evaluate("(e => e.closest('#gpusnap-block, #gpusnap-verdict, #gpusnap-pictures, #gpusnap-figures, #gpusnap-tabs, #gpusnap-panel, .bar')?.id || e.className || e.tagName)(document.activeElement)"))
        if order[-1] == "gpusnap-panel":
            break
    places = [p for i, p in enumerate(order) if not i or order[i - 1] != p]
    check(places[-5:] == ["gpusnap-verdict", "gpusnap-pictures", "gpusnap-figures", "gpusnap-tabs", "gpusnap-panel"], f"the order of the focus: {places}")
    regions = s.page.evaluate("[...document.querySelectorAll('#gpusnap-viewer [role=region]')].map(e => e.getAttribute('aria-label'))")
    check(len(set(regions)) == len(regions) and "table" not in regions, f"each table has a name of its own: {regions}")
    s.end("focus")


def same_heap(browser):
    """The heap at random events: the table beside the picture has the blocks that the command's query has."""
    turn = random.Random(18)
    for name in ("leak", "pinned", "graph"):
        s = Session(browser)
        s.open(fault(name))
        n = json.loads(gpusnap("query", fault(name), "SELECT count(*) n FROM event", "--json", "-q"))["rows"][0]["n"]
        for event in sorted(turn.sample(range(n), min(20, n))):
            s.page.evaluate("e => { location.hash = '#moment=' + e }", event)
            s.until(f"document.querySelector('#gpusnap-panel h2').textContent.startsWith('After event {event}') && document.querySelector('#gpusnap-panel .beside')", 20)
            s.page.click("#gpusnap-panel .beside summary")
            s.until("document.querySelector('#gpusnap-panel .beside td, #gpusnap-panel .beside .table p')", 20)
            told = json.loads(gpusnap("query", fault(name), "SELECT address, size, state FROM block ORDER BY address", "--state", str(event), "--json", "-q"))["rows"]
            got = s.page.evaluate("[...document.querySelectorAll('#gpusnap-panel .beside tbody tr')].map(r => [r.cells[0].textContent, r.cells[1].title, r.cells[2].textContent])")
            words = {"active_allocated": "allocated", "active_pending_free": "waiting for a stream"}
            check(got == [[hex(r["address"]), str(r["size"]), words.get(r["state"], "free")] for r in told], f"{name}: the heap after event {event}: {got[:2]}, {told[:2]}")
        s.end(name)


def hostile(browser):
    names = ['</script><script>window.pwned=1</script>', '"><img src=x onerror="window.pwned=1">', "</style><style>*{display:none}", "<!--", "]]>", "javascript:window.pwned=1", "\x1b[31m\x07\u202eevil", "__proto__", "constructor"]
    snapshot, seen, turn = pickle.load(open(fault("leak"), "rb")), set(), 0
    for trace in snapshot["device_traces"]:
        for e in trace:
            for f in e.get("frames", []):
                if id(f) not in seen:
                    seen.add(id(f))
                    f["name"], f["filename"] = names[turn % len(names)], f"/a/{names[(turn + 1) % len(names)]}.py"
                    turn += 1
    snapshot["allocator_settings"] = {h: h for h in names}
    snapshot["external_annotations"] = [{"name": n, "stage": "START", "device": 0, "time_us": snapshot["device_traces"][0][k]["time_us"]} for k, n in enumerate(names)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "<img src=x onerror=window.pwned=1>.pickle")
        pickle.dump(snapshot, open(path, "wb"), protocol=4)
        s = Session(browser)
        s.open(path)
        for tab in ("moment", "compare", "flame", "ask", "whatif", "save", "moment"):
            s.page.click(f"#gpusnap-tab-{tab}")
            s.settle()
            closed = s.page.locator("#gpusnap-panel details:not([open]) summary")
            while closed.count():
                closed.first.click()
            s.page.wait_for_timeout(150)
        s.page.mouse.click(*s.at(0.9, 0.3))
        s.settle()
        check(s.page.evaluate("document.querySelectorAll('#gpusnap-viewer img, #gpusnap-viewer script').length") == 0, "no element comes of a name")
        check("<img" in s.text("#gpusnap-ranks"), "a name is shown as it is")
        s.shot("10-hostile")
        s.end("hostile")


def survives(browser):
    with tempfile.TemporaryDirectory() as folder:
        bad = os.path.join(folder, "bad.pickle")
        open(bad, "wb").write(b"\x80\x04" + b"nonsense" * 50)
        s = Session(browser)
        s.open(bad)
        check(s.page.locator("#gpusnap-ranks .failed").count() == 1, "a bad file is told")
        s.open(fault("leak"))
        s.page.wait_for_selector("#gpusnap-verdict .headline")
        check(s.text("#gpusnap-verdict .headline").startswith("shortage"), "and the page goes on")
        s.page.click("#gpusnap-tab-whatif")
        s.settle()
        for worker in s.page.workers:  # what a crash of the analyzer does
            worker.evaluate("void (onmessage = () => { throw new WebAssembly.RuntimeError('unreachable') })")
        s.page.select_option("select[aria-label='expandable_segments']", "True")
        s.page.click("#gpusnap-replay")
        s.page.wait_for_selector("#gpusnap-panel .error")
        check("stopped" in s.text("#gpusnap-panel .error"), f"a crash is told: {s.text('#gpusnap-panel .error')!r}")
        s.page.click("#gpusnap-replay")
        s.until("document.querySelector('#gpusnap-panel td')")
        check("no settings" in s.text("#gpusnap-panel"), "and the next question is answered by a new worker")
        s.end("survive")


def bad_files(browser):
    """Files that are cut, lie, unpack to far more than they are, or are no snapshot: each is told in a line or answered as far as it goes."""
    whole, small = open(fault("leak"), "rb").read(), open(os.path.join(DATA, "v1/worked.gsnap"), "rb").read()
    kinds = {
        "empty.pickle": b"", "cut.pickle": whole[:len(whole) // 2], "end.pickle": whole[:-200],
        "page.html": b"<!DOCTYPE html><html><script>const x = 'no memory_viz'</script>" + b"<p>x</p>" * 5000,
        "long.pickle": b"\x80\x04\x8e" + b"\xff" * 7 + b"\x7f" + whole[2:], "deep.pickle": b"\x80\x02" + b"]" * 2000000 + b".",
        "values.pickle": b"\x80\x02](" + b"K\x01" * 3000000 + b"e.", "memo.pickle": b"\x80\x02]r\xff\xff\xff\x7f" + whole[2:],
        "bomb.pickle.gz": gzip.compress(b"\x80\x02](" + b"K\x01" * 30000000), "zeros.gz": gzip.compress(bytes(100000000)),
        "half.gsnap": small[:len(small) // 2], "lies.gsnap": small[:60] + b"\xff" * 8 + small[68:],
    }
    with tempfile.TemporaryDirectory() as folder:
        s = Session(browser)
        for name, data in kinds.items():
            path = os.path.join(folder, name)
            open(path, "wb").write(data)
            s.open(path)
        s.until("!document.querySelector('#gpusnap-ranks .reading')")
        for name in kinds:
            command = subprocess.run([GPUSNAP, "diagnose", "-q", os.path.join(folder, name)], capture_output=True, text=True)
            line = s.page.locator("#gpusnap-ranks li", has_text=name)
            check(line.count() == 1 and ("failed" in line.get_attribute("class")) == (command.returncode != 0), f"{name} ends as with the command ({command.stderr}): {line.all_inner_texts()}")
        s.open(fault("pinned"))
        s.page.click("#gpusnap-ranks .open .rank-name >> nth=-1")
        s.settle()
        check(s.text("#gpusnap-verdict .headline").startswith("fragmented"), "and the page goes on")
        s.end("bad files")


def many_files(browser):
    """More files at once than a browser can have workers: each is judged, and what is looked at again is read again."""
    with tempfile.TemporaryDirectory() as folder:
        leak, paths = open(fault("leak"), "rb").read(), []
        for i in range(60):
            paths.append(os.path.join(folder, f"rank{i}.pickle"))
            open(paths[-1], "wb").write(leak if i % 6 else b"")
        s = Session(browser)
        s.open(*paths)
        s.until("!document.querySelector('#gpusnap-ranks .reading') && [...document.querySelectorAll('#gpusnap-ranks .open .rank-said')].every(e => e.textContent)")
        check(s.page.locator("#gpusnap-ranks .failed").count() == 10, "the empty ones are told")
        check(s.page.locator("#gpusnap-ranks .open").count() == 50, "the others are open")
        check(len(s.page.workers) <= 20, f"few workers are left: {len(s.page.workers)}")
        s.page.click("#gpusnap-ranks .open .rank-name >> nth=3")
        s.until("document.querySelector('#gpusnap-ranks .chosen')?.textContent.includes('rank4.pickle')")
        s.settle()
        check(s.text("#gpusnap-verdict .headline").startswith("shortage"), "one whose worker has ended answers")
        s.end("many files")


WATCH = """window.sent = []; window.practised = 0
const send = Worker.prototype.postMessage
Worker.prototype.postMessage = function (m, ...more) {
  if (m.file !== 'practice') sent.push(m.what ? 'ask ' + m.what : m.op)
  else if (m.op === 'close') practised++
  return send.call(this, m, ...more)
}"""


def begins(browser):
    """The module waits for a file, practised, and the verdict for nothing else that is read off it."""
    s = Session(browser, script=WATCH)
    s.until("practised === 6")
    check(s.page.evaluate("sent") == ["start"], "the module is ready before there is a file")
    s.open(fault("leak"))
    check(s.page.evaluate("sent.slice(0, 4)") == ["start", "open", "ask diagnose", "ask outline"], f"the verdict comes first: {s.page.evaluate('sent')}")
    s.settle()
    check(s.page.evaluate("sent.filter(op => op === 'ask heap').length") == 1, f"the heap is asked for once: {s.page.evaluate('sent')}")
    s.end("begin")
    s = Session(browser, script=WATCH)
    s.until("practised === 6")
    for worker in s.page.workers:  # a file on which the verdict crashes
        worker.evaluate("const before = onmessage; void (onmessage = e => e.data.what === 'diagnose' ? postMessage({ id: e.data.id, error: { message: 'the analyzer stopped: x', code: 'trap' } }) : before(e))")
    s.page.set_input_files("#gpusnap-input", [fault("leak")])
    s.page.wait_for_selector("#gpusnap-verdict .error")
    s.until("!document.querySelector('#gpusnap-pictures').hidden")
    check("stopped" in s.text("#gpusnap-verdict"), "a crash of the first answer is told")
    check(s.page.locator("#gpusnap-ranks .failed").count() == 0, "and the pictures come all the same")
    s.end("begin with a crash")


def screens(browser):
    """Before there is a picture: what is read stands large with its progress and a button that ends it; what could not be read is told beside what to do."""
    hold = """const real = Worker.prototype.postMessage; window.later = []
    Worker.prototype.postMessage = function (m, ...more) { if (m.op === 'open') window.tell = (read, size) => this.dispatchEvent(new MessageEvent('message', { data: { id: m.id, progress: { read, size } } })); return m.op === 'open' && !window.free ? void later.push(() => real.call(this, m, ...more)) : real.call(this, m, ...more) }
    window.release = () => { window.free = true; later.splice(0).forEach(f => f()) }"""
    s = Session(browser, script=hold)
    s.page.set_input_files("#gpusnap-input", [fault("leak")])
    s.page.wait_for_selector("#gpusnap-ranks .reading progress")
    bar, row = s.page.locator("#gpusnap-ranks progress").bounding_box(), s.text("#gpusnap-ranks")
    check(bar["width"] > 400 and "leak.pickle" in row and re.search(r"reading \d+ % of [\d.]+ KiB", row), f"what is read stands large: {bar}, {row!r}")
    check(not s.page.is_visible("#gpusnap-welcome") and not s.page.is_visible("#gpusnap-search"), "and alone")
    s.page.evaluate("tell(430, 1000)")
    s.until("document.querySelector('#gpusnap-ranks progress').value === 0.43", 10)
    check("reading 43 % of" in s.text("#gpusnap-ranks"), f"the words tell what the bar shows: {s.text('#gpusnap-ranks')!r}")
    s.shot("12-reading")
    s.page.get_by_role("button", name="stop reading leak.pickle").click()
    s.page.wait_for_selector("#gpusnap-ranks .cancelled")
    check(s.page.is_visible("#gpusnap-welcome"), "once it is ended the page says again what to do")
    s.page.evaluate("release()")
    s.page.get_by_role("button", name="close leak.pickle").click()
    with tempfile.TemporaryDirectory() as folder:
        bad = os.path.join(folder, "garbage.bin")
        open(bad, "wb").write(bytes(range(128, 256)) * 20)
        s.open(bad)
        told = s.text("#gpusnap-ranks .rank-said")
        check("not a kind of file" in told and s.page.is_visible("#gpusnap-welcome"), f"what cannot be read is told, and what to do: {told!r}")
        s.open(fault("leak"))
        s.until("!document.querySelector('#gpusnap-pictures').hidden")
        check(not s.page.is_visible("#gpusnap-welcome"), "which goes with the first picture")
        s.page.get_by_role("button", name="close garbage.bin").click()
        check(s.page.evaluate("Boolean(document.querySelector('.bar #gpusnap-ranks'))"), "the only file has its name in the bar")
    s.end("screens")
    s = Session(browser)
    s.open(os.path.join(DATA, "texts/07-two-ranks-two-causes.txt"))
    check("on device 1" in s.text("#gpusnap-verdict .headline") and s.text("#gpusnap-device") == "", "a text offers no choice of a device that its verdict does not follow")
    check(s.text("#gpusnap-tabs").split() == ["ask", "save"], f"nor a replay of what it does not have: {s.text('#gpusnap-tabs')!r}")
    s.end("a text of two devices")
    two = os.path.join(ROOT, "../shared/reports/pickles/08-two-devices-no-oom.pickle")
    if os.path.exists(two):
        s = Session(browser)
        s.open(two)
        device = json.loads(gpusnap("diagnose", two, "--json", "-q"))["device"]
        check(device == 1 and s.page.input_value("#gpusnap-device select") == "1" and "1000 MiB" in s.text("#gpusnap-legend"), f"of two devices the picture is of that which the verdict tells, {device}")
        s.end("two devices")
    s = Session(browser, 390, 844)
    s.open(fault("leak"), fault("pinned"))
    s.until("[...document.querySelectorAll('#gpusnap-ranks .rank-word')].length === 2")
    check(s.page.evaluate("[...document.querySelectorAll('#gpusnap-ranks .rank-word')].map(e => e.offsetWidth > 20 && e.textContent)") == ["shortage", "fragmented"], "on a phone each rank has the word of its verdict")
    s.end("ranks on a phone")


def slowly(text, pause):
    """The address of a page that comes in two parts, a second apart."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            data = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[:pause])
            time.sleep(1)
            self.wfile.write(data[pause:])

        def log_message(self, *ignored):
            pass
    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.handle_request, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def reports(browser):
    """A report has its picture before its recording is read; that is read while the browser still parses it, and takes the picture's place."""
    hold = """const send = Worker.prototype.postMessage; window.later = []; window.opened = []
    Worker.prototype.postMessage = function (m, ...more) { if (m.op === 'open') opened.push([m.blob === null, document.readyState]); return m.op === 'ask' && !window.free ? void later.push(() => send.call(this, m, ...more)) : send.call(this, m, ...more) }
    window.release = () => { window.free = true; later.splice(0).forEach(f => f()) }"""
    with tempfile.TemporaryDirectory() as folder:
        file, report = os.path.join(folder, "run.pickle"), os.path.join(folder, "report.html")
        subprocess.run([sys.executable, os.path.join(ROOT, "tests/bench/make_big_snapshot.py"), "200000", file], check=True, stdout=subprocess.DEVNULL)
        made = lambda *files: subprocess.run([GPUSNAP, "report", "-q", "-f", *files, "-o", report], check=True, env=dict(os.environ, GPUSNAP_PAGE=PAGE))
        made(file)
        text = open(report, encoding="utf-8").read()
        places = [text.index(part) for part in ('id="gpusnap-viewer"', 'id="gpusnap-stand-in"', "<h2>The heap", "<h2>Environment", 'class="gpusnap-recording"')]
        check(places == sorted(places) and text.count("<h2>Memory over time</h2>") == 1, f"its picture follows the viewer, the recording all else: {places}")
        recording = base64.b64decode(re.search(r'class="gpusnap-recording"[^>]*>([^<]*)<', text)[1])
        s = Session(browser, page=report, script=hold, serve=slowly(text, places[-1] + 100_000))
        s.until("document.readyState === 'complete' && later.length")
        check(s.page.evaluate("(i => i.complete && i.naturalWidth > 300 && i.getClientRects().length > 0)(document.querySelector('#gpusnap-stand-in img'))"), "its picture is there before the recording is asked anything")
        check(s.page.evaluate("JSON.stringify(opened)") == '[[true,"loading"]]', f"and the recording is read while it is parsed: {s.page.evaluate('JSON.stringify(opened)')}")
        before = s.page.locator("#gpusnap-stand-in h2").bounding_box()["y"]
        s.page.evaluate("release()")
        s.until("!document.querySelector('#gpusnap-pictures').hidden")
        s.page.wait_for_timeout(500)
        check(not s.page.is_visible("#gpusnap-stand-in") and abs(s.page.locator(".over-time h2").bounding_box()["y"] - before) < 40, f"the one that moves takes its place: {before}, {s.page.locator('.over-time h2').bounding_box()['y']}, {s.page.is_visible('#gpusnap-stand-in')}")
        s.page.get_by_role("tab", name="ask").click()
        s.page.fill("#gpusnap-panel textarea", "SELECT sha256 FROM snapshot")
        s.page.keyboard.press("Control+Enter")
        s.page.wait_for_selector("#gpusnap-panel td")
        check(s.text("#gpusnap-panel td") == hashlib.sha256(recording).hexdigest(), "its bytes can be read again, for their sum")
        s.shot("13-report")
        s.end("report")
        damaged = os.path.join(folder, "damaged.html")
        at = text.index('class="gpusnap-recording"') + len(text[places[-1]:]) // 2
        open(damaged, "w", encoding="utf-8").write(text[:at] + "*" + text[at + 1:])
        s = Session(browser, page=damaged)
        s.page.wait_for_selector("#gpusnap-ranks .failed", timeout=60000)
        check("inside this page is damaged" in s.text("#gpusnap-ranks .rank-said") and s.page.is_visible("#gpusnap-stand-in img"), f"a damaged one is told, and its picture stays: {s.text('#gpusnap-ranks')!r}")
        s.end("damaged report")
        begin = re.search(r'class="gpusnap-recording"[^>]*>', text).end()
        end = text.index("<", begin)
        for where, pause, changed in (("with no letter there", begin, text), ("in the first four letters", begin + 2, text), ("in the middle", (begin + end) // 2 + 1, text), ("before the end of the tag", end + 4, text),
                                      ("behind a blank", begin + 5, text[:begin] + "\n    " + text[begin:]), ("in broken lines", (begin + end) // 2, text[:begin] + re.sub("(.{76})", r"\1\n", text[begin:end]) + text[end:])):
            s = Session(browser, serve=slowly(changed, len(changed[:pause].encode())))
            s.until("!document.querySelector('#gpusnap-pictures').hidden")
            s.end(f"report that comes slowly, {where}")
        for what, changed, told in (("nothing", text[:begin] + text[end:], "the file is empty"), ("a cut one", text[:begin + (end - begin) // 8 * 4 + 1] + text[end:], "warning: cut at byte")):
            open(damaged, "w", encoding="utf-8").write(changed)
            s = Session(browser, page=damaged)
            s.until(f"document.querySelector('#gpusnap-viewer').innerText.includes({told!r})", 30)
            check(s.page.is_visible("#gpusnap-stand-in img"), f"where {what} is in the page the picture stays")
            s.end(f"report with {what} in it")
        made(fault("defect"), fault("shortage"))
        s = Session(browser, page=report, script=hold)
        s.until("later.length")
        before = s.page.locator("#gpusnap-stand-in h3").bounding_box()["y"]
        s.page.evaluate("release()")
        s.until("document.querySelectorAll('#gpusnap-ranks .rank.open').length === 2 && !document.querySelector('#gpusnap-pictures').hidden")
        s.settle(headline=False)
        check(s.page.evaluate("[...document.querySelectorAll('#gpusnap-ranks .rank-name')].map(e => e.textContent)") == ["shortage.pickle", "defect.pickle"], "both of two recordings are read")
        shows = lambda: (s.text("#gpusnap-of"), s.page.is_visible("#gpusnap-stand-in"), s.page.is_visible("#gpusnap-verdict .headline"))
        check(shows() == ("shortage.pickle", False, False), f"the one that failed first is shown, of which the picture was and the report tells above: {shows()}")
        check(abs(s.page.locator(".over-time h2").bounding_box()["y"] - before) < 60, f"and nothing jumps: {before}, {s.page.locator('.over-time h2').bounding_box()['y']}")
        s.page.locator("#gpusnap-ranks .rank-name", has_text="defect").click()
        s.until("document.querySelector('#gpusnap-of').textContent === 'defect.pickle'")
        s.settle(headline=False)
        check(shows() == ("defect.pickle", True, True), f"of the other it has the verdict, and the picture of the first is back: {shows()}")
        check(s.page.is_visible("#gpusnap-ranks .compare"), "both can be compared")
        s.page.locator("#gpusnap-ranks .rank-name", has_text="shortage").click()
        s.until("document.querySelector('#gpusnap-of').textContent === 'shortage.pickle'")
        s.page.get_by_role("button", name="close shortage.pickle").click()
        s.settle()
        check(shows() == ("defect.pickle", True, True), f"so it is when the first is closed: {shows()}")
        s.end("report of two")


def closes(browser):
    s = Session(browser)
    s.open(fault("leak"), fault("pinned"), fault("stream"))
    s.until("document.querySelectorAll('#gpusnap-ranks .rank').length === 3")
    chosen = s.text("#gpusnap-ranks .chosen .rank-name")
    s.page.get_by_role("button", name="close " + chosen).click()
    s.until(f"document.querySelector('#gpusnap-ranks .chosen .rank-name').textContent !== '{chosen}'")
    s.settle()
    now = s.text("#gpusnap-ranks .chosen .rank-name")
    check(s.text("#gpusnap-verdict .headline") == headline(gpusnap("diagnose", fault(now.split(".")[0]), "-q")), f"another stands in for {chosen}: {now}")
    for button in s.page.locator("#gpusnap-ranks button.plain").all()[::-1]:
        button.click()
    check(s.page.is_visible("#gpusnap-welcome"), "with the last one closed the page is empty again")
    s.open(fault("defect"))
    check(s.text("#gpusnap-verdict .headline").startswith("missed_fit"), "and opens the next")
    s.end("close")


def waits(browser):
    """A long reading is shown, and ends when it is told to."""
    with tempfile.TemporaryDirectory() as folder:
        path, events = os.path.join(folder, "long.pickle"), []
        for i in range(150000):
            frames = [{"name": f"f{i % 50}", "filename": f"/a/{i}.py", "line": i}]
            events += [{"action": "alloc", "addr": 4096 * (i + 1), "size": 512, "stream": 0, "time_us": i, "frames": frames}]
        pickle.dump({"segments": [], "device_traces": [events], "allocator_settings": {}}, open(path, "wb"), protocol=4)
        s = Session(browser)
        s.page.set_input_files("#gpusnap-input", [path])
        s.page.wait_for_selector("#gpusnap-ranks .reading progress")
        s.page.get_by_role("button", name="stop reading").click()
        s.page.wait_for_selector("#gpusnap-ranks .cancelled")
        s.open(fault("leak"))
        s.page.wait_for_selector("#gpusnap-verdict .headline")
        check(s.text("#gpusnap-verdict .headline").startswith("shortage"), "a reading that was stopped leaves the page at work")
        s.end("wait")


def many_ranks(browser):
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for rank, name in enumerate(("leak", "pinned", "stream", "graph", "defect", "shortage") * 2):
            files.append(os.path.join(folder, f"rank{rank:02}.pickle"))
            shutil.copy(fault(name), files[-1])
        s = Session(browser)
        s.open(*files)
        s.until("[...document.querySelectorAll('#gpusnap-ranks .rank-said')].filter(e => e.textContent.includes(':')).length === 12")
        check(s.page.locator("#gpusnap-ranks .rank").count() == 12, "twelve ranks are open, each with its verdict")
        when = {f: max((r["time_us"] for r in json.loads(gpusnap("query", f, "oom", "--json", "-q"))["rows"]), default=None) for f in files}
        first = min((f for f in files if when[f]), key=lambda f: when[f])
        marked = s.page.evaluate("[...document.querySelectorAll('#gpusnap-ranks .first')].map(e => e.querySelector('.rank-name').textContent)")
        check(marked == [os.path.basename(first)], f"the rank that failed first is marked: {marked}, by the command's times {os.path.basename(first)}")
        s.page.click("#gpusnap-ranks button.rank-name >> nth=6")
        s.settle()
        check(s.text("#gpusnap-verdict .headline").startswith(s.text("#gpusnap-ranks .chosen .rank-said").split(":")[0]), "one is chosen")
        check(s.page.locator("#gpusnap-ranks canvas").count() == 12, "and its memory over time")
        s.shot("05-ranks")
        s.page.set_viewport_size({"width": 390, "height": 844})
        s.page.wait_for_timeout(300)
        check(s.page.evaluate("(e => e.scrollWidth <= e.clientWidth)(document.querySelector('#gpusnap-ranks'))"), "the list of ranks is whole on a phone")
        s.end("ranks")


TESTS = [says_what_the_command_says, moves, paints_to_the_end, told_alike, named, in_sight, tells, one_file_one_state, facts, beside, first_screen, waits_are_told, sums_agree, agrees, words_are_told, refits, lists_events, stays, holes, drops, searches, spans, compares, asks, tries, saves, looks, touches, keys_alone, keeps_focus, same_heap, hostile, survives, bad_files, many_files, begins, reports, closes, screens, waits, many_ranks]
only = os.environ.get("ONLY", "").split()
with sync_playwright() as drive:
    browser = drive.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    for test in TESTS:
        if only and test.__name__ not in only:
            continue
        try:
            test(browser)
        except Exception as e:  # a step that cannot be done is a failure of its test, not the end of all
            check(False, f"{test.__name__}: {type(e).__name__}: {str(e)[:400]}")
    browser.close()
print(f"browser: {passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
