#!/usr/bin/env python3
"""The page in Debian's Firefox (ESR), headless, driven by Marionette. usage: check_firefox.py BUILD
A file is opened, judged, drawn, zoomed, asked; no error on the console. Without Firefox or marionette_driver: skipped, and said so."""
import logging, os, shutil, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(os.path.abspath(sys.argv[1]), "page/gpusnap.html")
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")


def skip(why):
    print(f"firefox: SKIPPED: {why}\nfirefox: 0 passed, 0 failed, 1 skipped")
    sys.exit(0)


try:
    from marionette_driver import By, Keys
    from marionette_driver.marionette import Marionette
except ImportError as e:
    skip(f"{e} (make deps-browser)")
if not FIREFOX:
    skip("no firefox-esr (make deps-browser)")
if not os.path.exists(PAGE):
    skip("no page (make page)")
logging.disable(logging.INFO)
passed = failed = 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("firefox: FAILED:", what)


def until(script, seconds=60):
    end = time.time() + seconds
    while time.time() < end:
        if m.execute_script("return " + script):
            return True
        time.sleep(0.1)
    check(False, f"never: {script}")


def text(selector):
    return m.execute_script("return document.querySelector(arguments[0])?.textContent ?? ''", [selector])


# Firefox's log is removed before it is written: a file of its own, in no case a device
logs = tempfile.TemporaryDirectory()
m = Marionette(bin=FIREFOX, headless=True, gecko_log=os.path.join(logs.name, "gecko.log"), prefs={"datareporting.policy.dataSubmissionEnabled": False})
m.start_session({"strictFileInteractability": False})
try:
    m.navigate("file://" + PAGE)
    check("Why did it run out of memory?" in text("#gpusnap-welcome"), "the empty page")
    m.find_element(By.ID, "gpusnap-input").send_keys(os.path.join(ROOT, "tests/data/faults/pinned.pickle"))
    until("document.querySelector('#gpusnap-verdict .headline')")
    check(text("#gpusnap-verdict .headline").startswith("fragmented: 200 MiB asked for"), f"the verdict: {text('#gpusnap-verdict .headline')!r}")
    until("document.querySelector('#gpusnap-panel .beside')")
    drawn = m.execute_script("const c = document.querySelector('#gpusnap-timeline'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; return new Set(new Uint32Array(d.buffer)).size")
    check(drawn > 8, f"memory over time is drawn: {drawn} colours")
    body = m.find_element(By.CSS_SELECTOR, "#gpusnap-timeline")
    body.send_keys("wwd")
    until("location.hash.includes('view=')")
    body.send_keys("p")
    until("document.querySelector('#gpusnap-panel h2').textContent.includes('the peak')")
    m.execute_script("document.getElementById('gpusnap-tab-ask').click()")
    until("document.getElementById('gpusnap-sql')")
    m.find_element(By.ID, "gpusnap-sql").send_keys("SELECT count(*) AS n FROM block ")
    m.execute_script("document.getElementById('gpusnap-run').click()")
    until("document.querySelector('#gpusnap-panel td')")
    check(text("#gpusnap-panel td") == "20", f"SQL is answered: {text('#gpusnap-panel td')!r}")
    with m.using_context("chrome"):
        said = m.execute_script("return Services.console.getMessageArray().map(m => m.toString()).filter(t => t.includes('gpusnap.html'))")
    check(not said, f"the console says {said[:3]}")
finally:
    m.quit()
print(f"firefox: {passed} passed, {failed} failed", flush=True)
os._exit(1 if failed else 0)  # its own end complains of files that it has removed already
