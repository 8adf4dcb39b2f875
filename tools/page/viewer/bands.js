// Memory over time as bands of single blocks, painted column by column: a column shows the moment of its events at which most was
// allocated; what is thinner than a pixel is merged, and the most of it gives the colour; what is lit is never merged away.

const LIT = 1, LOWEST = 2

class Bands {
	constructor(lives, palette, by) {
		this.lives = lives
		this.palette = palette
		this.pile = new Pile(lives, orderOf(lives, palette, by))
		this.asked = this.best = this.level = this.index = this.flags = this.kinds = this.looks = null
		this.height = this.low = this.perPixel = 0
	}
	// The pile after an event, for what is asked of one moment. It is a second one: the first goes along the columns that are painted,
	// and would go all the way to that moment and back in each frame.
	after(event) {
		this.asked ??= this.pile.copy()
		this.asked.go(event)
		return this.asked
	}
	// scale: {eventOf(x) the last event that is not right of pixel x, low, high in bytes}; image: an ImageData to fill. Returns the
	// columns: {event, passed, passedBytes}: passed are blocks that are born and gone inside the column and not in its moment.
	paint(image, scale, background) {
		const job = this.begin(image, scale, background)
		this.run(job, Infinity)
		return job.columns
	}
	// The same in parts: begin, then run with milliseconds to spend until it returns true. wide: so many pixels are one column.
	begin(image, scale, background, wide = 1) {
		const { width, height } = image
		this.height = height
		this.low = scale.low
		this.perPixel = (scale.high - scale.low) / height
		if (this.best?.length !== height) {
			this.best = new Float32Array(height)
			this.level = new Int8Array(height)
			this.index = new Int32Array(height)
			this.flags = new Uint8Array(height)
			this.kinds = new Uint8Array(height)
			this.looks = new Uint8Array(height)
		}
		// From the side that the pile is nearer to.
		const from = scale.eventOf(0), to = scale.eventOf(width), back = Math.abs(this.pile.event - to) < Math.abs(this.pile.event - from)
		return {
			image, scale, background, wide, pixels: new Uint32Array(image.data.buffer), x: back ? width - 1 : 0, step: back ? -1 : 1, edge: back ? to : from, painted: null, light: this.pile.light,
			columns: { event: new Int32Array(width), passed: new Uint32Array(width), passedBytes: new Float64Array(width) },
		}
	}
	run(job, milliseconds) {
		const { columns, pixels, scale, step, wide } = job, { width } = job.image, stop = performance.now() + milliseconds
		for (let n = 1; job.x >= 0 && job.x < width; job.x += step * wide, n++) {
			if ((n & 7) === 0 && performance.now() > stop) return false
			const left = step > 0 ? job.x : Math.max(0, job.x - wide + 1), right = step > 0 ? Math.min(width, job.x + wide) : job.x + 1
			const edge = scale.eventOf(step > 0 ? right : left), after = Math.min(job.edge, edge), until = Math.max(job.edge, edge)
			const event = this.lives.mostBetween(after, until)
			if (event !== job.painted) {
				if (!this.pile.goUntil(event, stop)) return false
				this.stack()
				this.settle()
			}
			const [passed, bytes] = this.passed(after, until, event)
			for (let x = left; x < right; x++) {
				columns.event[x] = event
				columns.passed[x] = passed
				columns.passedBytes[x] = bytes
				this.put(pixels, x, width, job.background)
			}
			job.painted = event
			job.edge = edge
		}
		return true
	}
	// How many blocks are born and gone inside a column and not in its moment, and their bytes.
	passed(after, until, shown) {
		const { change, death, size } = this.lives
		let n = 0, bytes = 0
		for (let e = Math.max(after + 1, 0); e <= until; e++) {
			const c = change[e]
			if (c < 0 || (c & 3) !== BORN) continue
			const life = c >> 2, gone = death[life]
			if (gone >= 0 && gone <= until && (e > shown || gone <= shown)) {
				n++
				bytes += size[life]
			}
		}
		return [n, bytes]
	}
	// One column: who has most of each pixel, a node of the pile (level, index), and flags: LIT, or LOWEST of a block by itself. A node
	// that lies in one pixel, or is thinner than a quarter of one, is not looked into, unless something in it is lit.
	stack() {
		const { best, level: levelOf, index, flags, height, low } = this, { levels, lit } = this.pile, scale = 1 / this.perPixel
		const top = levels.length - 1, next = new Int32Array(levels.length), ends = new Int32Array(levels.length)
		let level = top, i = 0, sums = levels[top], light = lit[top], end = sums.length, below = 0
		best.fill(0)
		flags.fill(0)
		for (;;) {
			if (i >= end) {
				if (++level > top) return
				i = next[level]
				end = ends[level]
				sums = levels[level]
				light = lit[level]
				continue
			}
			const bytes = sums[i]
			if (bytes === 0) { i++; continue }
			const to = (below + bytes - low) * scale
			if (to <= 0) { below += bytes; i++; continue }
			const from = (below - low) * scale
			if (from >= height) return
			const glows = light !== null && light[i] > 0, first = from > 0 ? from | 0 : 0
			if (level > 0 && (glows || (to - from >= 0.25 && (from < 0 || to > first + 1)))) {
				next[level] = i + 1
				ends[level] = end
				level--
				sums = levels[level]
				light = lit[level]
				i *= FAN
				end = i + FAN < sums.length ? i + FAN : sums.length
				continue
			}
			if (to <= first + 1 || (level > 0 && to - from < 0.25)) {
				const y = to <= first + 1 ? first : (from + to) / 2 | 0, share = to - (from > 0 ? from : 0) + (glows ? 2 : 0)
				if (y < height && share > best[y]) { best[y] = share; levelOf[y] = level; index[y] = i; flags[y] = glows ? LIT : 0 }
			} else {
				const last = to > height ? height : Math.ceil(to), lowest = to - from >= 3 && from >= 0 ? LOWEST : 0
				for (let y = first; y < last; y++) {
					const share = (to < y + 1 ? to : y + 1) - (from > y ? from : y) + (glows ? 2 : 0)
					if (share > best[y]) { best[y] = share; levelOf[y] = level; index[y] = i; flags[y] = (glows ? LIT : 0) | (y === first ? lowest : 0) }
				}
			}
			below += bytes
			i++
		}
	}
	// The nodes of a column as classes and looks: of a node its largest block.
	settle() {
		const { best, level: levelOf, index, flags, kinds, looks, height, palette } = this, { levels, order, waiting, light } = this.pile
		let levelBefore = -1, indexBefore = -1, kind = 0, look = 0
		for (let y = 0; y < height; y++) {
			if (best[y] <= 0) continue
			if (levelOf[y] !== levelBefore || index[y] !== indexBefore) {
				levelBefore = levelOf[y]
				indexBefore = index[y]
				let i = indexBefore
				for (let level = levelBefore; level > 0; level--) {
					const sums = levels[level - 1], end = Math.min(i * FAN + FAN, sums.length)
					let most = i * FAN
					for (let k = most + 1; k < end; k++) if (sums[k] > sums[most]) most = k
					i = most
				}
				kind = waiting[i] ? palette.pending : palette.of[order[i]]
				look = levelBefore > 0 ? 0 : shadeOf(order[i])
			}
			kinds[y] = kind
			looks[y] = (light && !(flags[y] & LIT) ? FADED : 0) + (flags[y] & LOWEST ? EDGE : look)
		}
	}
	put(pixels, x, width, background) {
		const { best, kinds, looks, flags, height, palette } = this, { tiles, pixels: colors } = palette
		for (let y = 0, at = (height - 1) * width + x; y < height; y++, at -= width) {
			if (best[y] <= 0) { pixels[at] = background; continue }
			const kind = kinds[y]
			pixels[at] = tiles[kind] === null || flags[y] & LIT ? colors[kind * LOOKS + looks[y]] : palette.at(kind, looks[y], x, height - 1 - y)
		}
	}
	setLight(light) { this.pile.setLight(light) }
}
