// The whole recording, small, below the picture; a frame shows the part in view: dragged it moves, beside it another part is taken.
class Overview {
	constructor(timeline) {
		this.timeline = timeline
		this.canvas = part('overview')
		this.listen()
	}
	forget() { this.painted = null }
	clear() { this.canvas.getContext('2d').clearRect(0, 0, this.canvas.width, this.canvas.height) }
	xOf(value) { const { plot, begin, finish } = this.timeline; return plot.x + (value - begin) / (finish - begin || 1) * plot.w }
	valueAt(x) { const { plot, begin, finish } = this.timeline; return begin + (x - plot.x) / plot.w * (finish - begin) }
	draw() {
		const { canvas, timeline } = this, { plot, ratio } = timeline, h = canvas.clientHeight, c = canvas.getContext('2d')
		if (canvas.clientWidth < 10 || !canvas.width) return	// where it was not there, as in print, it gets its size first
		this.painted ??= this.paint(canvas.clientWidth, h)
		c.setTransform(1, 0, 0, 1, 0, 0)
		c.drawImage(this.painted, 0, 0)
		c.setTransform(ratio, 0, 0, ratio, 0, 0)
		const a = this.xOf(view.from), b = Math.max(a + 2, this.xOf(view.to))
		c.fillStyle = styled('paper')
		c.globalAlpha = 0.65
		c.fillRect(plot.x, 0, a - plot.x, h)
		c.fillRect(b, 0, plot.x + plot.w - b, h)
		c.globalAlpha = 1
		c.strokeStyle = styled('link')
		c.lineWidth = 2
		c.strokeRect(a, 1, b - a, h - 2)
		c.fillStyle = styled('faint')
		c.font = '12px ' + styled('font')
		c.textAlign = 'right'
		c.textBaseline = 'middle'
		c.fillText('whole', plot.x - 6, h / 2)
	}
	paint(w, h) {
		const { canvas, timeline } = this, { lives, shown, ratio } = timeline, picture = document.createElement('canvas')
		picture.width = canvas.width
		picture.height = canvas.height
		const p = picture.getContext('2d')
		p.setTransform(ratio, 0, 0, ratio, 0, 0)
		p.fillStyle = styled('shade')
		p.fillRect(0, 0, w, h)
		this.paintArea(p, lives.reserved, styled('cache'), h)
		p.fillStyle = styled('waits')
		lives.mostHeld(Array.from({ length: Math.ceil(timeline.plot.w) }, (_, x) => timeline.eventOfValue(this.valueAt(timeline.plot.x + x + 1)))).forEach((bytes, x) => { const tall = bytes / (timeline.top || 1) * (h - 2); p.fillRect(timeline.plot.x + x, h - tall, 1, tall) })
		this.paintArea(p, lives.allocated, styled('use'), h)
		p.fillStyle = styled('accent')
		for (const f of failedEvents(shown.device)) p.fillRect(this.xOf(timeline.valueOfEvent(f.idx) + (view.axis === 'event' ? 0.5 : 0)) - 1, 0, 2, h)
		return picture
	}
	paintArea(p, peaks, color, h) {
		const { timeline } = this, { plot } = timeline, most = timeline.top || 1
		p.fillStyle = color
		for (let x = 0; x < plot.w; x++) {
			const [a, b] = [x, x + 1].map(at => timeline.eventOfValue(this.valueAt(plot.x + at)))
			if (b < 0) continue
			const tall = peaks.values.at(peaks.between(Math.max(0, a), b)) / most * (h - 2)
			p.fillRect(plot.x + x, h - tall, 1, tall)
		}
	}
	listen() {
		const { canvas, timeline } = this, x = e => e.clientX - canvas.getBoundingClientRect().left
		let drag = null
		canvas.addEventListener('pointerdown', e => {
			if (!timeline.lives) return
			canvas.setPointerCapture(e.pointerId)
			const v = this.valueAt(x(e)), inside = v >= view.from && v <= view.to && !isWhole()
			drag = { v, inside, from: view.from, to: view.to, moved: false }
		})
		canvas.addEventListener('pointermove', e => {
			if (!drag) return
			const v = this.valueAt(x(e))
			drag.moved = drag.moved || Math.abs(this.xOf(v) - this.xOf(drag.v)) > 3
			if (!drag.moved) return
			if (drag.inside) timeline.look(drag.from + v - drag.v, drag.to + v - drag.v)
			else timeline.look(Math.min(v, drag.v), Math.max(v, drag.v))
		})
		canvas.addEventListener('pointerup', () => {
			if (drag && !drag.moved) { const half = (view.to - view.from) / 2; timeline.look(drag.v - half, drag.v + half) }
			drag = null
			timeline.draw()
		})
		canvas.addEventListener('pointercancel', () => { drag = null })
	}
}
