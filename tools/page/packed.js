// A long column of whole numbers in a few bytes each: by 64 of them the least and, as narrow as they allow, how far the others are above it, in
// bytes or in 512 of them. Packed in a worker, read in the page; .at(i) is a typed array's. What is looked for in all of it is found while it is
// packed: most, the first place of the greatest of each 64; rising, whether no value is unknown or below the one before.
const RAW = 4, IN_512 = 8, POOLS = [null, Uint8Array, Uint16Array, Uint32Array, Float64Array], MOST_OF = [1, 2 ** 8, 2 ** 16, 2 ** 32, Infinity]

class Packed {
	// what: {length, base, how, start, most, rising, u8, u16, u32, f64}, as a Packer made it
	constructor(what) {
		Object.assign(this, what)
		this.pools = [null, this.u8, this.u16, this.u32, this.f64]
	}
	at(i) {
		const block = i >> 6, how = this.how[block], width = how & 7
		return width ? this.base[block] + (how & IN_512 ? 512 : 1) * this.pools[width][this.start[block] + (i & 63)] : this.base[block]
	}
}

function widthOf(span) {
	let width = 0
	while (span >= MOST_OF[width]) width++
	return width
}

// The array, or a longer one with what it has.
function grown(array, n) {
	if (n <= array.length) return array
	const longer = new array.constructor(Math.max(n, array.length + (array.length >> 1)))
	longer.set(array)
	return longer
}

class Packer {
	constructor() {
		this.length = 0
		this.blocks = { base: new Float64Array(64), how: new Uint8Array(64), start: new Uint32Array(64), most: new Uint8Array(64) }
		this.last = -Infinity
		this.rising = true
		this.used = [0, 0, 0, 0, 0]
		this.pools = POOLS.map(pool => pool && new pool(1024))
	}
	// More of the column: all but the last of these are multiples of 64.
	put(values) {
		const first = this.length >> 6, count = first + ((values.length + 63) >> 6)
		for (const name in this.blocks) this.blocks[name] = grown(this.blocks[name], count)
		for (let i = 0; i < values.length; i += 64) this.putBlock(values, i, Math.min(i + 64, values.length), first + (i >> 6))
		this.length += values.length
	}
	putBlock(values, first, end, block) {
		let least = Infinity, top = values[first], most = first, known = true, rises = true, last = this.last, bits = 0
		for (let i = first; i < end; i++) {
			const v = values[i]
			if (v !== v) known = false
			if (v < least) least = v
			if (v > top) { top = v; most = i }
			if (!(v >= last)) rises = false
			last = v
		}
		this.last = last
		this.rising &&= rises
		known &&= least >= Number.MIN_SAFE_INTEGER && top <= Number.MAX_SAFE_INTEGER
		for (let i = first; i < end && known; i++) bits |= values[i] - least	// the lowest 32 of each
		const unit = known && (bits & 511) === 0 ? 512 : 1, width = known ? widthOf((top - least) / unit) : RAW
		const { base, how, start } = this.blocks
		how[block] = width | (width !== RAW && unit === 512 ? IN_512 : 0)
		base[block] = width === RAW ? 0 : least
		this.blocks.most[block] = most - first
		if (!width) return
		let to = start[block] = this.room(width, end - first)
		const pool = this.pools[width], from = base[block], share = width === RAW ? 1 : 1 / unit
		for (let i = first; i < end; i++) pool[to++] = (values[i] - from) * share
	}
	// Where so many more go.
	room(width, n) {
		const at = this.used[width]
		this.used[width] += n
		this.pools[width] = grown(this.pools[width], this.used[width])
		return at
	}
	// For a message: typed arrays of their own.
	get packed() {
		const [, u8, u16, u32, f64] = this.pools.map((pool, width) => pool && pool.slice(0, this.used[width])), n = (this.length + 63) >> 6, { base, how, start, most } = this.blocks
		return { length: this.length, base: base.slice(0, n), how: how.slice(0, n), start: start.slice(0, n), most: most.slice(0, n), rising: this.rising, u8, u16, u32, f64 }
	}
}
