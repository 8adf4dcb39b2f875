// The analyzer's interface (analyzer/api/gpusnap_analyzer.h) over the module's memory: texts in and out, columns as typed arrays.
// One engine is one instance of the module. What it throws: AnalyzerError, or WebAssembly.RuntimeError after which the engine is dead.
class AnalyzerError extends Error {
	constructor(message, code) { super(message); this.name = 'AnalyzerError'; this.code = code }
}

// The members of the structs of columns behind their counts, in order. u64 and i64 come out as Float64Array.
const COLUMNS = {
	bands: [['ncolumns', 'npieces'], [
		['idx', 'i32', 0], ['time_us', 'i64', 0], ['allocated', 'u64', 0], ['pending', 'u64', 0], ['least', 'u64', 0], ['reserved', 'u64', 0],
		['failed', 'u32', 0], ['passed', 'u32', 0], ['passed_bytes', 'u64', 0], ['first', 'u16', 1], ['last', 'u16', 1], ['bottom', 'f32', 1],
		['height', 'f32', 1], ['life', 'u32', 1], ['count', 'u32', 1], ['key', 'u32', 1], ['holder', 'u32', 1], ['category', 'u8', 1]]],
	lives: [['n'], [
		['birth', 'i32', 0], ['freed', 'i32', 0], ['death', 'i32', 0], ['address', 'u64', 0], ['size', 'u64', 0], ['holder', 'u32', 0],
		['stack', 'u32', 0], ['tag', 'u32', 0], ['step', 'i32', 0], ['stream', 'u16', 0], ['pool', 'u16', 0], ['category', 'u8', 0]]],
	heap: [['nsegments', 'nblocks', 'idx:i64', 'exact:i32'], [
		['segment_address', 'u64', 0], ['segment_size', 'u64', 0], ['segment_stream', 'u64', 0], ['segment_pool_a', 'u64', 0],
		['segment_pool_b', 'u64', 0], ['segment_large', 'u8', 0], ['segment_expandable', 'u8', 0], ['address', 'u64', 1], ['size', 'u64', 1],
		['requested', 'i64', 1], ['segment', 'u32', 1], ['life', 'i32', 1], ['stack', 'u32', 1], ['tag', 'u32', 1], ['holder', 'u32', 1],
		['state', 'u8', 1], ['category', 'u8', 1]]],
	found: [['n'], [['life', 'u32', 0]]],
	colors: [['n', 'nlegend'], [['of', 'u8', 0], ['legend', 'u8', 1]]],
	curve: [['n'], [['time_us', 'i64', 0], ['allocated', 'u64', 0], ['reserved', 'u64', 0], ['action', 'u8', 0]]],
	events: [['n'], [
		['address', 'u64', 0], ['size', 'u64', 0], ['time_us', 'i64', 0], ['stream', 'u64', 0], ['stack', 'u32', 0], ['tag', 'u32', 0],
		['action', 'u8', 0], ['allocated', 'i64', 0], ['reserved', 'i64', 0]]],
}
const BY_COLUMN = Object.fromEntries(['lives', 'curve'].map(what => [what, COLUMNS[what][1].map(([name]) => name)]))
const PART = 1 << 16	// events of a curve that are asked for at a time
const SHORT = 1 << 17	// a column of so many numbers is not worth packing
const ARRAYS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, i32: Int32Array, f32: Float32Array }
const TEXTS = ['info', 'diagnose', 'whatif', 'report']		// gpusnap_snapshot_X(handle, options, …)
const VIEWS = ['outline', 'life', 'at', 'moment', 'span', 'flame']

class Engine {
	// read(n): for a stream that is being opened, a Uint8Array of at most n bytes, empty at the end, null where reading failed; where the
	// browser can suspend WebAssembly it may be a promise of one.
	constructor(module) {
		this.wasi = new Wasi()
		this.handles = new Map()
		this.unsummed = new Map()	// by file: what its sum is to be made of
		this.canSuspend = typeof WebAssembly.Suspending === 'function' && typeof WebAssembly.promising === 'function'
		const into = (bytes, buf) => {
			if (!bytes) return -1
			this.wasi.bytes(buf, bytes.length).set(bytes)
			return bytes.length
		}
		const read = (buf, n) => {
			const bytes = this.read(n >>> 0)
			return bytes instanceof Promise ? bytes.then(b => into(b, buf)) : into(bytes, buf)
		}
		this.instance = new WebAssembly.Instance(module, {
			wasi_snapshot_preview1: this.wasi.imports(),
			page: { read: this.canSuspend ? new WebAssembly.Suspending(read) : read },
		})
		this.c = this.instance.exports
		this.wasi.attach(this.c.memory)
		this.c._initialize?.()
		this.answer = this.c.gpusnap_analyzer_alloc(1024)	// for *out and *n, and for structs of columns
	}
	get view() { return new DataView(this.c.memory.buffer) }
	get version() { return this.textAt(this.c.gpusnap_analyzer_version()) }
	get memory() { return this.c.memory.buffer.byteLength }

	textAt(at) {
		const all = new Uint8Array(this.c.memory.buffer)
		return new TextDecoder().decode(all.subarray(at >>> 0, all.indexOf(0, at >>> 0)))
	}
	bytesAt(at, n) { return new Uint8Array(this.c.memory.buffer, at >>> 0, n) }
	// Calls f with the texts in the module's memory (null: NULL); they are given back, whatever happens.
	withTexts(texts, f) {
		const at = texts.map(text => {
			if (text == null) return 0
			const bytes = new TextEncoder().encode(text), p = this.c.gpusnap_analyzer_alloc(bytes.length + 1)
			if (!p) throw new AnalyzerError('out of memory', 'failed')
			this.bytesAt(p, bytes.length).set(bytes)
			this.view.setUint8((p >>> 0) + bytes.length, 0)
			return p
		})
		const back = result => {
			at.forEach(p => p && this.c.gpusnap_analyzer_free(p))
			return result
		}
		const result = f(...at)
		return result instanceof Promise ? result.then(back) : back(result)
	}
	check(handle, status) {
		if (status) throw new AnalyzerError(this.textAt(this.c.gpusnap_snapshot_error(handle)), status === 2 ? 'usage' : 'failed')
	}
	// An answer as bytes of its own.
	take(call, handle) {
		const status = call(this.answer, this.answer + 4)
		if (handle) this.check(handle, status)
		const at = this.view.getUint32(this.answer, true), n = this.view.getUint32(this.answer + 4, true)
		const bytes = this.bytesAt(at, n).slice()
		this.c.gpusnap_analyzer_free(at)
		return bytes
	}
	handleOf(file) {
		if (!this.handles.has(file)) throw new AnalyzerError('no such file is open', 'usage')
		return this.handles.get(file)
	}

	// source: {name, size (0: not known), read(at, n)}, and where it can be read ahead chunks(): a promise of the next piece, empty at the end.
	// number: of several snapshots in a database or a page. progress(read) is called as it goes. A promise where the browser can suspend.
	open(file, source, number = 0, progress = () => {}) {
		if (source.chunks && this.canSuspend && !number) return this.openAhead(file, source, progress)
		if (number || isDatabase(source.read(0, 16))) return this.openByName(file, source, number)
		const handle = this.begin()
		this.read = inTurn(source, progress)
		this.finish(file, handle, this.withTexts([source.name], name => this.c.gpusnap_page_open(handle, BigInt(source.size), name)))
		this.unsummed.set(file, source)
	}
	async openAhead(file, source, progress) {
		const first = await source.chunks().catch(() => null)
		if (first && isDatabase(first)) return this.openByName(file, source, 0)
		const handle = this.begin(), call = WebAssembly.promising(this.c.gpusnap_page_open)
		this.read = first ? ahead(source, progress, first) : () => null
		this.finish(file, handle, await this.withTexts([source.name], name => call(handle, BigInt(source.size), name)))
		this.unsummed.set(file, source)
	}
	openByName(file, source, number) {
		const handle = this.begin(), name = source.name.replace(/^[./]+/, '') || 'file'
		this.wasi.files.set(name, source)
		this.finish(file, handle, this.withTexts(['/' + name], path => this.c.gpusnap_snapshot_open(handle, path, number)))
	}
	begin() {
		const handle = this.c.gpusnap_snapshot_new()
		if (!handle) throw new AnalyzerError('out of memory', 'failed')
		return handle
	}
	finish(file, handle, status) {
		this.read = null
		if (!status) return void this.handles.set(file, handle)
		const message = this.textAt(this.c.gpusnap_snapshot_error(handle))
		this.c.gpusnap_snapshot_close(handle)
		throw new AnalyzerError(message, 'failed')
	}
	// The bytes that came from elsewhere, where they can be read again from now on.
	whole(file, blob) {
		const source = this.unsummed.get(file)
		if (source) source.blob = blob
	}
	close(file) {
		this.c.gpusnap_snapshot_close(this.handleOf(file))
		this.handles.delete(file)
		this.unsummed.delete(file)
	}
	// The sum of a file's bytes is made when something is asked that shows it. A promise where the browser can suspend.
	needsSum(file, what, { query = '' } = {}) {
		return this.unsummed.has(file) && (what === 'info' || (what === 'query' && /\bsnapshot\b|sha256/i.test(query)))
	}
	sum(file) {
		const source = this.unsummed.get(file), suspend = source.chunks && this.canSuspend
		this.unsummed.delete(file)
		source.rewind?.()
		this.read = suspend ? ahead(source, () => {}) : inTurn(source, () => {})
		const call = suspend ? WebAssembly.promising(this.c.gpusnap_page_sum) : this.c.gpusnap_page_sum
		return call(this.handleOf(file), BigInt(source.size))
	}
	warnings(file) {
		const all = []
		for (let i = 0, at; (at = this.c.gpusnap_snapshot_warning(this.handleOf(file), i)); i++) all.push(this.textAt(at))
		return all
	}

	// What is asked of a file: texts as strings, files as Uint8Array, columns as an object of typed arrays.
	ask(file, what, options = {}) {
		if (!this.canSuspend && this.needsSum(file, what, options)) this.sum(file)
		const h = this.handleOf(file), { query, kind, other, ...rest } = options
		const given = what === 'info' ? [] : [JSON.stringify(rest)]
		const text = (f, ...before) => new TextDecoder().decode(this.withTexts([...before, ...given], (...at) =>
			this.take((out, n) => f(h, ...at, out, n), h)))
		if (what === 'queries') return new TextDecoder().decode(this.take((out, n) => this.c.gpusnap_queries(out, n)))
		if (what === 'query') return text(this.c.gpusnap_snapshot_query, query ?? '')
		if (what === 'export')
			return this.withTexts([kind ?? 'gsnap', ...given], (...at) =>
				this.take((out, n) => this.c.gpusnap_snapshot_export(h, ...at, out, n), h))
		if (what === 'diff') {
			const b = other === undefined ? h : this.handleOf(other)
			return text((a, at, out, n) => this.c.gpusnap_snapshot_diff(a, b, at, out, n))
		}
		if (TEXTS.includes(what) && this.c['gpusnap_snapshot_' + what]) return text(this.c['gpusnap_snapshot_' + what])
		if (VIEWS.includes(what)) return text(this.c.gpusnap_snapshot_timeline, what)
		if (what === 'events') return this.columns(h, 'events', at => this.c.gpusnap_snapshot_events(h, BigInt(options.device ?? -1), at))
		if (what === 'find') return this.withTexts(given, o => this.columns(h, 'found', at => this.c.gpusnap_snapshot_find(h, o, at)))
		if (BY_COLUMN[what]) return this.someColumns(h, what, rest)
		if (COLUMNS[what]) return this.withTexts(given, o => this.columns(h, what, at => this.c['gpusnap_snapshot_' + what](h, o, at)))
		throw new AnalyzerError(`nothing is called "${what}"`, 'usage')
	}
	// The columns that are asked for; of a long recording each by itself: what a call takes beside the answer is one column then. pack: names of
	// those that are answered packed (packed.js) where they are long, of what can be asked for in parts a part at a time.
	someColumns(h, what, { columns = BY_COLUMN[what], pack = [], ...given }) {
		const ask = (names, part) => this.withTexts([JSON.stringify({ ...given, ...part, columns: names })], o => this.columns(h, what, at => this.c['gpusnap_snapshot_' + what](h, o, at)))
		const inParts = what === 'curve' && given.from === undefined && given.to === undefined, result = { n: 0 }
		const n = ask(columns.slice(0, 1), inParts ? { from: 0, to: SHORT } : {}).n
		if (n <= SHORT) return ask(columns)
		Object.assign(result, this.packed(h, what, { ...given, columns: columns.filter(name => pack.includes(name)) }, inParts))
		for (const name of columns) result[name] ??= ask([name])[name]
		result.n = result[columns[0]].length
		return result
	}
	// Those columns as a Packer has them, of a curve a part at a time: what a call takes is that of a part then.
	packed(h, what, given, inParts) {
		const packers = Object.fromEntries(given.columns.map(name => [name, new Packer()]))
		if (!given.columns.length) return {}
		const put = options => this.withTexts([JSON.stringify(options)], o => this.columns(h, what, at => this.c['gpusnap_snapshot_' + what](h, o, at), told => {
			for (const name in packers) packers[name].put(told[name])
			return told.n
		}))
		if (inParts) for (let from = 0; put({ ...given, from, to: from + PART - 1 }) === PART;) from += PART
		else put(given)
		for (const name in packers) packers[name] = packers[name].packed
		return packers
	}
	// use(columns): what is done with them where they lie; usually they are copied.
	columns(handle, what, call, use = copied) {
		const [counts, members] = COLUMNS[what], result = {}, n = []
		this.check(handle, call(this.answer))
		let at = this.answer
		for (const word of counts) {
			const [name, type] = word.split(':')
			if (type === 'i64') at = at + 7 & ~7
			result[name] = type === 'i64' ? whole(this.view.getInt32(at + 4, true), this.view.getUint32(at, true))
				: type === 'i32' ? this.view.getInt32(at, true) : this.view.getUint32(at, true)
			if (!type) n.push(result[name])
			at += type === 'i64' ? 8 : 4
		}
		for (const [name, type, count] of members) {
			result[name] = this.column(this.view.getUint32(at, true), type, n[count])
			at += 4
		}
		const told = use(result)
		this.c[`gpusnap_${what}_free`](this.answer)
		return told
	}
	// Where it lies.
	column(at, type, n) {
		if (!at) return undefined	// not asked for
		if (!ARRAYS[type]) this.c.gpusnap_page_doubles(at, n, type === 'i64' ? 1 : 0)
		return new (ARRAYS[type] ?? Float64Array)(this.c.memory.buffer, at, n)
	}
}

const copied = columns => Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, ArrayBuffer.isView(value) ? value.slice() : value]))

const isDatabase = head => new TextDecoder('latin1').decode(head.subarray(0, 16)) === 'SQLite format 3\0'

// 64 bits as a number; INT64_MIN, which stands for unknown, as NaN.
const whole = (high, low) => high === -0x80000000 && low === 0 ? NaN : high * 0x100000000 + low

const PIECE = 4 << 20
// Bytes of a source one after the other: piece by piece as they are asked for …
function inTurn(source, progress) {
	let at = 0, piece = new Uint8Array(0)
	return n => {
		if (!piece.length) {
			piece = source.read(at, PIECE)
			at += piece.length
			progress(at)
		}
		const part = piece.subarray(0, n)
		piece = piece.subarray(part.length)
		return part
	}
}
// … and so that the next piece is on its way while one is read. first: one that is here already.
function ahead(source, progress, first = new Uint8Array(0)) {
	let at = first.length, piece = first, next = source.chunks()
	const some = n => {
		const part = piece.subarray(0, n)
		piece = piece.subarray(part.length)
		return part
	}
	return n => {
		if (piece.length) return some(n)
		return next.then(bytes => {
			piece = bytes
			at += bytes.length
			next = bytes.length ? source.chunks() : Promise.resolve(bytes)
			progress(at)
			return some(n)
		}, () => null)
	}
}
