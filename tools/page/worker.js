// A worker around one engine. Messages in: {id, op: 'start', module}, {id, op: 'open', file, blob, name, number, port}, {id, op: 'whole', file,
// blob}, {id, op: 'ask', file, what, options}, {id, op: 'close', file}. Out: {id, result}, {id, error: {message, code}}, {id, progress: {read, size}}. tools/page/README.md.
let engine, queue = Promise.resolve()

// A blob as a source. port: its bytes come from there the first time (pieces.js); of what the browser still parses there is no blob before that is
// done. Parts that were read by place are kept: a database asks for pages.
function sourceOf(blob, name, port) {
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
	let pieces = port ? piecesOf(port) : null
	return {
		name,
		get size() { return blob?.size ?? 0 },
		set blob(whole) { blob = whole },
		read(from, n) {
			if (n > PAGE) return new Uint8Array(reader.readAsArrayBuffer(blob.slice(from, from + n)))
			const part = page(Math.floor(from / PAGE)).subarray(from % PAGE)
			return part.length >= n || from + part.length >= blob.size ? part.subarray(0, n) : part
		},
		rewind() { pieces = null },
		chunks() { return (pieces ??= piecesIn(blob)).next() },
	}
}

const operations = {
	start({ module }) { engine = new Engine(module); return { version: engine.version } },
	async open({ id, file, blob, name, number, port }) {
		const source = sourceOf(blob, name, port)
		let told = 0
		await engine.open(file, source, number, read => {
			const now = performance.now()
			if (now - told < 80) return
			told = now
			postMessage({ id, progress: { read, size: source.size } })
		})
		return { warnings: engine.warnings(file), memory: engine.memory }
	},
	async ask({ file, what, options }) {
		if (what === 'memory') return engine.memory
		if (engine.needsSum(file, what, options)) await engine.sum(file)
		return engine.ask(file, what, options)
	},
	whole({ file, blob }) { engine.whole(file, blob) },
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
