// The WebAssembly module against the native command: the same answers to the same questions about the same files.
// usage: node check.mjs BUILD FILE…   Ends with `page: N passed, N failed`.
import { readFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { basename } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { load } from '../../tools/page/wasi.mjs'

const [build, ...files] = process.argv.slice(2)
const bytes = readFileSync(build + '/page/gpusnap.wasm')
const start = await load(bytes)
let passed = 0, failed = 0
function expect(what, got, wanted) {
	if (got === wanted) return passed++
	failed++
	if (failed <= 10) {
		let i = 0
		while (got[i] === wanted[i]) i++
		console.log(`page: failed: ${what}: differs at ${i}: ${JSON.stringify(got.slice(i - 30, i + 60))}, native ${JSON.stringify(wanted.slice(i - 30, i + 60))}`)
	}
}
// What the command prints; where it fails, the text of its error without the file's name.
function native(args) {
	const p = spawnSync(build + '/gpusnap', args, { encoding: 'utf8', maxBuffer: 1 << 30, env: { ...process.env, LC_ALL: 'C.UTF-8' } })
	return p.status === 0 ? p.stdout : 'error'
}
const wasm = f => { try { const text = f(); return text.startsWith('{"error":') ? 'error' : text } catch (e) { return 'thrown: ' + e } }
const plain = (text, path, name) => text.replaceAll(JSON.stringify(path).slice(1, -1), '/' + name)

const size = brotliCompressSync(bytes).length
expect(`the module is at most 600 KB compressed (${size})`, String(size <= 600000), 'true')
expect('its release', start().version(), native(['--version']).trim().replace('gpusnap ', ''))
const queries = native(['query', '--list', '--format', 'tsv']).trim().split('\n').slice(1).map(l => l.split('\t')[0])
for (const path of files) {
	const name = basename(path), data = readFileSync(path)
	const at = () => { const a = start(); a.files.set(name, new Uint8Array(data)); return a }
	expect(`${name}: diagnose`, wasm(() => at().diagnose(name)), plain(native(['diagnose', path, '--json', '-q']), path, name))
	for (const q of files.indexOf(path) < 4 ? queries : ['summary', 'oom'])
		expect(`${name}: ${q}`, wasm(() => at().query(name, q)), plain(native(['query', path, q, '--json', '-q']), path, name))
}
console.log(`page: ${passed} passed, ${failed} failed`)
process.exit(failed ? 1 : 0)
