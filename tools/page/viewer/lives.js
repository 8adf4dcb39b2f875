// The allocations of a device as the analyzer gives them, a row each in order of birth, and what each event begins or ends.
const LIFE_COLUMNS = ['birth', 'freed', 'death', 'address', 'size', 'holder', 'stream', 'pool', 'category']	// of the analyzer's
const CURVE_COLUMNS = ['time_us', 'allocated', 'reserved']
const BORN = 0, FREED = 1, GONE = 2, FREED_AND_GONE = 3

// Where the greatest of a range of values is, without looking at each: the greatest of 64, of 64 × 64 are kept.
class Peaks {
	constructor(values) {
		this.values = values
		this.levels = []
		for (let below = null, n = values.length; n > 64;) {
			n = Math.ceil(n / 64)
			const level = new Int32Array(n), told = below ? null : values.most	// a packed column knows where
			for (let i = 0; i < n; i++) level[i] = told ? i * 64 + told[i] : this.scan(below, i * 64, Math.min(i * 64 + 63, (below ? below.length : values.length) - 1))
			this.levels.push(level)
			below = level
		}
	}
	// The first index of the greatest value among entries first … last of a level (null: the values themselves).
	scan(level, first, last) {
		const { values } = this
		if (!level && ArrayBuffer.isView(values)) return firstMost(values, first, last)
		let best = level ? level[first] : first, most = values.at(best)
		for (let i = first + 1; i <= last; i++) {
			const at = level ? level[i] : i, value = values.at(at)
			if (value > most) { best = at; most = value }
		}
		return best
	}
	// Of first … last, both included.
	between(first, last) {
		let best = first, most = this.values.at(first)
		const take = (level, a, b) => {
			if (b < a) return
			const at = this.scan(level, a, b), value = this.values.at(at)
			if (value > most || (value === most && at < best)) { best = at; most = value }
		}
		let level = null
		for (const above of [...this.levels, null]) {
			const a = Math.ceil(first / 64), b = Math.floor((last + 1) / 64) - 1
			if (!above || a > b) { take(level, first, last); break }
			take(level, first, a * 64 - 1)
			take(level, (b + 1) * 64, last)
			first = a
			last = b
			level = above
		}
		return best
	}
}

function firstMost(values, first, last) {
	let best = first, most = values[first]
	for (let i = first + 1; i <= last; i++) if (values[i] > most) most = values[best = i]
	return best
}

// Whether no value is unknown or below the one before.
function rises(values) {
	for (let i = 0; i < values.length; i++) if (!(values[i] >= (i ? values[i - 1] : -Infinity))) return false
	return true
}

class Lives {
	// columns: birth, freed, death (events; birth -1: before the recording; freed, death -1: never), size …; curve: a row an event.
	constructor(columns, curve) {
		for (const name of LIFE_COLUMNS) this[name] = columns[name]
		this.n = columns.birth.length
		this.curve = curve
		this.events = curve.allocated.length
		this.findChanges()
		this.findMost()
	}
	// change[e]: life * 4 + what event e does to it; -1: nothing.
	findChanges() {
		this.change = new Int32Array(this.events).fill(-1)
		this.before = 0
		for (let i = 0; i < this.n; i++) {
			const { birth, freed, death } = this
			if (birth[i] >= 0) this.change[birth[i]] = i * 4 + BORN
			else this.before++
			if (freed[i] >= 0 && freed[i] !== death[i]) this.change[freed[i]] = i * 4 + FREED
			if (death[i] >= 0) this.change[death[i]] = i * 4 + (freed[i] === death[i] || freed[i] < 0 ? FREED_AND_GONE : GONE)
		}
	}
	findMost() {
		this.allocated = new Peaks(this.curve.allocated)
		this.reserved = new Peaks(this.curve.reserved)
		const most = peaks => peaks.values.length ? peaks.values.at(peaks.between(0, peaks.values.length - 1)) : 0
		this.most = Math.max(most(this.allocated), most(this.reserved))
		const { time } = this.curve
		this.timed = this.events > 1 && (time.rising ?? rises(time)) && time.at(0) >= 0 && time.at(this.events - 1) > time.at(0)
	}
	// The event in (after, until] after which most is allocated; after itself where there is none.
	mostBetween(after, until) { return until <= after ? after : this.allocated.between(after + 1, until) }
	// Whether a life is there after an event (allocated, or freed and waiting).
	livesAt(i, event) { return this.birth[i] <= event && (this.death[i] < 0 || this.death[i] > event) }
	pendingAt(i, event) { return this.livesAt(i, event) && this.freed[i] >= 0 && this.freed[i] <= event }
	// By column, of which ends has the last events: the most that blocks take after an event of it while some wait for another stream, these among
	// them; 0 where none waits. Where columns have many events, a lone wait that ends with the next event does not count.
	mostHeld(ends) {
		const { change, size, curve } = this, most = new Float64Array(ends.length), narrow = ends.length >= this.events
		for (let x = 0, e = 0, waits = 0; x < ends.length; x++) {
			if (x && ends[x] === ends[x - 1]) { most[x] = most[x - 1]; continue }
			for (; e <= ends[x] && e < this.events; e++) {
				const what = change[e], kind = what < 0 ? BORN : what & 3, bytes = what < 0 ? 0 : size.at(what >> 2)
				if (kind === FREED) waits += bytes
				if (kind === GONE) waits -= bytes
				const lone = !narrow && kind === FREED && waits === bytes && change[e + 1] === what - FREED + GONE
				if (waits > 0 && !lone) most[x] = Math.max(most[x], curve.allocated.at(e) + waits)
			}
		}
		return most
	}
	end(i) { return this.death[i] < 0 ? this.events : this.death[i] }
	// The life with that address and birth; -1 none.
	find(address, birth) {
		if (birth >= 0) {
			const c = birth < this.events ? this.change[birth] : -1
			return c >= 0 && (c & 3) === BORN && this.address.at(c >> 2) === address ? c >> 2 : -1
		}
		for (let i = 0; i < this.before; i++) if (this.address.at(i) === address) return i
		return -1
	}
	// The last event that is not later than a time.
	eventAt(time) {
		let low = 0, high = this.events
		while (low < high) {
			const middle = (low + high) >> 1
			if (this.curve.time.at(middle) <= time) low = middle + 1
			else high = middle
		}
		return low - 1
	}
}
