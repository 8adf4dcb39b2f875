// The WebAssembly module against the native command: the same answers to the same questions about the same files.
// usage: node check.mjs BUILD FILE…   Ends with `page: N passed, N failed`. Every file: info and verdict; the first few: all named queries;
// MOMENTS_OF: the heap at twenty events each.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { spawnSync } from 'node:child_process'
import { basename } from 'node:path'
import { gzipSync } from 'node:zlib'

const [build, ...files] = process.argv.slice(2), page = new URL('../../tools/page/', import.meta.url)
const source = ['wasi.js', 'packed.js', 'engine.js'].map(name => readFileSync(new URL(name, page), 'utf8')).join('')
const { Engine, AnalyzerError, Packed } = new Function(source + '\nreturn { Engine, AnalyzerError, Packed }')()
const bytes = readFileSync(build + '/page/gpusnap.wasm'), module = await WebAssembly.compile(bytes)
const WHOLE = 4, HEAPS = 3, EVENTS = 20

let passed = 0, failed = 0
function expect(what, got, wanted) {
	if (got === wanted) return passed++
	failed++
	if (failed > 10) return
	let i = 0
	while (i < got.length && got[i] === wanted[i]) i++
	console.log(`page: failed: ${what}: differs at ${i}: ${JSON.stringify(got.slice(Math.max(0, i - 30), i + 60))}, native ${JSON.stringify(wanted.slice(Math.max(0, i - 30), i + 60))}`)
}
// What the command prints; 'error' where it fails.
function native(args) {
	const p = spawnSync(build + '/gpusnap', args, { encoding: 'utf8', maxBuffer: 1 << 30, env: { ...process.env, LC_ALL: 'C.UTF-8' } })
	return p.status === 0 ? p.stdout : 'error'
}
// 'error' where the interface says so; a crash of the module is told.
function wasm(f) {
	try { return f() } catch (e) { return e instanceof AnalyzerError ? 'error' : 'thrown: ' + e }
}
const sourceOf = (data, name) => ({ name, size: data.length, read: (at, n) => data.subarray(at, at + n) })
function open(path) {
	const engine = new Engine(module)
	engine.open(0, sourceOf(new Uint8Array(readFileSync(path)), path))
	return engine
}

// As it lies in the page: by zopfli, in the form of gzip that every browser unpacks.
const MOST_BYTES = 600_000, packed = build + '/page/gpusnap.wasm.gz', size = existsSync(packed) ? statSync(packed).size : gzipSync(bytes, { level: 9 }).length
expect(`the module is at most ${MOST_BYTES} bytes packed (${size})`, String(size <= MOST_BYTES), 'true')
expect('its release', new Engine(module).version, native(['--version']).trim().replace('gpusnap ', ''))
const queries = native(['query', '--list', '--format', 'tsv']).trim().split('\n').slice(1).map(l => l.split('\t')[0])
expect('its queries', JSON.parse(new Engine(module).ask.call(Object.assign(open(files[0]), {}), 0, 'queries')).map(q => q.name).join(), queries.join())

let seed = 7
const random = n => (seed = (seed * 1103515245 + 12345) % 2147483648) % n
let heaps = 0
for (const path of files) {
	const name = basename(path)
	const opened = wasm(() => open(path)), ask = (what, options) => typeof opened === 'string' ? opened : wasm(() => opened.ask(0, what, options))
	expect(`${name}: info`, ask('info'), native(['info', path, '--json', '-q']))
	expect(`${name}: diagnose`, ask('diagnose'), native(['diagnose', path, '--json', '-q']))
	for (const query of files.indexOf(path) < WHOLE ? queries : ['summary', 'oom'])
		expect(`${name}: ${query}`, ask('query', { query }), native(['query', path, query, '--json', '-q']))
	if (files.indexOf(path) < WHOLE) {
		const folder = mkdtempSync(tmpdir() + '/gpusnap-page-'), copy = folder + '/copy.gsnap'
		const made = native(['export', '--format', 'gsnap', path, '-o', copy, '-q']) === 'error' ? 'error' : readFileSync(copy).toString('hex')
		expect(`${name}: the copy as .gsnap`, wasm(() => Buffer.from(opened.ask(0, 'export', { kind: 'gsnap' })).toString('hex')), made)
		rmSync(folder, { recursive: true })
	}
	const device = typeof opened === 'string' ? null : JSON.parse(ask('outline')).devices.find(d => d.events > EVENTS)
	if (!device || heaps >= HEAPS) continue
	heaps++
	for (let i = 0; i < EVENTS; i++) {
		const idx = random(device.events), h = ask('heap', { device: device.device, idx }), states = ['active_allocated', 'active_pending_free', 'inactive']
		const rows = Array.from(h.address, (at, k) => [at, h.size[k], states[h.state[k]], h.segment_address[h.segment[k]]].join('\t')).sort()
		const sql = 'SELECT address, size, state, segment FROM block'
		expect(`${name}: the heap after event ${idx}`, rows.join('\n'), native(['query', path, '-d', String(device.device), '--state', String(idx), sql, '--format', 'tsv', '-q'])
			.trim().split('\n').slice(1).sort().join('\n'))
	}
}
// What the module holds of 200,000 events, of 40 bytes each: read, and after all that the first picture asks.
const large = mkdtempSync(tmpdir() + '/gpusnap-page-'), made = spawnSync('python3', ['tests/bench/make_big_snapshot.py', '200000', large + '/large.pickle', '--seed', '1'])
if (made.status === 0) {
	const engine = open(large + '/large.pickle'), held = () => Math.ceil(engine.memory / 2 ** 20), read = held()
	for (const what of ['diagnose', 'outline', 'lives', 'curve', 'colors']) engine.ask(0, what)
	expect(`200,000 events take at most 16 MiB to read (${read})`, String(read <= 16), 'true')
	expect(`and 22 MiB to show (${held()})`, String(held() <= 22), 'true')
	const curve = engine.ask(0, 'curve'), part = engine.ask(0, 'curve', { columns: ['reserved'] })
	expect('a column by itself is that of all', part.reserved.join(), curve.reserved.join())
	expect('and stands alone', Object.keys(part).join(), 'n,reserved')
	const lives = engine.ask(0, 'lives'), values = told => { const column = ArrayBuffer.isView(told) ? told : new Packed(told); return Array.from({ length: column.length }, (_, i) => column.at(i)).join() }
	for (const [what, plain, names] of [['curve', curve, ['time_us', 'allocated', 'reserved']], ['lives', lives, ['address', 'size']]]) {
		const packed = engine.ask(0, what, { columns: names, pack: names })
		for (const name of names) expect(`${what}: ${name} packed is the same`, values(packed[name]), plain[name].join())
		expect(`${what}: as many`, packed.n, plain.n)
		expect(`${what}: packed where that is long`, String(ArrayBuffer.isView(packed[names[0]])), String(what === 'lives'))
	}
} else expect('a large file is made', String(made.stderr), '')
rmSync(large, { recursive: true })
expect('files whose heap was compared', String(heaps), String(HEAPS))
console.log(`page: ${passed} passed, ${failed} failed`)
process.exit(failed ? 1 : 0)
