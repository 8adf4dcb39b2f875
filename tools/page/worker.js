// A worker around one engine. Messages in: {id, op: 'start', module}, {id, op: 'open', file, blob, name, number}, {id, op: 'ask', file, what,
// options}, {id, op: 'close', file}. Out: {id, result}, {id, error: {message, code}}, {id, progress: {read, size}}. tools/page/README.md.
let engine, queue = Promise.resolve()

// A reader of a blob; fills: memory that it is given.
function streamOf(blob) {
	const stream = blob.stream()
	try { return Object.assign(stream.getReader({ mode: 'byob' }), { fills: true }) } catch { return stream.getReader() }
}

// A blob as a source. Pieces that were read by place are kept: a database asks for pages.
function sourceOf(blob, name) {
	const PAGE = 1 << 20, MOST = 16, kept = new Map(), reader = new FileReaderSync()
	const page = number => {
		let bytes = kept.get(number)
		if (!bytes) {
			bytes = new Uint8Array(reader.readAsArrayBuffer(blob.slice(number * PAGE, (number + 1) * PAGE)))
			if (kept.size >= MOST) kept.delete(kept.keys().next().value)
			kept.set(number, bytes)
		}
		return bytes
	}
	let stream, turn = 0
	const rooms = [0, 1].map(() => new ArrayBuffer(PAGE))
	return {
		name, size: blob.size,
		read(from, n) {
			if (n > PAGE) return new Uint8Array(reader.readAsArrayBuffer(blob.slice(from, from + n)))
			const part = page(Math.floor(from / PAGE)).subarray(from % PAGE)
			return part.length >= n || from + part.length >= blob.size ? part.subarray(0, n) : part
		},
		rewind() { stream = null },
		// Where the browser can fill memory that it is given, it fills two pieces in turn: one is good until the next but one is asked for.
		async chunks() {
			stream ??= streamOf(blob)
			const mine = turn = 1 - turn, { value, done } = await (stream.fills ? stream.read(new Uint8Array(rooms[mine])) : stream.read())
			if (stream.fills && value) rooms[mine] = value.buffer
			return done ? new Uint8Array(0) : value
		},
	}
}

const operations = {
	start({ module }) { engine = new Engine(module); return { version: engine.version } },
	async open({ id, file, blob, name, number }) {
		let told = 0
		await engine.open(file, sourceOf(blob, name), number, read => {
			const now = performance.now()
			if (now - told < 80) return
			told = now
			postMessage({ id, progress: { read, size: blob.size } })
		})
		return { warnings: engine.warnings(file), memory: engine.memory }
	},
	async ask({ file, what, options }) {
		if (what === 'memory') return engine.memory
		if (engine.needsSum(file, what, options)) await engine.sum(file)
		return engine.ask(file, what, options)
	},
	close({ file }) { engine.close(file) },
}

// What may be moved instead of copied.
function buffersOf(result) {
	if (ArrayBuffer.isView(result)) return [result.buffer]
	if (!result || typeof result !== 'object') return []
	return Object.values(result).flatMap(buffersOf)
}

async function serve(request) {
	try {
		if (!engine && request.op !== 'start') throw new AnalyzerError('the module is not running', 'trap')
		const result = await operations[request.op](request)
		postMessage({ id: request.id, result }, buffersOf(result))
	} catch (e) {
		const known = e instanceof AnalyzerError, trapped = e instanceof WebAssembly.RuntimeError || e instanceof RangeError
		if (!known) engine = null	// its memory is in an unknown state
		postMessage({ id: request.id, error: known ? { message: e.message, code: e.code }
			: { message: trapped ? `the analyzer stopped: ${e.message}` : String(e), code: 'trap' } })
	}
}
onmessage = e => { queue = queue.then(() => serve(e.data)) }
