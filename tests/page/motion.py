"""Frames per second of the page while a script zooms and pans, by requestAnimationFrame; how long the picture then needs to be drawn anew; and what
a frame costs the page's thread, in milliseconds of its own clock, which does not run while other programs have the core."""
import statistics

COUNT = """() => {
  const turn = window.turn = { frames: [], on: true }
  const frame = now => { turn.frames.push(now); if (turn.on) requestAnimationFrame(frame) }
  requestAnimationFrame(frame)
}"""
# From the last movement until the picture is that of the view and no longer one before it, stretched.
REST = """() => new Promise(done => {
  const begun = performance.now(), c = document.querySelector('#gpusnap-timeline')
  const look = () => c.getAttribute('aria-busy') === 'true' ? requestAnimationFrame(look) : done(Math.round(performance.now() - begun))
  requestAnimationFrame(() => requestAnimationFrame(look))
})"""


def rates(frames):
    """Per second: the median, what 19 of 20 frames reach, the worst."""
    took = sorted(b - a for a, b in zip(frames, frames[1:]))
    return [round(1000 / t, 1) for t in (statistics.median(took), took[int(len(took) * 0.95)], took[-1])]


def wheel(page, x, y):
    page.keyboard.down("Control")
    for by in (-40, 40):
        for _ in range(60):
            page.mouse.wheel(0, by)
            page.wait_for_timeout(12)
    page.keyboard.up("Control")


def keys(page, x, y):
    for key in "wwwwdddddaaaaaddddssss" * 3:
        page.keyboard.press(key)
        page.wait_for_timeout(40)


def drag(page, x, y):
    page.keyboard.down("Control")
    page.mouse.wheel(0, -900)
    page.keyboard.up("Control")
    page.mouse.down()
    for k in range(100):
        page.mouse.move(x + 8 * (k % 40 - 20) * (1 if k % 80 < 40 else -1), y)
        page.wait_for_timeout(12)
    page.mouse.up()


def measure(page):
    """{way of moving: {frames/s: [median, 95 %, worst], ms a frame, drawn anew after ms}} of a page that shows its picture."""
    box = page.locator("#gpusnap-timeline").bounding_box()
    x, y = box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.5
    page.mouse.click(x, y)
    page.wait_for_timeout(500)
    client = page.context.new_cdp_session(page)
    client.send("Performance.enable", {"timeDomain": "threadTicks"})
    ticks = lambda: next(m["value"] for m in client.send("Performance.getMetrics")["metrics"] if m["name"] == "TaskDuration")
    told = {}
    for move in (wheel, keys, drag):
        page.evaluate(COUNT)
        begun = ticks()
        move(page, x, y)
        frames = page.evaluate("() => { turn.on = false; return turn.frames }")
        told[move.__name__] = {"frames/s": rates(frames), "ms a frame": round(1000 * (ticks() - begun) / len(frames), 1), "drawn anew after ms": page.evaluate(REST)}
    return told
