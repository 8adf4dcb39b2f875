"""Frames per second of the page while a script zooms and pans, by requestAnimationFrame; how long the picture then needs to be drawn anew."""
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
    for by in (-40, 40):
        for _ in range(60):
            page.mouse.wheel(0, by)
            page.wait_for_timeout(12)


def keys(page, x, y):
    for key in "wwwwdddddaaaaaddddssss" * 3:
        page.keyboard.press(key)
        page.wait_for_timeout(40)


def drag(page, x, y):
    page.mouse.wheel(0, -900)
    page.mouse.down()
    for k in range(100):
        page.mouse.move(x + 8 * (k % 40 - 20) * (1 if k % 80 < 40 else -1), y)
        page.wait_for_timeout(12)
    page.mouse.up()


def measure(page):
    """{way of moving: {frames per second: [median, 95 %, worst], rest: ms}} of a page that shows its picture."""
    box = page.locator("#gpusnap-timeline").bounding_box()
    x, y = box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.5
    page.mouse.move(x, y)
    told = {}
    for move in (wheel, keys, drag):
        page.evaluate(COUNT)
        move(page, x, y)
        frames = page.evaluate("() => { turn.on = false; return turn.frames }")
        told[move.__name__] = {"frames/s": rates(frames), "drawn anew after ms": page.evaluate(REST)}
    return told
