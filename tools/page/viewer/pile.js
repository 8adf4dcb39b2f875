// The blocks that live after an event, piled on each other in a fixed order, as a tree of sums: an event is a step of a few additions
// forwards or backwards, and what is thinner than a pixel is met as one node, however many blocks it holds.
const FAN = 8	// 2^3: a place shifted by 3 is its parent's

class Pile {
	// order: lives from the bottom up
	constructor(lives, order) {
		this.lives = lives
		this.order = order
		this.place = placesOf(order)	// where each stands in it
		this.levels = []	// sums of bytes; [0] by place
		this.lit = []	// by level: lives that a search or a choice lights
		for (let n = lives.n; ; n = Math.ceil(n / FAN)) {
			this.levels.push(new Float64Array(n))
			this.lit.push(null)
			if (n <= FAN) break
		}
		this.waiting = new Uint8Array(lives.n)	// by place: freed, not gone
		this.event = -1
		this.light = null
		for (let i = 0; i < lives.before; i++) this.add(i)
	}
	add(life) {
		this.put(this.place[life], this.lives.size[life])
		if (this.light && this.light[life]) this.putLit(this.place[life], 1)
	}
	remove(life) {
		this.put(this.place[life], -this.lives.size[life])
		if (this.light && this.light[life]) this.putLit(this.place[life], -1)
	}
	put(place, bytes) {
		const { levels } = this
		for (let level = 0, p = place; level < levels.length; level++, p >>>= 3) levels[level][p] += bytes
	}
	putLit(place, n) { for (let level = 0, p = place; level < this.lit.length; level++, p >>>= 3) this.lit[level][p] += n }
	// Goes to the moment after an event; each way costs what lies between.
	go(event) {
		const { change } = this.lives
		while (this.event < event) this.forward(change[++this.event])
		while (this.event > event) this.back(change[this.event--])
	}
	// The same until a time of performance.now(), at least for some thousand events; whether it is there.
	goUntil(event, stop) {
		for (;;) {
			this.go(Math.max(this.event - 4096, Math.min(this.event + 4096, event)))
			if (this.event === event) return true
			if (performance.now() > stop) return false
		}
	}
	// Another pile at the same moment, with nothing lit.
	copy() {
		const other = Object.create(Pile.prototype)
		return Object.assign(other, this, { levels: this.levels.map(l => l.slice()), waiting: this.waiting.slice(), lit: this.lit.map(() => null), light: null })
	}
	forward(c) {
		if (c < 0) return
		const life = c >> 2, what = c & 3
		if (what === BORN) this.add(life)
		else if (what === FREED) this.waiting[this.place[life]] = 1
		else {
			this.waiting[this.place[life]] = 0
			this.remove(life)
		}
	}
	back(c) {
		if (c < 0) return
		const life = c >> 2, what = c & 3
		if (what === BORN) this.remove(life)
		else if (what === FREED) this.waiting[this.place[life]] = 0
		else {
			this.add(life)
			if (what === GONE) this.waiting[this.place[life]] = 1
		}
	}
	// light: Uint8Array by life, 1 where it is lit; null: nothing is.
	setLight(light) {
		this.light = light
		this.lit = this.levels.map(l => light ? new Int32Array(l.length) : null)
		if (!light) return
		for (let p = 0; p < this.order.length; p++)
			if (this.levels[0][p] > 0 && light[this.order[p]]) this.putLit(p, 1)
	}
	get bytes() {
		const top = this.levels[this.levels.length - 1]
		let all = 0
		for (let i = 0; i < top.length; i++) all += top[i]
		return all
	}
	// The life at a height in bytes, {life, from} with what lies below it; null: nothing is there.
	at(height) {
		let below = 0, first = 0, level = this.levels.length - 1, count = this.levels[level].length
		if (height < 0) return null
		for (;;) {
			const sums = this.levels[level], end = Math.min(first + count, sums.length)
			let i = first
			for (; i < end && below + sums[i] <= height; i++) below += sums[i]
			if (i === end) return null
			if (!level) return { life: this.order[i], from: below }
			level--
			first = i * FAN
			count = FAN
		}
	}
	// How many bytes lie below a life.
	below(life) {
		let all = 0
		for (let level = 0, p = this.place[life]; level < this.levels.length; level++, p >>>= 3)
			for (let i = level === this.levels.length - 1 ? 0 : p >>> 3 << 3; i < p; i++) all += this.levels[level][i]
		return all
	}
	// How many blocks lie between two heights.
	count(low, high) {
		let n = 0
		this.walk(low, high, () => n++)
		return n
	}
	// Calls for each life between two heights, from the bottom; false from call ends it.
	walk(low, high, call) {
		const visit = (level, first, count, below) => {
			const sums = this.levels[level], end = Math.min(first + count, sums.length)
			for (let i = first; i < end; i++) {
				const bytes = sums[i]
				if (bytes > 0 && below + bytes > low) {
					if (below >= high) return null
					if (level) {
						if (visit(level - 1, i * FAN, FAN, below) === null) return null
					} else if (call(this.order[i], below) === false) return null
				}
				below += bytes
			}
			return below
		}
		const top = this.levels.length - 1
		visit(top, 0, this.levels[top].length, 0)
	}
}

function placesOf(order) {
	const place = new Uint32Array(order.length)
	for (let p = 0; p < order.length; p++) place[order[p]] = p
	return place
}

// Places of lives from the bottom up: by birth, or by class and then birth.
function orderOf(lives, palette, by) {
	const order = new Uint32Array(lives.n)
	if (by === 'birth') {
		for (let i = 0; i < lives.n; i++) order[i] = i
		return order
	}
	const starts = new Uint32Array(257)
	for (let i = 0; i < lives.n; i++) starts[palette.of[i] + 1]++
	for (let k = 0; k < 256; k++) starts[k + 1] += starts[k]
	for (let i = 0; i < lives.n; i++) order[starts[palette.of[i]]++] = i
	return order
}
