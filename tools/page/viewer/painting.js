// The bands as last painted: painted anew for some milliseconds of each frame; until that is done the one before stands in, stretched.
const MOVING = 9, RESTING = 45, FIRST = 60	// milliseconds of a frame
const COARSE = 4	// columns of the very first picture that are one for now
const REST = 70	// milliseconds without a movement

class Painting {
	constructor(timeline) {
		this.timeline = timeline
		this.picture = document.createElement('canvas')
		this.image = this.columns = null
		this.forget()
	}
	forget() { this.at = this.job = null }	// at: what the picture shows
	// What the view wants painted.
	get wanted() {
		const { plot, ratio } = this.timeline
		return { from: view.from, to: view.to, low: view.low, high: view.high, axis: view.axis, w: plot.w, h: plot.h, ratio, wide: 1 }
	}
	get done() { const { at, wanted } = this; return at !== null && Object.keys(wanted).every(k => at[k] === wanted[k]) }
	// What Bands told of the columns, where they are those of the view; null: not yet.
	get columnsNow() { return this.at && this.at.from === view.from && this.at.to === view.to ? this.columns : null }
	draw(c) {
		if (!this.done) this.paintSome()
		this.timeline.canvas.setAttribute('aria-busy', String(!this.done))
		if (!this.at) return this.drawShape(c)
		const { timeline, at } = this, { plot } = timeline, x = timeline.xOf(at.from), y = timeline.yOf(at.high)
		c.save()
		c.beginPath()
		c.rect(plot.x, plot.y, plot.w, plot.h)
		c.clip()
		c.imageSmoothingEnabled = false
		c.drawImage(this.picture, x, y, timeline.xOf(at.to) - x, timeline.yOf(at.low) - y)
		c.restore()
	}
	// What stands in for the very first picture while it is painted.
	drawShape(c) {
		const t = this.timeline, { plot } = t, { allocated } = t.lives
		c.fillStyle = styled('cache')
		for (let x = 0; x < plot.w; x++) {
			const from = t.eventOfValue(t.valueAt(plot.x + x)), to = t.eventOfValue(t.valueAt(plot.x + x + 1))
			if (to < 0) continue
			const y = Math.max(plot.y, t.yOf(allocated.values.at(allocated.between(Math.max(0, Math.min(from, to)), to))))
			if (y < plot.y + plot.h) c.fillRect(plot.x + x, y, 1, plot.y + plot.h - y)
		}
	}
	// More at a time while nothing moves. The very first picture is on the screen before anything else is drawn (timeline.js).
	paintSome() {
		if (!this.job) this.begin()
		const { timeline, at } = this, rests = performance.now() - timeline.movedAt > REST
		if (timeline.bands.run(this.job, !at ? FIRST : rests ? RESTING : MOVING)) this.take()
		if (!this.done && (timeline.pictured || !this.at)) timeline.draw()
	}
	begin(wide = this.at || this.timeline.pictured ? 1 : COARSE) {
		const { timeline } = this, { plot, ratio } = timeline, { from, to, axis } = view, span = to - from
		const w = Math.max(1, Math.round(plot.w * ratio)), h = Math.max(1, Math.round(plot.h * ratio))
		if (this.image?.width !== w || this.image.height !== h) this.image = new ImageData(w, h)
		const scale = { low: view.low, high: view.high, eventOf: x => timeline.eventOfValue(from + x / w * span - (axis === 'event' ? 1e-9 : 0)) }
		this.job = timeline.bands.begin(this.image, scale, pixel(rgbOf(hexOf(styled('paper')))), wide)
		this.job.at = { ...this.wanted, wide }
	}
	take() {
		const { image, columns, at } = this.job
		this.job = null
		if (this.picture.width !== image.width || this.picture.height !== image.height) Object.assign(this.picture, { width: image.width, height: image.height })
		this.picture.getContext('2d').putImageData(image, 0, 0)
		Object.assign(this, { columns, at })
	}
	// To the end, at once: for what is saved or printed.
	now() {
		this.forget()
		this.begin(1)
		this.timeline.bands.run(this.job, Infinity)
		this.take()
	}
}
