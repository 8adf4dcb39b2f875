// Mouse, fingers and pen on memory over time: Ctrl and wheel or a pinch zooms, a drag moves or marks a span, a click chooses, a rest tells.
// The wheel alone is the page's, as Perfetto's is: whoever scrolls past the picture is not held in it.
class Pointers {
	constructor(timeline) {
		this.timeline = timeline
		this.canvas = timeline.canvas
		this.tip = part('tip')
		this.down = new Map()	// by pointer: where it is
		this.hover = null
		this.listen()
	}
	point(e) { const r = this.canvas.getBoundingClientRect(); return { x: e.clientX - r.left, y: e.clientY - r.top } }
	listen() {
		const c = this.canvas, on = (name, f) => c.addEventListener(name, e => { if (this.timeline.lives) f(this.point(e), e) }, { passive: false })
		on('wheel', (p, e) => this.wheel(p, e))
		on('pointerdown', (p, e) => this.press(p, e))
		on('pointermove', (p, e) => this.move(p, e))
		on('pointerup', (p, e) => this.release(p, e))
		on('pointercancel', (p, e) => this.release(p, e))
		on('pointerleave', () => { this.hover = null; this.hideTip() })
		on('dblclick', () => { if (view.life >= 0) this.timeline.fit() })
	}
	wheel(p, e) {
		const t = this.timeline, amount = Math.max(-0.5, Math.min(0.5, (e.deltaY || e.deltaX) / 300)), before = { ...view }
		const zooms = e.ctrlKey || e.metaKey || this.down.size > 0, sideways = Math.abs(e.deltaX) > Math.abs(e.deltaY)
		if (e.shiftKey || (zooms && p.x < t.plot.x)) t.zoomBytes(2 ** amount, p.y)
		else if (zooms) t.zoom(2 ** (amount * 2), p.x)
		else if (sideways) t.pan(e.deltaX / t.plot.w)
		else return
		// Where the picture cannot go further, the page scrolls on; of Ctrl the browser would make a zoom of the whole page.
		if (zooms || ['from', 'to', 'low', 'high'].some(k => view[k] !== before[k])) e.preventDefault()
	}
	press(p, e) {
		if (e.button > 0) return
		const { plot } = this.timeline
		this.canvas.setPointerCapture(e.pointerId)
		this.down.set(e.pointerId, p)
		this.hideTip()
		if (this.down.size > 1) this.startPinch()
		else this.drag = { start: p, from: view.from, to: view.to, low: view.low, high: view.high, marking: e.shiftKey || this.marking || p.y > plot.y + plot.h, moved: false }
	}
	move(p, e) {
		if (!this.down.has(e.pointerId)) return restsSince(e) ? undefined : this.hoverAt(p)
		this.down.set(e.pointerId, p)
		if (this.down.size === 2) this.movePinch()
		else if (this.drag) this.moveDrag(p)
	}
	release(p, e) {
		if (!this.down.delete(e.pointerId)) return
		const { drag } = this
		if (!this.down.size) this.drag = this.pinch = null
		this.timeline.draw()
		if (drag && !drag.moved && !this.pinch && e.type === 'pointerup') {
			this.hover = null
			endTip(this.tip, e)
			this.choose(p)
		}
		if (drag && drag.moved && drag.marking) { this.setMarking(false); if (view.span) change({ tab: 'span' }) }
	}
	startPinch() {
		const [a, b] = [...this.down.values()]
		this.drag = null
		this.pinch = { at: this.timeline.valueAt((a.x + b.x) / 2), apart: Math.max(20, Math.abs(a.x - b.x)), span: view.to - view.from }
	}
	movePinch() {
		const { plot } = this.timeline, [a, b] = [...this.down.values()], span = this.pinch.span * this.pinch.apart / Math.max(20, Math.abs(a.x - b.x))
		const from = this.pinch.at - ((a.x + b.x) / 2 - plot.x) / plot.w * span
		this.timeline.look(from, from + span)
	}
	moveDrag(p) {
		const t = this.timeline, d = this.drag, dx = p.x - d.start.x, dy = p.y - d.start.y
		d.moved = d.moved || Math.hypot(dx, dy) > 4
		if (!d.moved) return
		if (d.marking) return this.markBetween(d.start.x, p.x)
		const by = -dx / t.plot.w * (d.to - d.from)
		t.look(d.from + by, d.to + by)
		if (d.high - d.low < t.top) {
			const up = dy / t.plot.h * (d.high - d.low)
			t.lookBytes(d.low + up, d.high + up)
		}
	}
	markBetween(a, b) {
		const t = this.timeline, clamp = x => Math.max(t.plot.x, Math.min(x, t.plot.x + t.plot.w))
		const [first, last] = [a, b].map(clamp).map(x => t.eventOfValue(t.valueAt(x))).sort((x, y) => x - y)
		if (last > first) change({ span: [first, last] })
	}
	setMarking(on) {
		this.marking = on
		part('mark').setAttribute('aria-pressed', on)
		this.canvas.style.cursor = on ? 'col-resize' : ''
	}
	choose(p) {
		const t = this.timeline
		if (p.x < t.plot.x) return
		// The second of two clicks is of the block of the first, wherever the picture is by then: a card has opened beside it.
		const again = performance.now() - this.chosenAt < 400
		this.chosenAt = performance.now()
		if (again && view.life >= 0) return
		const near = failedEvents(t.shown.device).find(f => Math.abs(t.xOfEvent(f.idx) - p.x) < 5), at = t.at(p)
		change({ moment: near ? near.idx : at.event, life: at.life, tab: view.tab === 'span' || view.tab === 'compare' ? view.tab : 'moment' })
	}
	hoverAt(p) {
		this.hover = p
		if (this.hoverAsked) return
		this.hoverAsked = requestAnimationFrame(() => {
			this.hoverAsked = 0
			const { lives, plot } = this.timeline
			if (!this.hover || !lives || this.hover.x < plot.x || this.hover.x > plot.x + plot.w) return this.hideTip()
			this.showTip(this.hover)
		})
	}
	hideTip() { this.tip.hidden = true }
	showTip(p) {
		const t = this.timeline, at = t.at(p)
		const { annotations } = t.shown.device, near = p.y > t.plot.y + t.plot.h ? 9 : 4	// a tick is thin
		fill(this.tip, tipOf(t.shown, at, this.columnAt(p), annotations.filter(a => a.idx !== null && Math.abs(t.xOf(t.valueOfEvent(a.idx)) - p.x) < near), phasesAt(annotations, at.event)))
		this.tip.hidden = false
		placeTip(this.tip, this.canvas, p)
		tellStack(t.shown, at.life, this.tip, () => placeTip(this.tip, this.canvas, this.hover || p))
	}
	// What came and went in the pixel column of a point.
	columnAt(p) {
		const { plot, painting } = this.timeline, c = painting.columnsNow, i = c ? Math.floor((p.x - plot.x) / plot.w * c.passed.length) : 0
		return c?.passed[i] ? { passed: c.passed[i], bytes: c.passedBytes[i] } : null
	}
}
