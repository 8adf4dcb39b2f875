// What memory over time is measured by: bytes and moments at the edges, the lines of what is reserved and of what there is.
function drawGrid(c, t) {
	const { plot } = t, step = axisStep(view.high - view.low, plot.h / 44, true, view.high)
	c.strokeStyle = styled('line')
	c.fillStyle = styled('faint')
	c.lineWidth = 1
	c.textBaseline = 'middle'
	c.textAlign = 'right'
	for (let b = Math.ceil(view.low / step) * step; b <= view.high; b += step) {
		const y = Math.round(t.yOf(b)) + 0.5
		c.globalAlpha = 0.5
		c.beginPath(); c.moveTo(plot.x, y); c.lineTo(plot.x + plot.w, y); c.stroke()
		c.globalAlpha = 1
		c.fillText(sizeText(b), plot.x - 6, y)
	}
	c.strokeRect(plot.x - 0.5, plot.y - 0.5, plot.w + 1, plot.h + 1)
	drawTicks(c, t)
}

function drawTicks(c, t) {
	const { plot } = t, y = plot.y + plot.h + PASSED + STEPS, timed = view.axis === 'time', base = timed ? t.begin : 0
	c.textBaseline = 'top'
	c.textAlign = 'center'
	const rough = axisStep(view.to - view.from, plot.w / 110), step = timed ? rough : Math.max(1, rough)
	for (let v = Math.ceil((view.from - base) / step) * step + 0; v + base <= view.to; v += step) {
		const x = t.xOf(v + base)
		if (x < plot.x + 10 || x > plot.x + plot.w - 20) continue
		c.fillText(timed ? durationText(v) : countText(v), x, y + 5)
		c.beginPath(); c.moveTo(x, y); c.lineTo(x, y + 4); c.stroke()
	}
	c.textAlign = 'right'
	c.fillText(timed ? 'time' : 'event', plot.x - 6, y + 5)
}

function drawLines(c, t) {
	const { plot, shown } = t, { reserved } = t.lives.curve
	const most = (from, to) => to < 0 ? shown.device.initial_reserved ?? NaN : reserved.at(t.lives.reserved.between(Math.max(0, Math.min(from, to)), to))
	drawStairs(c, t, most)
	const { capacity } = shown, { allowed } = shown.device
	if (capacity > 0 && capacity <= view.high) drawLevel(c, t, capacity, 'capacity ' + sizeText(capacity))
	if (allowed > 0 && allowed <= view.high && allowed !== capacity) drawLevel(c, t, allowed, 'limit ' + sizeText(allowed))
	c.textAlign = 'right'
	c.textBaseline = 'bottom'
	// As far to the right as no line of a mark crosses it; where there is no room, the legend has it.
	const wide = c.measureText('reserved').width, marks = failedEvents(shown.device).map(f => f.idx).concat(shown.device.peak?.idx ?? -1, view.moment ?? -1).filter(e => e >= 0).map(e => t.xOfEvent(e))
	const right = roomBeside(marks, plot.x, plot.x + plot.w, wide)
	const r = right === null ? 0 : most(...[right - wide, right].map(x => t.eventOfValue(t.valueAt(x))))	// above the line wherever it is below the word
	if (r > 0) drawLabel(c, 'reserved', right, t.yOf(r) - 2, styled('ink'))
}

// The right end of a word between left and right that keeps away from marks, as far to the right as may be; null: there is no room.
const BESIDE_MARK = 10	// half of a moment's triangle, and some
function roomBeside(marks, left, right, wide) {
	const ends = [right - 4, ...marks.filter(x => x > left && x < right).map(x => x - BESIDE_MARK)].sort((a, b) => b - a)
	return ends.find(end => end - wide >= left + 4 && !marks.some(x => x > end - wide - BESIDE_MARK && x < end + BESIDE_MARK)) ?? null
}

// value(from, to): of the events of a pixel.
function drawStairs(c, t, value) {
	const { plot } = t
	c.strokeStyle = styled('ink')
	c.lineWidth = 1.5
	c.beginPath()
	let last = null
	for (let x = 0; x <= plot.w; x++) {
		const y = t.yOf(value(t.eventOfValue(t.valueAt(plot.x + x)), t.eventOfValue(t.valueAt(plot.x + x + 1))))
		if (Number.isNaN(y)) continue
		if (last === null) c.moveTo(plot.x + x, y)
		else if (y !== last) { c.lineTo(plot.x + x, last); c.lineTo(plot.x + x, y) }
		last = y
	}
	if (last !== null) c.lineTo(plot.x + plot.w, last)
	c.stroke()
}

function drawLevel(c, t, bytes, text) {
	const y = Math.round(t.yOf(bytes)) + 0.5, { plot } = t
	c.strokeStyle = styled('accent')
	c.lineWidth = 1.5
	c.setLineDash([6, 4])
	c.beginPath(); c.moveTo(plot.x, y); c.lineTo(plot.x + plot.w, y); c.stroke()
	c.setLineDash([])
	c.textAlign = 'left'
	c.textBaseline = 'bottom'
	drawLabel(c, text, plot.x + 4, y - 2, styled('accent'))
}

// A text that stands out from what is below it.
function drawLabel(c, text, x, y, color) {
	c.font = '12px ' + styled('font')
	c.lineWidth = 3
	c.strokeStyle = styled('paper')
	c.lineJoin = 'round'
	c.strokeText(text, x, y)
	c.fillStyle = color
	c.fillText(text, x, y)
}
