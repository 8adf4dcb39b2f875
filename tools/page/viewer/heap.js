// How wide bars of so many bytes are: to the scale of what lies below them, or where one would not have room, all to a smaller one.
function barWidths(bytes, perPixel, most) {
	const scale = Math.max(perPixel, Math.max(...bytes) / most)
	return { scale, widths: bytes.map(b => b / scale) }
}

// The heap at a moment: every byte of its segments in rows that wrap, blocks as in the bands, what is thinner than a pixel merged.
const HEAP_ROW = 14, HEAP_PITCH = 18, HEAP_GAP = 3, HEAP_LEFT = 4, HEAP_BAR = 18

class HeapMap {
	constructor(host, name) {
		this.canvas = element('canvas', { class: 'heap', tabindex: '0', role: 'img', 'aria-label': name })
		this.spacer = element('div', { class: 'heap-space' }, this.canvas)
		this.box = element('div', { class: 'heap-box' }, this.spacer)
		this.scaleText = element('span', { class: 'remark' })
		this.tools = element('div', { class: 'tools' },
			button('−', 'smaller: more bytes a pixel', () => this.setShift(this.shift + 1)), button('+', 'larger: fewer bytes a pixel', () => this.setShift(this.shift - 1)), button('fit', 'the whole heap', () => this.setShift(null)), this.scaleText)
		this.note = element('p', { class: 'remark' })
		append(host, [this.tools, this.box, this.note])
		this.tip = part('tip')
		this.draw = onceAFrame(() => this.drawNow())
		this.box.addEventListener('scroll', this.draw)
		new ResizeObserver(() => { if (this.heap) { this.plan(); this.draw() } }).observe(this.box)
		this.listen()
	}
	// heap: the answer to `heap`; request: what failed then, as `moment` tells it, or null.
	show(shown, heap, request) {
		this.shown = shown
		this.heap = heap
		this.request = request
		this.shift = null	// so many bytes a pixel as a power of two; fitted: not chosen by the reader, but so that the heap has room
		this.fitted = true
		this.index()
		this.plan()
		this.canvas.setAttribute('aria-description', this.ruler.map(r => r.text).join('; '))
		this.draw()
	}
	// Blocks by segment, ascending by address.
	index() {
		const { segments, blocks } = this.heap, n = segments.address.length
		this.order = Array.from({ length: n }, (_, i) => i).sort((a, b) => segments.address[a] - segments.address[b])
		this.first = new Uint32Array(n + 1)
		for (let b = 0; b < blocks.address.length; b++) this.first[blocks.segment[b] + 1]++
		for (let i = 0; i < n; i++) this.first[i + 1] += this.first[i]
		const at = this.first.slice()
		this.bySegment = new Uint32Array(blocks.address.length)
		for (let b = 0; b < blocks.address.length; b++) this.bySegment[at[blocks.segment[b]]++] = b
		for (let i = 0; i < n; i++) this.bySegment.subarray(this.first[i], this.first[i + 1]).sort((a, b) => blocks.address[a] - blocks.address[b])
		this.whole = segments.size.reduce((all, s) => all + s, 0)
		// The largest holes: that the request may use (without one: of all), and that it may not.
		this.hole = this.other = -1
		const larger = (b, than) => than < 0 || blocks.size[b] > blocks.size[than]
		for (let b = 0; b < blocks.address.length; b++) {
			if (blocks.state[b] !== 2) continue
			if (!this.request || this.request.segments[blocks.segment[b]] === 'same') { if (larger(b, this.hole)) this.hole = b } else if (larger(b, this.other)) this.other = b
		}
		if (this.other >= 0 && !larger(this.other, this.hole)) this.other = -1
	}
	// The request beside the largest holes; short: where there is no room for the text.
	get ruler() {
		const { request } = this, { blocks } = this.heap, rows = request ? [{ bytes: request.bytes, request: true, text: 'request: ' + sizeText(request.bytes), short: 'request: ' + sizeText(request.bytes) }] : []
		const hole = (b, text) => rows.push({ bytes: blocks.size[b], text: `${text}: ${sizeText(blocks.size[b])}` + (request ? ', ' + this.why(b) : ''), short: `hole: ${sizeText(blocks.size[b])}` + (request ? ', ' + this.why(b).replace(/, the request .*/, '') : '') })
		if (this.hole >= 0) hole(this.hole, request ? 'largest hole that it may use' : 'largest hole')
		else if (request) rows.push({ bytes: 0, text: 'there is no hole that it may use', short: 'no hole that it may use' })
		if (this.other >= 0) hole(this.other, 'larger, but not for it')
		return rows
	}
	// Why the request may not use a free block, by the analyzer's word for its segment; '' without a request.
	why(b) {
		const { request } = this, { blocks, segments } = this.heap, s = blocks.segment[b], lack = request?.bytes - blocks.size[b]
		if (!request) return ''
		switch (request.segments[s]) {
		case 'other_pool': return `of ${thePool(this.poolOf(s))}, the request is of ${thePool(request.pool_id)}`
		case 'other_stream': return `of stream ${this.streamOf(s)}, the request is of stream ${request.stream}`
		case 'other_class': return `in the ${this.classOf(s)}the request is for the ${request.pool} pool`
		default: return lack > 0 ? `too small by ${sizeText(lack)}` : 'large enough for the request'
		}
	}
	streamOf(s) { return this.shown.device.streams[this.heap.segments.stream[s]] ?? 'unknown' }
	classOf(s) { return ['small pool, ', 'large pool, ', ''][this.heap.segments.large[s]] }
	poolOf(s) { return this.shown.device.pools[this.heap.segments.pool[s]] ?? 'unknown' }
	// The chosen block in this recording: by address and birth where it is another than the one that is shown.
	get chosen() {
		const shown = current()
		if (view.life < 0 || !shown?.lives) return -1
		return this.shown === shown ? view.life : this.shown.lives.find(shown.lives.address.at(view.life), shown.lives.birth[view.life])
	}
	setShift(shift) { this.fitted = shift === null; this.shift = shift === null ? null : Math.max(6, Math.min(44, shift)); this.plan(); this.draw() }
	// Where each segment begins, in pixels from the first row on; the finest scale that needs at most 22 rows, or as many as there are blocks.
	plan() {
		const width = this.width = Math.max(60, this.box.clientWidth - 2 * HEAP_LEFT - 2), { segments } = this.heap
		const place = shift => {
			const starts = new Float64Array(segments.address.length)
			let at = 0
			for (const s of this.order) {
				const pixels = Math.max(1, Math.ceil(segments.size[s] / 2 ** shift))
				// A segment that does not fit into what is left of a row begins the next one, where that costs little.
				const left = width - at % width
				if (pixels > left && left < width && (left < 40 || pixels <= width)) at += left
				starts[s] = at
				at += pixels + HEAP_GAP
			}
			return { starts, rows: Math.max(1, Math.ceil(at / width)) }
		}
		if (this.fitted) {
			let shift = Math.max(6, Math.floor(Math.log2(this.whole / (22 * width) || 1)) - 1)
			const most = Math.max(1, Math.min(22, this.heap.blocks.address.length))
			while (place(shift).rows > most && shift < 44) shift++
			this.shift = shift
		}
		const { starts, rows } = place(this.shift)
		this.starts = starts
		this.rows = Math.min(rows, 1500000)
		this.head = 4 + this.ruler.length * (HEAP_BAR + 4) + 4
		// A row is shown whole or not at all.
		const most = matchMedia('(max-width: 640px)').matches ? 330 : 484
		this.box.style.maxHeight = this.head + Math.floor((most - this.head) / HEAP_PITCH) * HEAP_PITCH + 2 + 'px'
		this.spacer.style.height = Math.min(this.head + this.rows * HEAP_PITCH + 4, 30e6) + 'px'
		this.scaleText.textContent = `a pixel is ${sizeText(2 ** this.shift)}, a row ${sizeText(2 ** this.shift * width)}`
		this.setHeight(Math.min(this.box.clientHeight || 420, this.head + this.rows * HEAP_PITCH + 4))
	}
	// The canvas' height in the page; kept, for in print it is scaled.
	setHeight(height) {
		this.height = height
		this.canvas.style.width = this.width + 2 * HEAP_LEFT + 'px'
		this.canvas.style.height = height + 'px'
	}
	// The pixels of a range of bytes of a segment: [first, end) in the flow.
	pixels(s, address, size) {
		const from = (address - this.heap.segments.address[s]) / 2 ** this.shift
		return [this.starts[s] + from, this.starts[s] + from + size / 2 ** this.shift]
	}
	drawNow() {
		if (!this.heap || !this.canvas.isConnected) return
		const ratio = window.devicePixelRatio || 1, w = this.width + 2 * HEAP_LEFT, h = this.height
		if (this.canvas.width !== Math.round(w * ratio) || this.canvas.height !== Math.round(h * ratio)) { this.canvas.width = Math.round(w * ratio); this.canvas.height = Math.round(h * ratio) }
		const c = this.canvas.getContext('2d'), { palette } = this.shown
		c.setTransform(ratio, 0, 0, ratio, 0, 0)
		c.fillStyle = styled('paper')
		c.fillRect(0, 0, w, h)
		this.scroll = this.box.scrollTop
		this.drawHead(c)
		const firstRow = Math.max(0, Math.floor((this.scroll - this.head) / HEAP_PITCH)), lastRow = Math.min(this.rows - 1, Math.ceil((this.scroll + h - this.head) / HEAP_PITCH))
		this.patterns = new Map()
		const { segments, blocks } = this.heap, low = firstRow * this.width, high = (lastRow + 1) * this.width
		const light = searchLight(this.shown)
		for (const s of this.order) {
			const [from, to] = this.pixels(s, segments.address[s], segments.size[s])
			if (to < low) continue
			if (from > high) break
			this.paintSegment(c, s, palette, light, low, high)
		}
		this.drawChosen(c)
	}
	// The bands' pixels of a segment: by pixel the block with most of it.
	paintSegment(c, s, palette, light, low, high) {
		const { segments, blocks } = this.heap, [from, to] = this.pixels(s, segments.address[s], segments.size[s])
		c.fillStyle = hatch(c, this.patterns, palette, { class: 'untold', rgb: '#fdfdfd', ink: '#c4b5d0', pattern: 'falling' })
		this.rect(c, from, to, false)
		let pixelAt = -1, most = 0, kind = null, run = null
		const flush = () => {
			if (pixelAt < 0) return
			if (run && run.key === kind.key && run.to === pixelAt) run.to = pixelAt + 1
			else { this.paintRun(c, run); run = { from: pixelAt, to: pixelAt + 1, key: kind.key, kind } }
		}
		const settle = () => { flush(); pixelAt = -1; most = 0; kind = null; this.paintRun(c, run); run = null }
		for (let k = this.first[s]; k < this.first[s + 1]; k++) {
			const b = this.bySegment[k], [a, z] = this.pixels(s, blocks.address[b], blocks.size[b])
			if (z < low - 1 || a > high + 1) continue
			const own = this.kindOf(b, palette, light)
			if (Math.floor(a) === Math.ceil(z) - 1) {	// inside one pixel
				const p = Math.floor(a), share = (z - a) + (own.lit ? 2 : 0)
				if (p !== pixelAt) { flush(); pixelAt = p; most = 0 }
				if (share > most) { most = share; kind = own }
				continue
			}
			settle()
			c.fillStyle = own.fill
			c.globalAlpha = own.faded ? 0.25 : 1
			this.rect(c, Math.round(a), Math.round(z), true)
			c.globalAlpha = 1
			if (z - a > 5 && blocks.state[b] !== 2) { c.fillStyle = 'rgb(0 0 0 / 0.35)'; this.rect(c, Math.round(z) - 1, Math.round(z), false) }
			if (z - a > 40) this.name(c, b, a, z, own)
		}
		settle()
		c.strokeStyle = styled('faint')
		c.lineWidth = 1
		this.outline(c, from, Math.max(to, from + 1), 0)
	}
	paintRun(c, run) {
		if (!run) return
		c.fillStyle = run.kind.fill
		c.globalAlpha = run.kind.faded ? 0.25 : 1
		this.rect(c, run.from, run.to, false)
		c.globalAlpha = 1
	}
	kindOf(b, palette, light) {
		const { blocks } = this.heap, life = blocks.life[b]
		const number = blocks.state[b] === 2 ? palette.free : blocks.state[b] === 1 ? palette.pending : life >= 0 ? palette.of[life] : palette.classes[palette.classes.length - 1].class
		const lit = light && life >= 0 && blocks.state[b] !== 2 && light[life] === 1, faded = light !== null && !lit
		return { key: number + (faded ? 1000 : 0), fill: hatch(this.canvas.getContext('2d'), this.patterns, palette, palette.byClass.get(number)), faded, lit, number }
	}
	name(c, b, a, z, own) {
		const { blocks } = this.heap, begins = [a, (Math.floor(a / this.width) + 1) * this.width].filter(x => x < z), roomAt = x => Math.min(z, (Math.floor(x / this.width) + 1) * this.width) - x - 8
		a = begins.reduce((best, x) => roomAt(best) < Math.min(160, roomAt(x)) ? x : best)	// where little of it is in its first row, in the next one
		const room = roomAt(a)
		if (room < 40) return
		const free = blocks.state[b] === 2, label = (this.shown.palette.byClass.get(own.number)?.label || '')
		const text = [free ? sizeText(blocks.size[b]) + ' free' : label ? sizeText(blocks.size[b]) + ' ' + label : '', sizeText(blocks.size[b])].find(t => t && c.measureText(t).width < room)
		if (!text) return
		const { x, y } = this.point(a)
		c.font = '11px ' + styled('font')
		c.textBaseline = 'middle'
		c.textAlign = 'left'
		const dark = luminance(rgbOf(this.shown.palette.byClass.get(own.number)?.shown || '#ffffff')) < 140
		c.fillStyle = dark && !own.faded ? '#ffffff' : scheme.matches && own.faded ? '#e6e9ec' : '#1d2126'
		if (typeof own.fill !== 'string') {	// on a pattern
			c.lineWidth = 3
			c.lineJoin = 'round'
			c.strokeStyle = this.shown.palette.byClass.get(own.number).shown
			c.strokeText(text, x + 4, y + HEAP_ROW / 2)
		}
		c.fillText(text, x + 4, y + HEAP_ROW / 2)
	}
	point(pixel) { return { x: HEAP_LEFT + pixel % this.width, y: this.head + Math.floor(pixel / this.width) * HEAP_PITCH - this.scroll } }
	// Of pixels [from, to) of the flow those of a row, [first, end) of it; null: none.
	part(from, to, row) {
		const { width } = this, a = Math.max(from, row * width) - row * width, z = Math.min(to, (row + 1) * width) - row * width
		return z > a ? [a, z] : null
	}
	// The rows in sight that pixels [from, to) of the flow lie in, each as f(y, part, the part above it, the part below it).
	eachRow(from, to, f) {
		const { width } = this, top = this.scroll - this.head - HEAP_PITCH, bottom = this.scroll - this.head + this.height
		for (let row = Math.max(Math.floor(from / width), Math.floor(top / HEAP_PITCH)); row * width < to && row * HEAP_PITCH <= bottom; row++)
			f(this.head + row * HEAP_PITCH - this.scroll, this.part(from, to, row) || [from - row * width, from - row * width + 0.5], this.part(from, to, row - 1), this.part(from, to, row + 1))
	}
	// Fills pixels [from, to) of the flow, row by row; joined: also what lies between its rows, for it is one block.
	rect(c, from, to, joined) {
		this.eachRow(from, to, (y, [a, z], above, below) => {
			c.fillRect(HEAP_LEFT + a, y, Math.max(z - a, 0.5), HEAP_ROW)
			if (joined && below && below[1] > a) c.fillRect(HEAP_LEFT + a, y + HEAP_ROW, below[1] - a, HEAP_PITCH - HEAP_ROW)
		})
	}
	// A line around pixels [from, to) of the flow, so far outside: none between rows where they lie above each other.
	outline(c, from, to, outside) {
		const g = 0.5 + outside, line = (x, y, x2, y2) => { c.moveTo(HEAP_LEFT + x, y); c.lineTo(HEAP_LEFT + x2, y2) }
		c.beginPath()
		this.eachRow(from, to, (y, [a, z], above, below) => {
			const after = above && z > above[0], before = below && below[1] > a
			line(a - g, y - g, after ? above[0] - g : z + g, y - g)
			line(before ? below[1] + g : a - g, y + HEAP_ROW + g, z + g, y + HEAP_ROW + g)
			line(a - g, y - g, a - g, before ? y + HEAP_PITCH - g : y + HEAP_ROW + g)
			line(z + g, after ? y + HEAP_ROW - HEAP_PITCH + g : y - g, z + g, y + HEAP_ROW + g)
		})
		c.stroke()
	}
	// The ruler: all its bars to one scale.
	drawHead(c) {
		const { ruler } = this, most = this.width - 4
		if (!ruler.length) return
		const { scale, widths } = barWidths(ruler.map(r => r.bytes), 2 ** this.shift, most)
		c.font = '12px ' + styled('font')
		c.textBaseline = 'middle'
		c.textAlign = 'left'
		ruler.forEach((row, i) => {
			const w = widths[i] && Math.max(2, widths[i]), top = 4 - this.scroll + i * (HEAP_BAR + 4), shape = [HEAP_LEFT + 1, top + 1, w, HEAP_BAR - 2]
			c.fillStyle = this.shown.palette.byClass.get(this.shown.palette.free)?.shown || '#f2f2f2'
			c.strokeStyle = styled(row.request ? 'accent' : 'faint')
			c.lineWidth = row.request ? 2 : 1
			c.setLineDash(row.request ? [5, 3] : [])
			if (w && !row.request) c.fillRect(...shape)
			if (w) c.strokeRect(...shape)
			c.setLineDash([])
			const smaller = row.request && scale > 2 ** this.shift, said = [...(smaller ? [row.text + ' (these bars to a smaller scale than the heap)', row.text + ' (bars to a smaller scale)'] : []), row.text, row.short], text = cut(c, said.find(t => c.measureText(t).width < most - 12) || row.short, most - 12), outside = w + 8 + c.measureText(text).width < most
			c.fillStyle = styled(row.request ? 'accent' : 'ink')
			c.fillText(text, HEAP_LEFT + (outside && w ? w + 8 : 8), top + HEAP_BAR / 2 + 1)
		})
	}
	drawChosen(c) {
		const { blocks } = this.heap
		const ring = (b, color, wide) => {
			const [a, z] = this.pixels(blocks.segment[b], blocks.address[b], blocks.size[b])
			c.strokeStyle = color
			c.lineWidth = wide
			this.outline(c, Math.floor(a), Math.max(Math.ceil(z), Math.floor(a) + 2), 1)
		}
		if (this.hole >= 0 && this.request) ring(this.hole, styled('accent'), 1)
		const b = this.chosenBlock
		if (b >= 0) ring(b, styled('link'), 3)
	}
	// Of the heap's blocks the chosen one, live or free; -1.
	get chosenBlock() {
		const { blocks } = this.heap, { chosen } = this
		if (chosen >= 0) return blocks.life.findIndex((life, b) => life === chosen && blocks.state[b] !== 2)
		return view.hole !== null && this === momentMap ? blocks.address.findIndex((a, b) => a === view.hole && blocks.state[b] === 2) : -1
	}
	// The block under a point; -1 none.
	at(p) {
		const row = Math.floor((p.y + this.scroll - this.head) / HEAP_PITCH), x = p.x - HEAP_LEFT
		if (row < 0 || row >= this.rows || x < 0 || x > this.width) return -1
		// Between two rows is what lies in both.
		const between = (p.y + this.scroll - this.head) % HEAP_PITCH > HEAP_ROW + 1 ? this.width * 2 ** this.shift : 0
		const at = row * this.width + x, { segments, blocks } = this.heap
		let low = 0, high = this.order.length
		while (low < high) { const m = (low + high) >> 1; if (this.starts[this.order[m]] <= at) low = m + 1; else high = m }
		const s = this.order[low - 1]
		if (s === undefined) return -1
		const address = segments.address[s] + (at - this.starts[s]) * 2 ** this.shift
		for (let a = this.first[s], z = this.first[s + 1]; a < z;) {
			const m = (a + z) >> 1, b = this.bySegment[m]
			if (address < blocks.address[b]) z = m
			else if (address >= blocks.address[b] + blocks.size[b]) a = m + 1
			else return address + between < blocks.address[b] + blocks.size[b] ? b : -1
		}
		return -1
	}
	// The whole heap as a picture, as high as a canvas may well be.
	async png() {
		const { height } = this
		this.setHeight(Math.min(this.head + this.rows * HEAP_PITCH + 4, 8000))
		this.drawNow()
		const blob = await new Promise(done => this.canvas.toBlob(done, 'image/png'))
		this.setHeight(height)
		this.drawNow()
		if (!blob) throw new Error('the picture is too large')
		return blob
	}
	// Scrolls to the chosen block.
	reveal() {
		const b = this.heap ? this.chosenBlock : -1
		if (b < 0) return
		const { blocks } = this.heap, y = this.head + Math.floor(this.pixels(blocks.segment[b], blocks.address[b], 0)[0] / this.width) * HEAP_PITCH
		if (y < this.box.scrollTop || y + HEAP_PITCH > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = y - this.box.clientHeight / 2
	}
	listen() {
		const c = this.canvas, point = e => { const r = c.getBoundingClientRect(); return { x: e.clientX - r.left, y: e.clientY - r.top } }
		c.addEventListener('pointermove', e => {
			if (!this.heap || e.pointerType === 'touch' || restsSince(e)) return
			const p = point(e), b = this.at(p)
			if (b < 0) { this.tip.hidden = true; return }
			fill(this.tip, this.tipOf(b))
			this.tip.hidden = false
			placeTip(this.tip, c, p)
			tellStack(this.shown, this.heap.blocks.state[b] === 2 ? -1 : this.heap.blocks.life[b], this.tip, () => placeTip(this.tip, c, p))
		})
		c.addEventListener('pointerleave', () => { this.tip.hidden = true })
		c.addEventListener('click', e => {
			endTip(this.tip, e)
			if (this.heap) this.chooseBlock(this.at(point(e)))
		})
		c.addEventListener('wheel', e => {
			if (!e.ctrlKey || !this.heap) return
			e.preventDefault()
			this.setShift(this.shift + Math.sign(e.deltaY))
		}, { passive: false })
		c.addEventListener('keydown', e => {
			const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key]
			if (!step || !this.heap) return
			e.preventDefault()
			this.step(step)
		})
	}
	choose(life) {
		const shown = current(), { lives } = this.shown
		change({ life: life < 0 || this.shown === shown ? life : shown.lives.find(lives.address.at(life), lives.birth[life]) })
	}
	// A block of this heap, -1: none. Of another heap than that of the moment holes cannot be chosen.
	chooseBlock(b) {
		const { blocks } = this.heap
		if (b >= 0 && blocks.state[b] === 2 && this === momentMap) change({ life: -1, hole: blocks.address[b] })
		else this.choose(b >= 0 && blocks.state[b] !== 2 ? blocks.life[b] : -1)
	}
	// The blocks in the order of addresses.
	get all() { return this.order.flatMap(s => Array.from(this.bySegment.subarray(this.first[s], this.first[s + 1]))) }
	step(by) {
		const { blocks } = this.heap, all = this.all.filter(b => blocks.state[b] === 2 ? this === momentMap : blocks.life[b] >= 0)
		if (!all.length) return
		const b = all[(all.indexOf(this.chosenBlock) + by + all.length) % all.length]
		this.chooseBlock(b)
		announce(`${this.nameOf(b)} at ${addressText(blocks.address[b])}`)
		this.reveal()
	}
	nameOf(b) { const { blocks } = this.heap; return sizeText(blocks.size[b]) + (blocks.state[b] === 2 ? ' free' : ', ' + this.holder(b)) }
	// What lies below and above a block in its segment: -1, nothing.
	beside(b) {
		const s = this.heap.blocks.segment[b], all = Array.from(this.bySegment.subarray(this.first[s], this.first[s + 1])), at = all.indexOf(b)
		return [all[at - 1] ?? -1, all[at + 1] ?? -1]
	}
	holder(b) { const h = this.shown.device.holders[this.heap.blocks.holder[b]]; return h ? placeText(h) : '' }
	tipOf(b) {
		const { blocks, segments } = this.heap, s = blocks.segment[b], life = blocks.life[b], free = blocks.state[b] === 2
		return [element('b', null, sizeText(blocks.size[b]) + (free ? ' free' : '')), free ? '' : ' ' + this.holder(b),
			free ? null : element('div', null, (this.shown.outline.categories[blocks.category[b]] || 'unknown').replaceAll('_', ' ') + (blocks.state[b] === 1 ? ', freed, waiting for another stream' : '') + (life >= 0 ? ', ' + lifeText(this.shown.lives, life) : '')),
			free && this.request ? element('div', null, this.why(b)) : null,
			element('div', { class: 'remark' }, `${addressText(blocks.address[b])} in a segment of ${sizeText(segments.size[s])}, stream ${this.streamOf(s)}, ${this.classOf(s)}${poolText(this.poolOf(s))}`)].filter(Boolean)
	}
}

// A fill for a class: its colour, or its pattern as the command's pictures have it.
function hatch(c, kept, palette, k) {
	if (!k) return '#bdbdbd'
	if (kept.has(k.class)) return kept.get(k.class)
	let fillStyle = k.shown || k.rgb
	if (k.pattern && k.pattern !== 'plain') {
		const tile = document.createElement('canvas')
		tile.width = tile.height = 8
		const t = tile.getContext('2d')
		t.fillStyle = k.shown || k.rgb
		t.fillRect(0, 0, 8, 8)
		t.fillStyle = k.shownInk || k.ink
		for (let y = 0; y < 8; y++) for (let x = 0; x < 8; x++) if (TILES[k.pattern]?.[y] >> (7 - x) & 1) t.fillRect(x, y, 1, 1)
		fillStyle = c.createPattern(tile, 'repeat')
	}
	kept.set(k.class, fillStyle)
	return fillStyle
}
