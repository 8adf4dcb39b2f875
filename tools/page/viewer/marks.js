// What is marked on memory over time: what came and went inside a pixel, steps, annotations, failures, the peak, what is chosen.
const PASSED = 8, STEPS = 16	// heights of the strips below the bands

// A strip of what was born and gone inside a pixel: it is in no band.
function drawPassed(c, t) {
	const { plot } = t, columns = t.painting.columnsNow
	if (!columns) return
	let most = 0
	for (const b of columns.passedBytes) if (b > most) most = b
	if (!most) return
	c.fillStyle = styled('faint')
	const n = columns.passed.length, y = plot.y + plot.h + 1
	for (let x = 0; x < n; x++) {
		if (!columns.passed[x]) continue
		c.globalAlpha = 0.15 + 0.85 * Math.sqrt(columns.passedBytes[x] / most)
		c.fillRect(plot.x + x / n * plot.w, y, Math.max(1, plot.w / n), PASSED - 2)
	}
	c.globalAlpha = 1
}

function drawSteps(c, t) {
	const { plot } = t, y = plot.y + plot.h + PASSED
	c.textBaseline = 'middle'
	c.textAlign = 'left'
	let end = -Infinity
	t.shown.device.steps.forEach((s, i) => {
		const a = t.xOf(t.valueOfEvent(s.first_idx)), b = t.xOf(t.valueOfEvent(s.last_idx + (view.axis === 'event' ? 1 : 0)))
		if (b < plot.x || a > plot.x + plot.w || (b - a < 1 && a - end < 1)) return
		end = b
		c.fillStyle = styled(i % 2 ? 'shade' : 'line')
		c.fillRect(a, y, Math.max(1, b - a), STEPS - 2)
		const x = Math.max(a, plot.x) + 3, room = Math.min(b, plot.x + plot.w) - x
		c.fillStyle = styled('ink')
		const name = [s.name, String(s.step)].find(text => c.measureText(text).width < room)
		if (name) c.fillText(name, x, y + STEPS / 2 - 1)
	})
}

// Failures that the recording has an event of.
const failedEvents = device => device.failures.filter(f => f.idx !== null)

function drawMarks(c, t) {
	const { device } = t.shown, taken = []
	if (device.peak && device.peak.idx >= 0) drawMark(c, t, taken, { event: device.peak.idx, color: styled('ink'), text: 'peak ' + sizeText(device.peak.allocated), row: 1, dash: [2, 3], above: true })
	for (const f of failedEvents(device)) drawMark(c, t, taken, { event: f.idx, color: styled('accent'), text: 'failed' + (f.requested ? ': ' + sizeText(f.requested) + ' asked for' : ''), row: 0 })
	drawAnnotations(c, t)
}

// Where the bands end after an event: a line of the peak, or of the moment, leaves them in sight.
const topOfBands = (t, event) => Math.max(t.plot.y, Math.min(t.plot.y + t.plot.h, t.yOf(t.lives.curve.allocated.at(event))))

// A line through the bands (above: down to them), its text in a row above them where there is room: taken holds what has been written.
function drawMark(c, t, taken, { event, color, text, row, dash = [], above = false }) {
	const { plot } = t, x = t.xOfEvent(event)
	if (x < plot.x - 1 || x > plot.x + plot.w + 1) return
	c.beginPath(); c.moveTo(x, plot.y - 4); c.lineTo(x, above ? topOfBands(t, event) : plot.y + plot.h)
	c.strokeStyle = styled('paper')
	c.lineWidth = 4
	c.stroke()
	c.strokeStyle = color
	c.lineWidth = 1.5
	c.setLineDash(dash)
	c.stroke()
	c.setLineDash([])
	const w = c.measureText(text).width, left = Math.max(plot.x, Math.min(x - w / 2, plot.x + plot.w - w))
	if (taken.some(o => o.row === row && left < o.right + 8 && left + w > o.left - 8)) return
	taken.push({ row, left, right: left + w })
	c.textAlign = 'left'
	c.textBaseline = 'bottom'
	drawLabel(c, text, left, plot.y - 5 - 16 * row, color)
}

function drawAnnotations(c, t) {
	const { plot } = t
	c.strokeStyle = styled('link')
	c.globalAlpha = 0.6
	for (const a of t.shown.device.annotations) {
		if (a.idx === null || a.idx === undefined || a.stage !== 'START') continue
		const x = t.xOf(t.valueOfEvent(a.idx))
		c.beginPath(); c.moveTo(x, plot.y + plot.h + 1); c.lineTo(x, plot.y + plot.h + PASSED + STEPS - 2); c.stroke()
	}
	c.globalAlpha = 1
}

function drawChosen(c, t) {
	if (view.span) drawSpanOf(c, t)
	if (view.moment !== null) drawMomentLine(c, t)
	if (view.life >= 0) drawChosenLife(c, t, view.life)
}

function drawSpanOf(c, t) {
	const { plot } = t, end = view.axis === 'event' ? 1 : 0, [a, b] = view.span.map(e => t.xOf(t.valueOfEvent(e) + end))
	c.fillStyle = styled('link')
	c.globalAlpha = 0.16
	c.fillRect(a, plot.y, b - a, plot.h)
	c.globalAlpha = 1
	c.fillRect(a - 1, plot.y, 2, plot.h)
	c.fillRect(b - 1, plot.y, 2, plot.h)
}

// Down to the bands, and as a hair through them: what is as thin as a pixel stays in sight. A failure keeps its own line.
function drawMomentLine(c, t) {
	const { plot } = t, x = t.xOfEvent(view.moment), top = topOfBands(t, view.moment), failed = failedEvents(t.shown.device).some(f => f.idx === view.moment)
	if (failed) return
	c.strokeStyle = styled('link')
	for (const [from, to, wide, alpha] of [[plot.y, top, 2, 1], [top, plot.y + plot.h, 1, 0.4]]) {
		c.lineWidth = wide
		c.globalAlpha = alpha
		c.beginPath(); c.moveTo(x, from); c.lineTo(x, to); c.stroke()
	}
	c.globalAlpha = 1
}

// Its triangle stands whole, also at the ends.
function drawMomentHead(c, t) {
	const { plot } = t, x = view.moment === null ? -1 : t.xOfEvent(view.moment)
	if (x < plot.x || x > plot.x + plot.w) return
	c.fillStyle = styled('link')
	c.beginPath(); c.moveTo(x - 6, plot.y - 1); c.lineTo(x + 6, plot.y - 1); c.lineTo(x, plot.y + 8); c.fill()
}

// Where the chosen block's band lies, by pixel column; of a view with so many changes that walking them would take long, nothing.
const MOST_WALKED = 40000
let walked = { of: null }

function bandOf(t, life) {
	const { plot, lives } = t, of = [life, view.from, view.to, view.axis, plot.w].join(), first = Math.max(0, Math.floor(t.xOf(t.valueOfEvent(Math.max(0, lives.birth[life]))) - plot.x))
	if (walked.of === of && walked.bands === t.bands) return walked.columns
	walked = { of, bands: t.bands, columns: [] }
	if (t.eventOfValue(view.to) - t.eventOfValue(view.from) > MOST_WALKED) return walked.columns
	for (let x = first; x < plot.w; x++) {
		const event = t.eventAtX(plot.x + x)
		if (lives.livesAt(life, event)) walked.columns.push([x, t.bands.after(event).below(life)])
		else if (event >= lives.end(life)) break
	}
	return walked.columns
}

function outlineBand(c, t, life) {
	const { plot, lives } = t, columns = bandOf(t, life), size = lives.size.at(life), low = plot.y + plot.h
	if (!columns.length) return
	const y = bytes => Math.max(plot.y, Math.min(low, t.yOf(bytes))), last = columns[columns.length - 1]
	c.beginPath()
	for (const [x, below] of columns) { c.lineTo(plot.x + x, y(below + size)); c.lineTo(plot.x + x + 1, y(below + size)) }
	c.lineTo(plot.x + last[0] + 1, y(last[1]))
	for (const [x, below] of columns.slice().reverse()) { c.lineTo(plot.x + x + 1, y(below)); c.lineTo(plot.x + x, y(below)) }
	c.closePath()
	for (const [color, wide] of [[styled('paper'), 4], [styled('link'), 2]]) { c.strokeStyle = color; c.lineWidth = wide; c.stroke() }
}

// How many bytes lie below a block after an event; known from one frame to the next.
let lowest = { bands: null }
function belowAt(t, life, event) {
	if (lowest.bands !== t.bands || lowest.life !== life || lowest.event !== event) lowest = { bands: t.bands, life, event, below: t.bands.after(event).below(life) }
	return lowest.below
}

// The chosen block: its band outlined, its life under the bands, from its birth to its end, and a dot in its band at the moment.
function drawChosenLife(c, t, life) {
	if (t.painting.done) outlineBand(c, t, life)	// not while the view moves: it walks all events in view
	const { plot, lives } = t, event = view.moment !== null && lives.livesAt(life, view.moment) ? view.moment : Math.max(lives.birth[life], 0)
	const below = belowAt(t, life, event), bottom = t.yOf(below), top = t.yOf(below + lives.size[life])
	const a = t.xOf(t.valueOfEvent(lives.birth[life])), b = t.xOf(t.valueOfEvent(lives.end(life)))
	c.fillStyle = styled('link')
	c.fillRect(Math.max(a, plot.x), plot.y + plot.h + 1, Math.max(2, Math.min(b, plot.x + plot.w) - Math.max(a, plot.x)), 3)
	c.beginPath(); c.arc(t.xOfEvent(event), (Math.min(bottom, plot.y + plot.h) + Math.max(top, plot.y)) / 2, 5, 0, 7); c.fill()
	c.strokeStyle = styled('paper')
	c.lineWidth = 1.5
	c.stroke()
}
