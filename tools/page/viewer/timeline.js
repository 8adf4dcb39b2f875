// Memory over time: where moments and bytes are on the picture, which part is in view, and what draws it.
const COLORS = [['holder', 'holder'], ['category', 'category'], ['step', 'step'], ['age', 'age'], ['stream', 'stream'], ['pool', 'pool'], ['tag', 'tag'], ['size', 'size']]
const MARKS = 40, TICKS = 20, RIGHT = 10	// room around the bands

class Timeline {
	constructor(canvas) {
		this.canvas = canvas
		this.shown = this.bands = this.lives = this.plot = this.overview = this.pointers = null
		this.ratio = 1
		this.width = this.height = this.left = 0
		this.pictured = false
		this.movedAt = 0	// when the part in view last changed
		this.painting = new Painting(this)
		this.draw = onceAFrame(() => this.drawNow())
	}
	// Has it follow the page and whoever uses it.
	listen() {
		this.overview = new Overview(this)
		this.pointers = new Pointers(this)
		for (const c of [this.canvas, this.overview.canvas]) new ResizeObserver(() => this.resize()).observe(c)
		scheme.addEventListener('change', () => this.repaint())
		matchMedia('print').addEventListener('change', () => this.repaint())
		watch('from to low high', () => { this.movedAt = performance.now() })
		watch('from to low high moment span life', () => this.draw())
	}
	// shown: {lives, palette, device (of the outline)}; what is in view stays where it is.
	show(shown, bands) {
		this.shown = shown
		this.bands = bands
		this.lives = shown.lives
		this.pictured = false
		this.overview.clear()
		this.forget()
		this.resize()
	}
	// At once: what is printed is taken before the next frame.
	repaint() {
		forgetStyles()
		if (!this.lives) return
		this.shown.palette.makePixels()
		this.overview.forget()
		this.paintNow()
		momentMap?.drawNow()
		drawLegend(this.shown)
	}
	forget() { this.painting.forget() }

	/* --- where things are --- */

	resize() {
		const ratio = window.devicePixelRatio || 1
		for (const c of [this.canvas, this.overview.canvas]) {
			const w = Math.round(c.clientWidth * ratio), h = Math.round(c.clientHeight * ratio)
			if (c.width !== w || c.height !== h) { c.width = w; c.height = h }
		}
		this.lay(this.canvas.clientWidth, this.canvas.clientHeight, ratio)
		this.overview.forget()
		this.draw()
	}
	lay(width, height, ratio) {
		const left = width < 600 ? 66 : 76
		Object.assign(this, { ratio, width, height, left })
		this.plot = { x: left, y: MARKS, w: Math.max(10, width - left - RIGHT), h: Math.max(10, height - MARKS - PASSED - STEPS - TICKS) }
	}
	xOf(value) { return this.plot.x + (value - view.from) / (view.to - view.from) * this.plot.w }
	valueAt(x) { return view.from + (x - this.plot.x) / this.plot.w * (view.to - view.from) }
	yOf(bytes) { return this.plot.y + this.plot.h - (bytes - view.low) / (view.high - view.low) * this.plot.h }
	bytesAt(y) { return view.low + (this.plot.y + this.plot.h - y) / this.plot.h * (view.high - view.low) }
	// The axis counts events, each one wide, or microseconds.
	valueOfEvent(e) { return view.axis === 'time' ? this.lives.curve.time.at(Math.max(0, Math.min(e, this.lives.events - 1))) : e }
	eventOfValue(v) { return view.axis === 'time' ? this.lives.eventAt(v) : Math.max(-1, Math.min(this.lives.events - 1, Math.floor(v))) }
	// The middle of an event.
	xOfEvent(e) { return this.xOf(this.valueOfEvent(e) + (view.axis === 'event' ? 0.5 : 0)) }
	get begin() { return view.axis === 'time' ? this.lives.curve.time.at(0) : -1 }
	get finish() { return view.axis === 'time' ? this.lives.curve.time.at(this.lives.events - 1) : this.lives.events }
	get top() { return this.shown.top }

	/* --- drawing --- */

	drawNow() {
		if (!this.lives || this.width < 20) return
		const c = this.canvas.getContext('2d'), { plot } = this
		c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0)
		c.fillStyle = styled('paper')
		c.fillRect(0, 0, this.width, this.height)
		c.font = '12px ' + styled('font')
		this.painting.draw(c)
		drawGrid(c, this)
		c.save()
		c.beginPath()
		c.rect(plot.x, 0, plot.w, this.height)
		c.clip()
		for (const draw of [drawLines, drawPassed, drawSteps, drawMarks, drawChosen]) draw(c, this)
		c.restore()
		drawMomentHead(c, this)
		// The overview comes once the first picture is on the screen, and that is painted finer.
		if (this.pictured) this.overview.draw()
		else if (this.painting.at) { this.pictured = true; frameShown().then(() => this.draw()) }
	}
	// The picture of the view, whole, at once: for what is saved or printed.
	paintNow() {
		this.painting.now()
		this.drawNow()
	}

	/* --- moving --- */

	// Shows a part of the axis, kept inside the recording; at least four events or a microsecond's part wide.
	look(from, to) {
		const least = view.axis === 'time' ? Math.min(20, this.finish - this.begin) : Math.min(4, this.finish - this.begin)
		let span = Math.max(least, Math.min(to - from, this.finish - this.begin))
		const middle = (from + to) / 2
		from = Math.max(this.begin, Math.min(middle - span / 2, this.finish - span))
		change({ from, to: from + span })
	}
	zoom(factor, x = this.plot.x + this.plot.w / 2) {
		const at = this.valueAt(Math.max(this.plot.x, Math.min(x, this.plot.x + this.plot.w)))
		const span = (view.to - view.from) * factor
		if (span >= this.finish - this.begin) return this.look(this.begin, this.finish)
		const from = at - (at - view.from) * factor
		this.look(from, from + span)
	}
	pan(share) {
		const by = share * (view.to - view.from)
		this.look(view.from + by, view.to + by)
	}
	lookBytes(low, high) {
		const span = Math.max(4096, Math.min(high - low, this.top))
		low = Math.max(0, Math.min(low, this.top - span))
		change({ low, high: low + span })
	}
	zoomBytes(factor, y = this.plot.y + this.plot.h / 2) {
		const at = this.bytesAt(y), low = at - (at - view.low) * factor
		this.lookBytes(low, low + (view.high - view.low) * factor)
	}
	whole() {
		change({ from: this.begin, to: this.finish, low: 0, high: this.top })
	}
	// The chosen block, the marked span, or all.
	fit() {
		const pad = (a, b) => this.look(a - (b - a) * 0.08 - (view.axis === 'event' ? 1 : 0), b + (b - a) * 0.08 + (view.axis === 'event' ? 1 : 0))
		if (view.life >= 0) pad(this.valueOfEvent(Math.max(0, this.lives.birth[view.life])), this.valueOfEvent(this.lives.end(view.life)))
		else if (view.span) pad(this.valueOfEvent(view.span[0]), this.valueOfEvent(view.span[1]))
		else this.whole()
	}
	// The event of a pixel column, as it is painted there.
	eventAtX(x) {
		const c = this.painting.columnsNow?.event, n = c?.length, i = Math.floor((x - this.plot.x) / this.plot.w * n)
		return i >= 0 && i < n ? c[i] : Math.max(-1, this.eventOfValue(this.valueAt(x)))
	}
	inPlot(p) { return p.x >= this.plot.x && p.x <= this.plot.x + this.plot.w && p.y >= this.plot.y && p.y <= this.plot.y + this.plot.h }
	// What lies at a point: {event, life (-1 none), merged: blocks in this pixel, held: bytes of all blocks then}.
	at(p) {
		const event = this.eventAtX(p.x), pile = this.bands.after(event)
		const height = this.bytesAt(p.y), found = this.inPlot(p) ? pile.at(height) : null
		const pixelBytes = (view.high - view.low) / this.plot.h
		return { event, held: pile.bytes, life: found ? found.life : -1, merged: found && this.lives.size[found.life] < pixelBytes ? pile.count(height - pixelBytes / 2, height + pixelBytes / 2) : 1 }
	}
}

const isWhole = () => { const t = current()?.timeline; return !t || (view.from <= t.begin && view.to >= t.finish) }

function hexOf(color) {
	if (/^#[0-9a-f]{6}$/i.test(color)) return color
	const n = (color.match(/\d+/g) || [255, 255, 255]).map(Number)
	return '#' + n.slice(0, 3).map(v => v.toString(16).padStart(2, '0')).join('')
}
