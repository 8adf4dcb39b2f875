// What the viewer asks: recordings, each in a worker of its own. tools/page/README.md says what every question is answered with.
class GpusnapError extends Error {
	constructor(message, code) { super(message); this.name = 'GpusnapError'; this.code = code }
}

const gpusnap = (() => {
	const NEVER = 0x7fffffff, NOBODY = 0xffffffff, LIVES = ['birth', 'freed', 'death', 'address', 'size', 'holder', 'pool', 'category']
	const PACKED = { lives: ['address'], curve: ['time_us', 'allocated', 'reserved'] }
	const inside = id => document.getElementById(id)?.textContent ?? ''

	// The module is compiled once, while it is unpacked.
	let compiled, workerUrl, spare
	function theModule() {
		compiled ??= WebAssembly.compileStreaming(new Response(new Blob([bytesOf(inside('gpusnap-module'))]).stream().pipeThrough(new DecompressionStream('gzip')),
			{ headers: { 'content-type': 'application/wasm' } }))
		return compiled
	}
	// A worker in which the module runs, no file open yet.
	function begin() {
		const c = new Connection()
		c.begun = theModule().then(module => c.send({ op: 'start', module })).then(started => { gpusnap.version = started.version })
		c.begun.catch(() => {})
		return c
	}
	// The engine compiles a function when it is first called, and makes better code of it when it was called often. So what every file needs is asked
	// of a small recording, some times over, while nobody waits: a file that comes between ends it.
	const TURNS = 6, PRACTICE = [['diagnose', { form: 'text', width: 100 }], ['outline', {}], ['lives', { device: 0, columns: [...LIVES, 'stream'] }], ['curve', { device: 0 }], ['colors', { device: 0, by: 'holder' }]]
	// answered(answers) is called with those of the first turn, by name.
	async function practise(connection, answered) {
		const packed = inside('gpusnap-practice'), file = 'practice', answers = {}
		if (!packed) return
		await connection.begun
		const blob = await new Response(new Blob([bytesOf(packed)]).stream().pipeThrough(new DecompressionStream('gzip'))).blob()
		for (let turn = 0; turn < TURNS && spare === connection; turn++) {
			let before = connection.send({ op: 'open', file, blob, name: file, number: 0 })
			for (const [what, options] of PRACTICE) {
				if (spare !== connection) break
				const told = connection.send({ op: 'ask', file, what, options: asked(what, options) }).then(answer => { answers[what] = shape(answers, what, options, answer) })
				told.catch(() => {})
				await before	// one is asked while another is answered: the page has its own to do
				before = told
			}
			await before
			connection.send({ op: 'close', file }).catch(() => {})
			if (!turn && spare === connection) answered?.(answers)
		}
	}
	function newWorker() {
		workerUrl ??= URL.createObjectURL(new Blob([inside('gpusnap-worker')], { type: 'text/javascript' }))
		return new Worker(workerUrl)
	}

	// One worker with its engine, and what it still owes an answer. It is not used again once it has crashed or was ended.
	class Connection {
		constructor() {
			this.worker = newWorker()
			this.waiting = new Map()
			this.next = 1
			this.files = new Set()
			this.worker.onmessage = e => this.receive(e.data)
			this.worker.onerror = e => { e.preventDefault(); this.end(new GpusnapError('the analyzer stopped: ' + (e.message || 'no reason is known'), 'trap')) }
		}
		// progress(read, size); moved: what goes to the worker and is no longer here.
		send(message, { progress, moved = [] } = {}) {
			if (this.ended) return Promise.reject(this.ended)
			return new Promise((resolve, reject) => {
				const id = this.next++
				this.waiting.set(id, { resolve, reject, progress })
				this.worker.postMessage({ id, ...message }, moved)
			})
		}
		// Opens a file whose bytes come from the page: begin(port) sends them.
		feed(message, progress, begin) {
			const { port1, port2 } = new MessageChannel()
			begin(port1)
			return this.send({ ...message, port: port2 }, { progress, moved: [port2] })
		}
		receive({ id, result, error, progress }) {
			const asked = this.waiting.get(id)
			if (!asked) return
			if (progress) return void asked.progress?.(progress.read, progress.size)
			this.waiting.delete(id)
			if (!error) return asked.resolve(result)
			const e = new GpusnapError(error.message, error.code)
			asked.reject(e)
			if (error.code === 'trap') this.end(e)
		}
		end(error) {
			if (this.ended) return
			this.ended = error
			this.worker.terminate()
			for (const { reject } of this.waiting.values()) reject(error)
			this.waiting.clear()
		}
	}

	// Recordings whose worker has their file open, the one asked last behind the others. Of many files at once the rest give their memory back;
	// they are read again when they are asked something.
	const MOST_KEPT = 16, kept = new Set()
	function keep(recording) {
		kept.delete(recording)
		kept.add(recording)
		for (const other of kept) {
			if (kept.size <= MOST_KEPT) break
			if (other !== recording && !other.connection?.waiting.size) other.close()
		}
	}

	// Whether WebAssembly can wait for bytes that are not there yet.
	const canWait = typeof WebAssembly.Suspending === 'function' && typeof WebAssembly.promising === 'function'

	const LARGE = 32 << 20
	let files = 0
	class Recording {
		// blob: null of one that is still parsed, which element holds.
		constructor(blob, { name, number = 0, element = null }) {
			Object.assign(this, { blob, name: name || blob?.name || '', number, element, file: files++, warnings: [], outline: null, early: new Map() })
		}
		get size() { return this.blob?.size ?? 0 }
		// The worker that has the file open; a new one where there is none or it has ended.
		connect(progress) {
			this.progress = progress
			if (!this.connection || this.connection.ended) {
				const c = this.connection = spare && !spare.ended ? spare : begin()
				spare = null
				this.ready = c.begun.then(() => this.openIn(c))
				this.ready.catch(() => {})
			}
			return this.ready
		}
		async openIn(connection) {
			if (connection.files.has(this.file)) return
			const { blob, name, number, file } = this, message = { op: 'open', file, blob, name, number }, progress = (read, size) => this.progress?.(read, size)
			const opened = await (blob ? connection.send(message, { progress }) : connection.feed(message, progress, port => { (this.parsing = feedText(this.element, port)).catch(() => {}) }))
			connection.files.add(file)
			this.warnings = opened.warnings
		}
		// Does work in the worker; where the signal comes first the worker ends, since nothing else stops it.
		async during(signal, work) {
			const stop = () => this.connection?.end(new GpusnapError('cancelled', 'cancelled'))
			if (signal?.aborted) throw new GpusnapError('cancelled', 'cancelled')
			signal?.addEventListener('abort', stop)
			try { return await work() } finally { signal?.removeEventListener('abort', stop) }
		}
		// opened(recording) is called once the file is read: what it asks is answered before the outline. ahead: [what, options] of what will be
		// asked next, so that the worker need not wait until it is; of a large file, for which that is nothing, it is left out.
		async open({ progress, signal, opened, ahead = [] }) {
			try {
				await this.during(signal, async () => {
					await this.connect(progress)
					opened?.(this)
					// Where what opened() asked crashed the module, the file is read again.
					const outline = () => this.raw('outline', {}), told = outline()
					if (this.size <= LARGE) for (const [what, options] of ahead) this.askEarly(what, options)
					this.outline = JSON.parse(await told.catch(e => opened && e.code === 'trap' ? outline() : Promise.reject(e)))
				})
			} catch (e) {
				this.close()
				throw e
			}
			return this
		}
		// Its connection; one that was closed for others just then is made again.
		async connected() {
			do await this.connect()
			while (!this.connection)
			keep(this)
			return this.connection
		}
		async raw(what, options) {
			return (await this.connected()).send({ op: 'ask', file: this.file, what, options })
		}
		// Of the device that is meant where none is named.
		askEarly(what, options) {
			const answer = this.raw(what, asked(what, options))
			answer.catch(() => {})
			this.early.set(what, { key: JSON.stringify(options), answer })
		}
		// The answer that was asked for early, once; undefined: there is none to this question, or the file has several devices.
		earlyAnswer(what, { device, ...options }) {
			const early = this.early.get(what)
			if (early?.key !== JSON.stringify(options) || this.outline?.devices.length !== 1) return undefined
			this.early.delete(what)
			return early.answer
		}
		ask(what, options = {}, { signal } = {}) {
			return this.during(signal, async () => {
				const { other, ...given } = options, anew = () => this.raw(what, asked(what, given))
				if (!other) return shape(this, what, given, await (this.earlyAnswer(what, given)?.catch(anew) ?? anew()))
				await other.openIn(await this.connected())
				return shape(this, what, given, await this.raw(what, { ...given, other: other.file }))
			})
		}
		// Of one that was read while it was parsed: all of its bytes, which its worker can read again from now on; null: they are no base64.
		async whole() {
			const c = this.connection
			await c.begun.catch(() => {})
			this.blob = await this.parsing?.catch(() => null) ?? null
			if (this.blob) c.send({ op: 'whole', file: this.file, blob: this.blob }).catch(() => {})
			return this.blob
		}
		close() {
			kept.delete(this)
			this.connection?.end(new GpusnapError('closed', 'cancelled'))
			this.connection = null
		}
	}

	// Options as the worker is given them.
	const asked = (what, options) => PACKED[what] ? { ...(what === 'lives' ? { columns: LIVES } : {}), ...options, pack: PACKED[what] } : options
	// Answers in the form that pictures want: JSON parsed, names and places for the interface's numbers.
	function none(column, never) {
		for (let i = 0; i < column.length; i++) if (column[i] === never) column[i] = -1
		return column
	}
	function place(column, n) {
		const places = new (n < 256 ? Uint8Array : Uint16Array)(column.length)
		for (let i = 0; i < column.length; i++) places[i] = column[i] ? column[i] - 1 : n
		return places
	}
	function shape(recording, what, options, answer) {
		if (typeof answer === 'string' && (!options.form || options.form === 'json')) answer = JSON.parse(answer)
		return shapes[what] ? shapes[what](answer, deviceOf(recording, options)) : answer
	}
	function deviceOf(recording, { device }) {
		const all = recording.outline?.devices ?? []
		return (device === undefined ? all.find(d => d.events) : all.find(d => d.device === device)) ?? all[0]
	}
	const unpacked = column => ArrayBuffer.isView(column) || !column ? column : new Packed(column)
	const shapes = {
		curve: e => ({ time: unpacked(e.time_us), allocated: unpacked(e.allocated), reserved: unpacked(e.reserved), action: e.action }),
		lives: (l, d) => ({ ...l, address: unpacked(l.address), freed: none(l.freed, NEVER), death: none(l.death, NEVER), stream: l.stream && place(l.stream, d.streams.length), pool: l.pool && place(l.pool, d.pools.length) }),
		find: found => ({ lives: found.life }),
		colors: c => ({ ...JSON.parse(new TextDecoder().decode(c.legend)), of: c.of }),
		life: l => l && { ...l, why: l.category_why, stack: l.stack.filter((f, i, all) => !f.plumbing || all.every(g => g.plumbing)).map(f => f.text) },
		flame: g => ({ ...g, nodes: inOrder(g.nodes) }),
		bands: b => ({ ...b, x0: b.first, x1: b.last, y: b.bottom, h: b.height, time: b.time_us }),
		heap: (h, d) => ({
			idx: Number.isNaN(h.idx) ? null : h.idx, exact: h.exact !== 0,
			segments: {
				address: h.segment_address, size: h.segment_size, large: h.segment_large, expandable: h.segment_expandable,
				stream: Int32Array.from(h.segment_stream, s => d.streams.indexOf(s)),
				pool: Int32Array.from(h.segment_pool_a, (a, i) => d.pools.indexOf(a + ',' + h.segment_pool_b[i])),
			},
			blocks: { address: h.address, size: h.size, requested: h.requested, segment: h.segment, life: h.life, stack: h.stack, tag: h.tag,
				holder: none(new Float64Array(h.holder), NOBODY), state: h.state, category: h.category },
		}),
	}
	// A tree's nodes, [frame, parent, value] with parents first, in pre-order, of siblings the larger first.
	function inOrder(nodes) {
		const below = nodes.map(() => []), roots = []
		nodes.forEach(([, parent], i) => (parent < 0 ? roots : below[parent]).push(i))
		const frame = new Uint32Array(nodes.length), parent = new Int32Array(nodes.length), value = new Float64Array(nodes.length), at = new Int32Array(nodes.length)
		const larger = (a, b) => nodes[a][2] - nodes[b][2] || b - a, stack = roots.sort(larger)
		for (let n = 0; stack.length; n++) {
			const i = stack.pop()
			at[i] = n
			frame[n] = nodes[i][0]
			parent[n] = nodes[i][1] < 0 ? -1 : at[nodes[i][1]]
			value[n] = nodes[i][2]
			stack.push(...below[i].sort(larger))
		}
		return { frame, parent, value }
	}

	// The first recording inside this page, which stands behind the script, is read while the browser still parses it.
	const inPage = new Map()	// by its element
	const elements = () => [...document.querySelectorAll('script.gpusnap-recording')]
	const nameIn = element => element.dataset.name || 'recording'
	function readEarly() {
		const [element] = elements()
		if (document.readyState !== 'loading' || inPage.size) return
		if (!element) return void setTimeout(readEarly, 8)
		const recording = new Recording(null, { name: nameIn(element), element })
		inPage.set(element, recording)
		recording.connect()
	}
	// Its bytes. Where it is no base64 any more nothing of it is shown.
	async function blobIn(element) {
		const early = inPage.get(element), blob = await early?.whole()
		if (blob) return blob
		early?.close()
		try {
			return new Blob([bytesOf(element.textContent)])
		} catch (e) {
			throw new GpusnapError(`the recording inside this page is damaged: ${e.message}`, 'failed')
		}
	}

	return {
		version: null,
		// Has the module ready before a file is there. practised(answers): is called with what a small recording was answered with, by question, where
		// no file came before.
		prepare(practised) {
			if (spare) return
			spare = begin()
			if (canWait) readEarly()
			practise(spare, practised).catch(() => {})
		},
		// The recordings inside this page, once it is parsed. blob: a promise; it fails with a GpusnapError where the page was damaged.
		embedded: () => elements().map(element => ({ name: nameIn(element), blob: () => blobIn(element) })),
		open(blob, options = {}) {
			const begun = [...inPage.values()].find(r => r.blob === blob)
			return (begun ?? new Recording(blob instanceof Blob ? blob : new Blob([blob]), options)).open(options)
		},
	}
})()
