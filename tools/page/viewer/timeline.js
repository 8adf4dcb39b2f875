// Memory over time: bands, lines, marks, steps; pan, zoom, choose, mark. The picture is painted when it can be, and stretched meanwhile.
const COLORS = [['holder', 'holder'], ['category', 'category'], ['step', 'step'], ['age', 'age'], ['stream', 'stream'], ['pool', 'pool'], ['tag', 'tag'], ['size', 'size']]
const MARKS = 40, PASSED = 8, STEPS = 16, TICKS = 20, RIGHT = 10, OVERVIEW = 46

class Timeline {
	constructor() {
		this.canvas = part('timeline')
		this.overview = part('overview')
		this.tip = part('tip')
		this.picture = document.createElement('canvas')	// the bands as last painted
		this.painted = null
		this.pointers = new Map()
		this.hover = null
		this.draw = onceAFrame(() => this.drawNow())
		this.listen()
		new ResizeObserver(() => this.resize()).observe(this.canvas)
		new ResizeObserver(() => this.resize()).observe(this.overview)
		scheme.addEventListener('change', () => this.repaint())
		matchMedia('print').addEventListener('change', () => this.repaint())
		watch('from to low high moment span life', () => this.draw())
	}
	// shown: {lives, palette, device (of the outline)}; what is in view stays where it is.
	show(shown, bands) {
		this.shown = shown
		this.bands = bands
		this.lives = shown.lives
		this.forget()
		this.overviewPainted = null
		this.resize()
	}
	// At once: what is printed is taken before the next frame.
	repaint() {
		forgetStyles()
		if (!this.lives) return
		this.shown.palette.makePixels()
		this.overviewPainted = null
		this.paintNow()
		this.drawNow()
		momentMap?.drawNow()
		drawLegend(this.shown)
	}
	forget() { this.painted = this.job = null }

	/* --- where things are --- */

	resize() {
		const ratio = window.devicePixelRatio || 1
		for (const c of [this.canvas, this.overview]) {
			const w = Math.round(c.clientWidth * ratio), h = Math.round(c.clientHeight * ratio)
			if (c.width !== w || c.height !== h) { c.width = w; c.height = h }
		}
		this.ratio = ratio
		this.width = this.canvas.clientWidth
		this.height = this.canvas.clientHeight
		this.left = this.width < 600 ? 66 : 76
		this.plot = { x: this.left, y: MARKS, w: Math.max(10, this.width - this.left - RIGHT), h: Math.max(10, this.height - MARKS - PASSED - STEPS - TICKS) }
		this.overviewPainted = null
		this.draw()
	}
	xOf(value) { return this.plot.x + (value - view.from) / (view.to - view.from) * this.plot.w }
	valueAt(x) { return view.from + (x - this.plot.x) / this.plot.w * (view.to - view.from) }
	yOf(bytes) { return this.plot.y + this.plot.h - (bytes - view.low) / (view.high - view.low) * this.plot.h }
	bytesAt(y) { return view.low + (this.plot.y + this.plot.h - y) / this.plot.h * (view.high - view.low) }
	// The axis counts events, each one wide, or microseconds.
	valueOfEvent(e) { return view.axis === 'time' ? this.lives.curve.time[Math.max(0, Math.min(e, this.lives.events - 1))] : e }
	eventOfValue(v) { return view.axis === 'time' ? this.lives.eventAt(v) : Math.max(-1, Math.min(this.lives.events - 1, Math.floor(v))) }
	get begin() { return view.axis === 'time' ? this.lives.curve.time[0] : -1 }
	get finish() { return view.axis === 'time' ? this.lives.curve.time[this.lives.events - 1] : this.lives.events }
	get top() { return this.shown.top }

	/* --- painting --- */

	drawNow() {
		if (!this.lives || this.width < 20) return
		const c = this.canvas.getContext('2d'), { plot } = this
		c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0)
		c.fillStyle = styled('paper')
		c.fillRect(0, 0, this.width, this.height)
		c.font = '12px ' + styled('font')
		this.drawBands(c)
		this.drawGrid(c)
		c.save()
		c.beginPath()
		c.rect(plot.x, 0, plot.w, this.height)
		c.clip()
		this.drawLines(c)
		this.drawPassed(c)
		this.drawSteps(c)
		this.drawMarks(c)
		this.drawChosen(c)
		c.restore()
		this.drawOverview()
	}
	scaleNow() { return { from: view.from, to: view.to, low: view.low, high: view.high, axis: view.axis } }
	drawBands(c) {
		const { plot } = this
		if (!this.isPainted(this.painted)) this.paintSome()
		const q = this.painted
		if (!q) return this.drawShape(c)
		c.save()
		c.beginPath()
		c.rect(plot.x, plot.y, plot.w, plot.h)
		c.clip()
		c.imageSmoothingEnabled = false
		const x = this.xOf(q.from), y = this.yOf(q.high)
		c.drawImage(this.picture, x, y, this.xOf(q.to) - x, this.yOf(q.low) - y)
		c.restore()
	}
	// What stands in for the very first picture while it is painted.
	drawShape(c) {
		const { plot } = this, { allocated } = this.lives
		c.fillStyle = styled('cache')
		for (let x = 0; x < plot.w; x++) {
			const from = this.eventOfValue(this.valueAt(plot.x + x)), to = this.eventOfValue(this.valueAt(plot.x + x + 1))
			if (to < 0) continue
			const y = Math.max(plot.y, this.yOf(allocated.values[allocated.between(Math.max(0, Math.min(from, to)), to)]))
			if (y < plot.y + plot.h) c.fillRect(plot.x + x, y, 1, plot.y + plot.h - y)
		}
	}
	isPainted(p) {
		const { plot } = this
		return p && p.from === view.from && p.to === view.to && p.low === view.low && p.high === view.high && p.axis === view.axis && p.w === plot.w && p.h === plot.h && p.ratio === this.ratio
	}
	// Paints for some milliseconds of a frame; until a picture is done the one before stands in, stretched.
	paintSome() {
		if (!this.job) this.beginPainting()
		const { job } = this
		if (!this.bands.run(job, this.painted ? 9 : 60)) return this.draw()
		this.job = null
		if (this.picture.width !== job.image.width || this.picture.height !== job.image.height) {
			this.picture.width = job.image.width
			this.picture.height = job.image.height
		}
		this.picture.getContext('2d').putImageData(job.image, 0, 0)
		this.columns = job.columns
		this.painted = job.at
		if (!this.isPainted(job.at)) this.draw()
	}
	beginPainting() {
		const { plot, ratio } = this, { from, to, axis } = view, span = to - from
		const w = Math.max(1, Math.round(plot.w * ratio)), h = Math.max(1, Math.round(plot.h * ratio))
		if (this.image?.width !== w || this.image.height !== h) this.image = new ImageData(w, h)
		this.job = this.bands.begin(this.image, { low: view.low, high: view.high, eventOf: x => this.eventOfValue(from + x / w * span - (axis === 'event' ? 1e-9 : 0)) }, pixel(rgbOf(hexOf(styled('paper')))))
		this.job.at = { ...this.scaleNow(), w: plot.w, h: plot.h, ratio }
	}
	// To the end, now (for what is saved).
	paintNow() {
		this.job = this.painted = null
		this.beginPainting()
		this.bands.run(this.job, Infinity)
		this.paintSome()
	}
	drawGrid(c) {
		const { plot } = this
		c.strokeStyle = styled('line')
		c.fillStyle = styled('faint')
		c.lineWidth = 1
		c.textBaseline = 'middle'
		c.textAlign = 'right'
		const step = axisStep(view.high - view.low, this.plot.h / 44, true, view.high)
		for (let b = Math.ceil(view.low / step) * step; b <= view.high; b += step) {
			const y = Math.round(this.yOf(b)) + 0.5
			c.globalAlpha = 0.5
			c.beginPath(); c.moveTo(plot.x, y); c.lineTo(plot.x + plot.w, y); c.stroke()
			c.globalAlpha = 1
			c.fillText(sizeText(b), plot.x - 6, y)
		}
		c.strokeRect(plot.x - 0.5, plot.y - 0.5, plot.w + 1, plot.h + 1)
		this.drawTicks(c)
	}
	drawTicks(c) {
		const { plot } = this, y = plot.y + plot.h + PASSED + STEPS
		c.textBaseline = 'top'
		c.textAlign = 'center'
		const base = view.axis === 'time' ? this.begin : 0
		const step = view.axis === 'time' ? axisStep(view.to - view.from, plot.w / 110) : Math.max(1, axisStep(view.to - view.from, plot.w / 110))
		for (let v = Math.ceil((view.from - base) / step) * step + 0; v + base <= view.to; v += step) {
			const x = this.xOf(v + base), text = view.axis === 'time' ? durationText(v) : countText(v)
			if (x < plot.x + 10 || x > plot.x + plot.w - 20) continue
			c.fillText(text, x, y + 5)
			c.beginPath(); c.moveTo(x, y); c.lineTo(x, y + 4); c.stroke()
		}
		c.textAlign = 'right'
		c.fillText(view.axis === 'time' ? 'time' : 'event', plot.x - 6, y + 5)
	}
	drawLines(c) {
		const { plot } = this, { reserved } = this.lives.curve
		const line = (value, color, width, dash) => {
			c.strokeStyle = color
			c.lineWidth = width
			c.setLineDash(dash || [])
			c.beginPath()
			let last = null
			for (let x = 0; x <= plot.w; x++) {
				const from = this.eventOfValue(this.valueAt(plot.x + x)), to = this.eventOfValue(this.valueAt(plot.x + x + 1))
				const y = this.yOf(value(from, to))
				if (Number.isNaN(y)) continue
				if (last === null) c.moveTo(plot.x + x, y)
				else if (y !== last) { c.lineTo(plot.x + x, last); c.lineTo(plot.x + x, y) }
				last = y
			}
			if (last !== null) c.lineTo(plot.x + plot.w, last)
			c.stroke()
			c.setLineDash([])
		}
		const most = (from, to) => to < 0 ? this.shown.device.initial_reserved ?? NaN : reserved[this.lives.reserved.between(Math.max(0, Math.min(from, to)), to)]
		line(most, styled('ink'), 1.5)
		const capacity = this.shown.capacity
		if (capacity > 0 && capacity <= view.high) this.level(c, capacity, styled('accent'), 'capacity ' + sizeText(capacity))
		const allowed = this.shown.device.allowed
		if (allowed > 0 && allowed <= view.high && allowed !== capacity) this.level(c, allowed, styled('accent'), 'limit ' + sizeText(allowed))
		c.fillStyle = styled('ink')
		c.textAlign = 'right'
		c.textBaseline = 'bottom'
		const end = this.eventOfValue(view.to)
		const r = end < 0 ? null : reserved[end]
		if (r > 0) this.label(c, 'reserved', plot.x + plot.w - 4, this.yOf(r) - 2, styled('ink'))
	}
	label(c, text, x, y, color) {
		c.font = '12px ' + styled('font')
		c.lineWidth = 3
		c.strokeStyle = styled('paper')
		c.lineJoin = 'round'
		c.strokeText(text, x, y)
		c.fillStyle = color
		c.fillText(text, x, y)
	}
	level(c, bytes, color, text) {
		const y = Math.round(this.yOf(bytes)) + 0.5, { plot } = this
		c.strokeStyle = color
		c.lineWidth = 1.5
		c.setLineDash([6, 4])
		c.beginPath(); c.moveTo(plot.x, y); c.lineTo(plot.x + plot.w, y); c.stroke()
		c.setLineDash([])
		c.textAlign = 'left'
		c.textBaseline = 'bottom'
		this.label(c, text, plot.x + 4, y - 2, color)
	}
	// A strip of what was born and gone inside a pixel: it is in no band.
	drawPassed(c) {
		const { plot, columns } = this
		if (!columns || !this.painted || this.painted.from !== view.from || this.painted.to !== view.to) return
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
	drawSteps(c) {
		const { plot } = this, y = plot.y + plot.h + PASSED
		c.textBaseline = 'middle'
		c.textAlign = 'left'
		let end = -Infinity
		this.shown.device.steps.forEach((s, i) => {
			const a = this.xOf(this.valueOfEvent(s.first_idx)), b = this.xOf(this.valueOfEvent(s.last_idx + (view.axis === 'event' ? 1 : 0)))
			if (b < plot.x || a > plot.x + plot.w || (b - a < 1 && a - end < 1)) return
			end = b
			c.fillStyle = styled(i % 2 ? 'shade' : 'line')
			c.fillRect(a, y, Math.max(1, b - a), STEPS - 2)
			const x = Math.max(a, plot.x) + 3, room = Math.min(b, plot.x + plot.w) - x
			c.fillStyle = styled('ink')
			const name = [s.name, String(s.step)].find(t => c.measureText(t).width < room)
			if (name) c.fillText(name, x, y + STEPS / 2 - 1)
		})
	}
	drawMarks(c) {
		const { plot } = this, device = this.shown.device
		let taken = []
		const mark = (event, color, text, row, dash) => {
			const x = this.xOf(this.valueOfEvent(event) + (view.axis === 'event' ? 0.5 : 0))
			if (x < plot.x - 1 || x > plot.x + plot.w + 1) return
			c.strokeStyle = color
			c.lineWidth = 1.5
			c.setLineDash(dash || [])
			c.beginPath(); c.moveTo(x, plot.y - 4); c.lineTo(x, plot.y + plot.h); c.stroke()
			c.setLineDash([])
			const w = c.measureText(text).width, left = Math.max(plot.x, Math.min(x - w / 2, plot.x + plot.w - w))
			if (taken.some(t => t.row === row && left < t.right + 8 && left + w > t.left - 8)) return
			taken.push({ row, left, right: left + w })
			c.textAlign = 'left'
			c.textBaseline = 'bottom'
			this.label(c, text, left, plot.y - 5 - 16 * row, color)
		}
		for (const f of device.failures) mark(f.idx, styled('accent'), 'failed: ' + sizeText(f.requested), 0)
		if (device.peak && device.peak.idx >= 0) mark(device.peak.idx, styled('ink'), 'peak ' + sizeText(device.peak.allocated), 1, [2, 3])
		c.strokeStyle = styled('link')
		for (const a of device.annotations) {
			if (a.idx === null || a.idx === undefined || a.stage !== 'START') continue
			const x = this.xOf(this.valueOfEvent(a.idx))
			c.globalAlpha = 0.6
			c.beginPath(); c.moveTo(x, plot.y + plot.h + 1); c.lineTo(x, plot.y + plot.h + PASSED + STEPS - 2); c.stroke()
			c.globalAlpha = 1
		}
	}
	drawChosen(c) {
		const { plot } = this, end = view.axis === 'event' ? 1 : 0
		if (view.span) {
			const a = this.xOf(this.valueOfEvent(view.span[0]) + end), b = this.xOf(this.valueOfEvent(view.span[1]) + end)
			c.fillStyle = styled('link')
			c.globalAlpha = 0.16
			c.fillRect(a, plot.y, b - a, plot.h)
			c.globalAlpha = 1
			c.fillRect(a - 1, plot.y, 2, plot.h)
			c.fillRect(b - 1, plot.y, 2, plot.h)
		}
		if (view.moment !== null) {
			const x = this.xOf(this.valueOfEvent(view.moment) + end / 2)
			c.strokeStyle = styled('link')
			c.lineWidth = 2
			c.beginPath(); c.moveTo(x, plot.y); c.lineTo(x, plot.y + plot.h); c.stroke()
			c.fillStyle = styled('link')
			c.beginPath(); c.moveTo(x - 6, plot.y - 1); c.lineTo(x + 6, plot.y - 1); c.lineTo(x, plot.y + 8); c.fill()
		}
		if (view.life >= 0) this.outline(c, view.life)
	}
	// The chosen block's life under the strip of marks: from its birth to its end, at the height of the moment.
	outline(c, life) {
		const { plot, lives } = this, event = view.moment !== null && lives.livesAt(life, view.moment) ? view.moment : Math.max(lives.birth[life], 0)
		this.bands.pile.go(event)
		const below = this.bands.pile.below(life), bottom = this.yOf(below), top = this.yOf(below + lives.size[life])
		const a = this.xOf(this.valueOfEvent(lives.birth[life])), b = this.xOf(this.valueOfEvent(lives.end(life)))
		const x = this.xOf(this.valueOfEvent(event) + (view.axis === 'event' ? 0.5 : 0))
		c.fillStyle = styled('link')
		c.fillRect(Math.max(a, plot.x), plot.y + plot.h + 1, Math.max(2, Math.min(b, plot.x + plot.w) - Math.max(a, plot.x)), 3)
		c.beginPath(); c.arc(x, (Math.min(bottom, plot.y + plot.h) + Math.max(top, plot.y)) / 2, 5, 0, 7); c.fill()
		c.strokeStyle = styled('paper')
		c.lineWidth = 1.5
		c.stroke()
	}

	/* --- the whole, small --- */

	drawOverview() {
		const o = this.overview, c = o.getContext('2d'), w = o.clientWidth, h = o.clientHeight
		if (w < 10) return
		if (!this.overviewPainted) {
			this.overviewPainted = document.createElement('canvas')
			this.overviewPainted.width = o.width
			this.overviewPainted.height = o.height
			const p = this.overviewPainted.getContext('2d')
			p.setTransform(this.ratio, 0, 0, this.ratio, 0, 0)
			p.fillStyle = styled('shade')
			p.fillRect(0, 0, w, h)
			const most = this.top || 1, area = (peaks, color) => {
				p.fillStyle = color
				for (let x = 0; x < this.plot.w; x++) {
					const a = this.overviewEvent(x), b = this.overviewEvent(x + 1)
					if (b < 0) continue
					const tall = peaks.values[peaks.between(Math.max(0, a), b)] / most * (h - 2)
					p.fillRect(this.plot.x + x, h - tall, 1, tall)
				}
			}
			area(this.lives.reserved, styled('cache'))
			area(this.lives.allocated, styled('use'))
			p.fillStyle = styled('accent')
			for (const f of this.shown.device.failures) p.fillRect(this.overviewX(this.valueOfEvent(f.idx)) - 1, 0, 2, h)
		}
		c.setTransform(1, 0, 0, 1, 0, 0)
		c.drawImage(this.overviewPainted, 0, 0)
		c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0)
		const a = this.overviewX(view.from), b = Math.max(a + 2, this.overviewX(view.to))
		c.fillStyle = styled('paper')
		c.globalAlpha = 0.65
		c.fillRect(this.plot.x, 0, a - this.plot.x, h)
		c.fillRect(b, 0, this.plot.x + this.plot.w - b, h)
		c.globalAlpha = 1
		c.strokeStyle = styled('link')
		c.lineWidth = 2
		c.strokeRect(a, 1, b - a, h - 2)
		c.fillStyle = styled('faint')
		c.font = '12px ' + styled('font')
		c.textAlign = 'right'
		c.textBaseline = 'middle'
		c.fillText('whole', this.plot.x - 6, h / 2)
	}
	overviewX(value) { return this.plot.x + (value - this.begin) / (this.finish - this.begin || 1) * this.plot.w }
	overviewValue(x) { return this.begin + (x - this.plot.x) / this.plot.w * (this.finish - this.begin) }
	overviewEvent(x) { return this.eventOfValue(this.overviewValue(x + this.plot.x)) }

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
		const c = this.columns?.event, n = c?.length, i = Math.floor((x - this.plot.x) / this.plot.w * n)
		if (this.painted && this.painted.from === view.from && this.painted.to === view.to && i >= 0 && i < n) return c[i]
		return Math.max(-1, this.eventOfValue(this.valueAt(x)))
	}
	inPlot(p) { return p.x >= this.plot.x && p.x <= this.plot.x + this.plot.w && p.y >= this.plot.y && p.y <= this.plot.y + this.plot.h }
	// What lies at a point: {event, life (-1 none), merged: blocks in this pixel}.
	at(p) {
		const event = this.eventAtX(p.x)
		this.bands.pile.go(event)
		const height = this.bytesAt(p.y), found = this.inPlot(p) ? this.bands.pile.at(height) : null
		const pixelBytes = (view.high - view.low) / this.plot.h
		return { event, life: found ? found.life : -1, merged: found && this.lives.size[found.life] < pixelBytes ? this.bands.pile.count(height - pixelBytes / 2, height + pixelBytes / 2) : 1 }
	}

	/* --- pointers --- */

	listen() {
		const c = this.canvas, point = e => { const r = c.getBoundingClientRect(); return { x: e.clientX - r.left, y: e.clientY - r.top } }
		c.addEventListener('wheel', e => {
			if (!this.lives) return
			e.preventDefault()
			const p = point(e), amount = Math.max(-0.5, Math.min(0.5, (e.deltaY || e.deltaX) / 300))
			if (e.shiftKey || p.x < this.plot.x) this.zoomBytes(2 ** amount, p.y)
			else if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) this.pan(e.deltaX / this.plot.w)
			else this.zoom(2 ** (amount * 2), p.x)
		}, { passive: false })
		c.addEventListener('pointerdown', e => {
			if (!this.lives || e.button > 0) return
			const p = point(e)
			c.setPointerCapture(e.pointerId)
			this.pointers.set(e.pointerId, p)
			this.hideTip()
			if (this.pointers.size === 1) this.drag = { start: p, from: view.from, to: view.to, low: view.low, high: view.high, marking: e.shiftKey || this.marking || p.y > this.plot.y + this.plot.h, moved: false }
			else this.startPinch()
		})
		c.addEventListener('pointermove', e => {
			if (!this.lives) return
			const p = point(e)
			if (!this.pointers.has(e.pointerId)) return this.hoverAt(p)
			this.pointers.set(e.pointerId, p)
			if (this.pointers.size === 2) this.movePinch()
			else if (this.drag) this.moveDrag(p)
		})
		const end = e => {
			if (!this.pointers.delete(e.pointerId)) return
			const drag = this.drag
			if (!this.pointers.size) this.drag = this.pinch = null
			this.draw()
			if (drag && !drag.moved && !this.pinch && e.type === 'pointerup') this.choose(point(e))
			if (drag && drag.moved && drag.marking) { this.setMarking(false); if (view.span) change({ tab: 'span' }) }
		}
		c.addEventListener('pointerup', end)
		c.addEventListener('pointercancel', end)
		c.addEventListener('pointerleave', () => { this.hover = null; this.hideTip() })
		c.addEventListener('dblclick', e => { const p = point(e), at = this.at(p); if (at.life >= 0) { change({ life: at.life }); this.fit() } })
		this.listenOverview()
	}
	listenOverview() {
		const o = this.overview, x = e => e.clientX - o.getBoundingClientRect().left
		let drag = null
		o.addEventListener('pointerdown', e => {
			if (!this.lives) return
			o.setPointerCapture(e.pointerId)
			const v = this.overviewValue(x(e)), inside = v >= view.from && v <= view.to && !isWhole()
			drag = { v, inside, from: view.from, to: view.to, moved: false }
		})
		o.addEventListener('pointermove', e => {
			if (!drag) return
			const v = this.overviewValue(x(e))
			drag.moved = drag.moved || Math.abs(this.overviewX(v) - this.overviewX(drag.v)) > 3
			if (!drag.moved) return
			if (drag.inside) this.look(drag.from + v - drag.v, drag.to + v - drag.v)
			else this.look(Math.min(v, drag.v), Math.max(v, drag.v))
		})
		o.addEventListener('pointerup', () => {
			if (drag && !drag.moved) { const half = (view.to - view.from) / 2; this.look(drag.v - half, drag.v + half) }
			drag = null
			this.draw()
		})
		o.addEventListener('pointercancel', () => { drag = null })
	}
	startPinch() {
		const [a, b] = [...this.pointers.values()]
		this.drag = null
		this.pinch = { at: this.valueAt((a.x + b.x) / 2), apart: Math.max(20, Math.abs(a.x - b.x)), span: view.to - view.from }
	}
	movePinch() {
		const [a, b] = [...this.pointers.values()], span = this.pinch.span * this.pinch.apart / Math.max(20, Math.abs(a.x - b.x))
		const from = this.pinch.at - ((a.x + b.x) / 2 - this.plot.x) / this.plot.w * span
		this.look(from, from + span)
	}
	moveDrag(p) {
		const d = this.drag, dx = p.x - d.start.x, dy = p.y - d.start.y
		d.moved = d.moved || Math.hypot(dx, dy) > 4
		if (!d.moved) return
		if (d.marking) return this.markBetween(d.start.x, p.x)
		const by = -dx / this.plot.w * (d.to - d.from)
		this.look(d.from + by, d.to + by)
		if (d.high - d.low < this.top) {
			const up = dy / this.plot.h * (d.high - d.low)
			this.lookBytes(d.low + up, d.high + up)
		}
	}
	markBetween(a, b) {
		const clamp = x => Math.max(this.plot.x, Math.min(x, this.plot.x + this.plot.w))
		const [first, last] = [a, b].map(clamp).map(x => this.eventOfValue(this.valueAt(x))).sort((x, y) => x - y)
		if (last > first) change({ span: [first, last] })
	}
	setMarking(on) {
		this.marking = on
		part('mark').setAttribute('aria-pressed', on)
		this.canvas.style.cursor = on ? 'col-resize' : ''
	}
	choose(p) {
		if (p.x < this.plot.x) return
		const near = this.shown.device.failures.find(f => Math.abs(this.xOf(this.valueOfEvent(f.idx) + (view.axis === 'event' ? 0.5 : 0)) - p.x) < 5)
		const at = this.at(p)
		change({ moment: near ? near.idx : at.event, life: at.life, tab: view.tab === 'span' || view.tab === 'compare' ? view.tab : 'moment' })
	}
	hoverAt(p) {
		this.hover = p
		if (this.hoverAsked) return
		this.hoverAsked = requestAnimationFrame(() => {
			this.hoverAsked = 0
			if (!this.hover || !this.lives || this.hover.x < this.plot.x || this.hover.x > this.plot.x + this.plot.w) return this.hideTip()
			this.showTip(this.hover, this.at(this.hover))
		})
	}
	hideTip() { this.tip.hidden = true }
	showTip(p, at) {
		fill(this.tip, tipOf(this.shown, at, this.columnAt(p), this.annotationsAt(p)))
		this.tip.hidden = false
		placeTip(this.tip, this.canvas, p)
		tellStack(this.shown, at.life, this.tip, () => placeTip(this.tip, this.canvas, this.hover || p))
	}
	annotationsAt(p) { return this.shown.device.annotations.filter(a => a.idx >= 0 && Math.abs(this.xOf(this.valueOfEvent(a.idx)) - p.x) < 4) }
	columnAt(p) {
		const i = Math.floor((p.x - this.plot.x) / this.plot.w * (this.columns?.passed.length || 0))
		return this.columns && this.columns.passed[i] ? { passed: this.columns.passed[i], bytes: this.columns.passedBytes[i] } : null
	}
}

const isWhole = () => { const t = current()?.timeline; return !t || (view.from <= t.begin && view.to >= t.finish) }

function hexOf(color) {
	if (/^#[0-9a-f]{6}$/i.test(color)) return color
	const n = (color.match(/\d+/g) || [255, 255, 255]).map(Number)
	return '#' + n.slice(0, 3).map(v => v.toString(16).padStart(2, '0')).join('')
}

// A tip beside a point of a canvas, inside the window.
function placeTip(tip, canvas, p) {
	const host = tip.offsetParent.getBoundingClientRect(), at = canvas.getBoundingClientRect()
	const x = at.left + p.x - host.left, w = tip.offsetWidth, h = tip.offsetHeight
	tip.style.left = Math.max(0, x + 14 + w > host.width ? x - w - 14 : x + 14) + 'px'
	const y = at.top + p.y - host.top + 14
	tip.style.top = (at.top + p.y + 14 + h > window.innerHeight ? y - h - 28 : y) + 'px'
}
