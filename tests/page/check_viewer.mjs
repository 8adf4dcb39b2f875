// The viewer's own reckoning without a browser: piles, bands, orders, texts, against brute force. Ends with `viewer: N passed, N failed`.
import { readFileSync, readdirSync } from 'node:fs'

const folder = new URL('../../tools/page/viewer/', import.meta.url)
const names = ['../packed.js', 'text.js', 'palette.js', 'lives.js', 'pile.js', 'bands.js', 'verdict.js', 'table.js', 'heap.js', 'tip.js', 'light.js', 'axes.js', 'search.js', 'practice.js']
const source = names.map(n => readFileSync(new URL(n, folder), 'utf8')).join('\n')
let paper = '#ffffff'
const view = { moment: null }, given = { styled: () => paper, element: () => null, part: () => null, view, CATEGORY_WORDS: { activation: 'activations' } }
const { sizeText, bytesOfText, durationText, axisStep, csvOf, readVerdict, peakText, splitPeak, saidOnce, deviceShares, inUseText, framesToTell, Lives, Peaks, rises, Pile, Bands, Palette, orderOf, shadeOf, Packed, Packer, barWidths, lifeText, phasesAt, firstPlace, roomBeside, foundText, crowd } =
	new Function(...Object.keys(given), source + '\nreturn { sizeText, bytesOfText, durationText, axisStep, csvOf, readVerdict, peakText, splitPeak, saidOnce, deviceShares, inUseText, framesToTell, Lives, Peaks, rises, Pile, Bands, Palette, orderOf, shadeOf, Packed, Packer, barWidths, lifeText, phasesAt, firstPlace, roomBeside, foundText, crowd }')(...Object.values(given))

let passed = 0, failed = 0
function expect(what, got, wanted) {
	if (JSON.stringify(got) === JSON.stringify(wanted)) return passed++
	if (++failed <= 20) console.log(`viewer: failed: ${what}: ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`)
}

// Sizes as the command writes them (the examples of schema/size.h, and the edges between units).
for (const [bytes, text] of [[0, '0 B'], [511, '511 B'], [1023, '1023 B'], [1536, '1.50 KiB'], [88 * 2 ** 20, '88 MiB'], [1000 * 2 ** 20, '1000 MiB'], [2 ** 30, '1.00 GiB'], [Math.round(61.8 * 2 ** 30), '61.8 GiB'],
	[Math.round(1023.6 * 2 ** 20), '1.00 GiB'], [2 ** 20 + 1, '1.00 MiB'], [8.125 * 2 ** 20, '8.12 MiB'], [8.375 * 2 ** 20, '8.38 MiB'], [10.25 * 2 ** 20, '10.2 MiB'], [2 ** 40, '1.00 TiB'], [-2048, '−2 KiB'], [null, 'unknown'], [NaN, 'unknown']])
	expect(`the size ${bytes}`, sizeText(bytes), text)
expect('a time', [10, 1500, 2.5e6, 180e6, 7200e6 * 2].map(durationText), ['10 µs', '1.50 ms', '2.50 s', '3.00 min', '4.00 h'])
expect('steps of bytes', [[2 ** 30, 8, 2 ** 30], [3e9, 8, 3e9], [80 * 2 ** 30, 8, 80 * 2 ** 30], [500 * 2 ** 20, 10, 500 * 2 ** 20], [2 ** 20, 8, 80 * 2 ** 30]].map(([span, n, most]) => axisStep(span, n, true, most)), [128 * 2 ** 20, 512 * 2 ** 20, 10 * 2 ** 30, 50 * 2 ** 20, 128 * 1024])
expect('bars that have room are to the scale of the heap', barWidths([400, 0, 700], 2, 500), { scale: 2, widths: [200, 0, 350] })
expect('where one would not have room, all are to one smaller scale', barWidths([400, 700], 1, 350), { scale: 2, widths: [200, 350] })
expect('sizes that are typed', ['10MiB', '1.5 G', '512', 'x'].map(bytesOfText), [10 * 2 ** 20, 1.5 * 2 ** 30, 512, NaN])
expect('a step of events is 1, 2 or 5', axisStep(43, 10), 5)
expect('a field of CSV is quoted where it must be', csvOf(['a', 'b'], [{ a: 'x,"y"', b: null }, { a: 'line\nline', b: 3 }]), 'a,b\n"x,""y""",\n"line\nline",3\n')

const answer = `fragmented: 200 MiB asked for, 880 MiB of the cache is free, but no hole is
  larger than 88 MiB
  pinned by  train.py:29 init: 10 blocks (120 MiB) keep 880 MiB in 10 segments
             from going back

  request    200 MiB for train.py:33 step ← train.py:58 main
             (stream 0, large pool)
  held by    a.py:1 f: 800 MiB in 20 blocks
             b.py:2 g: 200 MiB in 1 block
  ruled out  an allocator defect, a limit, pending frees (-v:
             figures)

Try
  1  PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
     replayed: the run passes
  2  allocate train.py:29 before the large temporaries, or clone it afterwards
     (untried)
`
const read = readVerdict(answer)
expect('a headline that is wrapped', read.headline, 'fragmented: 200 MiB asked for, 880 MiB of the cache is free, but no hole is larger than 88 MiB')
expect('lines of the answer', read.lines.map(l => l.slice(0, 2)), [['pinned by', 'train.py:29 init: 10 blocks (120 MiB) keep 880 MiB in 10 segments from going back'], ['request', '200 MiB for train.py:33 step ← train.py:58 main (stream 0, large pool)'], ['held by', 'a.py:1 f: 800 MiB in 20 blocks\nb.py:2 g: 200 MiB in 1 block'], ['ruled out', 'an allocator defect, a limit, pending frees']])
expect('what to try', read.tries, ['PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True\nreplayed: the run passes', 'allocate train.py:29 before the large temporaries, or clone it afterwards (untried)'])

const asks = 'shortage: x\n  unsure     others on the device (the capacity would tell: --capacity)\n\nTry\n  1  look at nvidia-smi, or give its\n     size: --capacity    (untried)\n'
expect('the field that asks for a size stands below', [readVerdict(asks).lines[0][1], readVerdict(asks).tries[0]], ['others on the device (the capacity would tell: the field below)', 'look at nvidia-smi, or give its size: the field below    (untried)'])
expect('where there is none, none is spoken of', [readVerdict(asks, false).lines[0][1], readVerdict(asks, false).tries[0]], ['others on the device (the capacity would tell)', 'look at nvidia-smi    (untried)'])
expect('what to try is not told twice', saidOnce({ lines: [['request', '8 MiB for a.py:1 f', 1], ['asked by', 'a.py:1 f', 0], ['next', 'x (untried)', 0], ['and', 'y', 0], ['ruled out', 'a limit', 1]], tries: ['x'] }).map(l => l[0]), ['request', 'ruled out'])
expect('but where nothing is to try it is', saidOnce({ lines: [['next', 'x', 0], ['asked by', 'b.py:2 g', 0]], tries: [] }).map(l => l[0]), ['next', 'asked by'])
// What the peak was made of stands below it, as the command has it; of whom the end is, under a label of its own.
const healthy = `no failure: at the end 142 MiB in use of 336 MiB reserved; the peak was 316 MiB
  in use
  peak       316 MiB in use at event 3378 (step 2), 336 MiB reserved
             of it activations 121 MiB, optimizer state 52.2 MiB, temporaries
             49.0 MiB
             held by loop.py:54 forward ← loop.py:63 forward: 60.0 MiB in 36
             blocks, activations

  device 0   142 MiB in use + 194 MiB cached
  at end     loop.py:137 train_step ← loop.py:193 <module>: 52.2 MiB in 150
             blocks, optimizer state
             loop.py:138 train_step: 48 MiB in 3 blocks
`
expect('what the peak was made of', readVerdict(healthy).lines.map(l => l.slice(0, 2)), [['peak', '316 MiB in use at event 3378 (step 2), 336 MiB reserved\nof it activations 121 MiB, optimizer state 52.2 MiB, temporaries 49.0 MiB\nheld by loop.py:54 forward ← loop.py:63 forward: 60.0 MiB in 36 blocks, activations'],
	['device 0', '142 MiB in use + 194 MiB cached'], ['at end', 'loop.py:137 train_step ← loop.py:193 <module>: 52.2 MiB in 150 blocks, optimizer state\nloop.py:138 train_step: 48 MiB in 3 blocks']])
expect('and behind what is to try', splitPeak(readVerdict(healthy).lines).slice(0, 2), [['peak', '316 MiB in use at event 3378 (step 2), 336 MiB reserved; largest part: activations 121 MiB', 0], ['at the peak', 'activations 121 MiB, optimizer state 52.2 MiB, temporaries 49.0 MiB\nheld by loop.py:54 forward ← loop.py:63 forward: 60.0 MiB in 36 blocks, activations', 1]])
const row = (where, bytes, category) => ({ where, called_by: null, category, bytes: bytes * 2 ** 20, blocks: 2 }), sum = (category, bytes) => ({ category, bytes: bytes * 2 ** 20, blocks: 2 })
const peak = { idx: 7, allocated: 300 * 2 ** 20, reserved: 400 * 2 ** 20, categories: [sum('activation', 200), sum('unknown', 98), sum('input', 2)], holders: [row('a.py:1 f', 200, 'activation'), row('b.py:2 g', 100, 'unknown')] }
expect('the same of its JSON', peakText({ peak, holders: peak.holders.slice(1), categories: [sum('unknown', 100)] }, null), '300 MiB in use at event 7, 400 MiB reserved\nof it activations 200 MiB, unknown 98 MiB\nheld by a.py:1 f: 200 MiB in 2 blocks, activations')
expect('but not where it is what is in use now', peakText({ peak, holders: peak.holders, categories: peak.categories }, null), '300 MiB in use at event 7, 400 MiB reserved')
expect('nor where nobody knows', peakText({ peak: { ...peak, categories: null, holders: null }, holders: [], categories: [] }, null), '300 MiB in use at event 7, 400 MiB reserved')

// The bar's parts are those of the command's line (tests/cli/cases/diagnose-waiting-is-in-use), and sum to it.
const shares = text => deviceShares(text).map(p => [p.word, p.bytes / 2 ** 20])
expect('what waits is a part of what is in use', shares('1000 MiB = 700 MiB in use (500 MiB of it waiting to be freed) + 100 MiB cached + 50 MiB outside the allocator + 150 MiB free'),
	[['in use', 200], ['waiting to be freed', 500], ['cached', 100], ['outside the allocator', 50], ['free', 150]])
expect('or all of it', shares('at least 1.00 GiB: 600 MiB in use (all waiting to be freed) + 424 MiB free'), [['waiting to be freed', 600], ['free', 424]])
expect('nothing waits', shares('142 MiB in use + 194 MiB cached'), [['in use', 142], ['cached', 194]])
expect('in use, as the command says it', [[2 ** 20, 0], [2 ** 20, NaN], [0, 2 ** 20], [200 * 2 ** 20, 500 * 2 ** 20]].map(([a, w]) => inUseText(a, w)), ['1 MiB in use', '1 MiB in use', '1 MiB in use (all waiting to be freed)', '700 MiB in use (500 MiB of it waiting to be freed)'])

const stack = [...Array.from({ length: 8 }, (_, i) => `at::empty${i} (CUDACachingAllocator.cpp:${i})`), 'forward (/a/model.py:39)', 'step (/a/train.py:5)', 'main (/a/train.py:9)']
expect('a tip tells a long stack from the holder on', framesToTell([...stack, 'run (/a/x.py:1)', 'y (/a/x.py:2)', 'z (/a/x.py:3)'], 'model.py:39 forward'), [...stack.slice(8), 'run (/a/x.py:1)', 'y (/a/x.py:2)'])
expect('and no frame inside it, though there is room', framesToTell(stack, 'train.py:5 step'), stack.slice(9))
expect('a short one whole, one whose holder has no frame from its begin', [framesToTell(stack.slice(0, 5), 'x'), framesToTell(stack, 'what was allocated before')], [stack.slice(0, 5), stack.slice(0, 5)])

// A block that is freed in two steps: both are told, each by its name; in one step, the one.
{
	const curve = { time: Float64Array.from({ length: 9 }, (_, e) => e * 1000) }, lives = { timed: false, curve, birth: [2, 2, -1, 2, 2, 2], freed: [4, 4, 4, 4, -1, -1], death: [5, 4, 5, -1, -1, 4] }
	expect('how blocks end', lives.birth.map((_, i) => lifeText(lives, i)), ['born at event 2, asked to be freed at event 4, gone at event 5', 'born at event 2, freed at event 4', 'born before the recording, asked to be freed at event 4, gone at event 5',
		'born at event 2, asked to be freed at event 4, not gone since', 'born at event 2, never freed', 'born at event 2, freed at event 4'])
	expect('and how long they lived', lifeText({ ...lives, timed: true }, 0), 'born at event 2, asked to be freed at event 4, gone at event 5, 3.00 ms')
}
{
	const a = (name, stage, idx) => ({ name, stage, idx }), all = [a('step', 'START', 3), a('forward', 'START', 5), a('forward', 'END', 8), a('step', 'END', 20), a('lost', 'START', null), a('forward', 'START', 30)]
	expect('the phases of an event, outermost first', [2, 3, 6, 8, 9, 20, 21, 31].map(e => phasesAt(all, e)), [[], ['step'], ['step', 'forward'], ['step', 'forward'], ['step'], ['step'], [], ['forward']])
}
// Places of the verdict: holders, whatever is written as a line, and names without one only where their bytes follow.
{
	const holders = [['faults.py:15 take ← faults.py:19 keep', { where: 'faults.py:15 take', called_by: 'faults.py:19 keep' }], ['backward pass', { where: 'backward pass' }]]
	const place = text => { const hit = firstPlace(text, holders); return hit && [hit[0], hit[1], hit[2].where, hit[2].called_by ?? null] }
	expect('a holder', place('keep faults.py:15 take ← faults.py:19 keep: 8 MiB in 2 blocks'), [5, 'faults.py:15 take ← faults.py:19 keep', 'faults.py:15 take', 'faults.py:19 keep'])
	expect('the line of a request that failed', place('200 MiB for faults.py:15 take ← faults.py:22 main (stream 0, large pool)'), [12, 'faults.py:15 take ← faults.py:22 main', 'faults.py:15 take', 'faults.py:22 main'])
	expect('a line of C++', place('12 MiB for pool.cpp:7 at::take: x'), [11, 'pool.cpp:7 at::take', 'pool.cpp:7 at::take', null])
	expect('a line alone', place('loop.py:193 <module>: 3 MiB in 1 block'), [0, 'loop.py:193 <module>', 'loop.py:193 <module>', null])
	expect('a name without a line where its bytes follow', place('backward pass: 8.12 MiB in 1 block, workspace'), [0, 'backward pass', 'backward pass', null])
	expect('and nowhere else', place('activations are kept for the backward pass'), null)
}
expect('a word beside marks, as far to the right as may be', [[[], 0, 300], [[295], 0, 300], [[295, 250], 0, 300], [[60, 120, 180, 240], 0, 300], [[150], 0, 50]].map(([marks, left, right]) => roomBeside(marks, left, right, 60)), [296, 285, 240, null, null])
// What is lit and what it holds at the moment.
{
	const lives = { events: 9, size: [2 ** 20, 2 ** 20, 2 ** 21], livesAt: (i, e) => i < e }, shown = { lives, kept: { found: [0, 1, 2] } }
	expect('what is found, with its bytes and their moment', [3, 2, 0].map(e => { view.moment = e; return foundText(shown) }), ['3 blocks, 4 MiB after event 3', '3 blocks, 2 of them (2 MiB) after event 2', '3 blocks, none of them after event 0'])
	expect('in a file without events', foundText({ lives: { ...lives, events: 0 }, kept: { found: [1] } }), '1 block, 1 MiB')
}
// What nobody is named for and what others hold are told apart on dark paper, in the mean of their patterns, as far as on white.
{
	const greys = [{ class: 0, name: 'free (cached)', rgb: '#f2f2f2', pattern: 'plain' }, { class: 4, name: 'no stack recorded', rgb: '#c9d3de', ink: '#5b6f86', pattern: 'hatched' }, { class: 5, name: 'other holders', rgb: '#bdbdbd', ink: '#6b6b6b', pattern: 'dotted' }, { class: 6, name: 'a', rgb: '#24325f', pattern: 'plain' }]
	const apart = () => {
		const p = new Palette('holder', { classes: greys, of: new Uint8Array(0) }), mean = k => [0, 8, 16].map(s => { let all = 0; for (let i = 0; i < 64; i++) all += p.at(k, 0, i & 7, i >> 3) >> s & 255; return all / 64 })
		const means = greys.map(g => mean(g.class)), far = (a, b) => Math.hypot(...a.map((v, i) => v - b[i]))
		return Math.min(...means.flatMap((a, i) => means.slice(i + 1).map(b => far(a, b))))
	}
	paper = '#14171b'
	expect('greys on dark paper are apart', apart() >= 30, true)
	paper = '#ffffff'
}

// A column that is packed is what it was, whatever it holds and in whatever parts it comes.
{
	let state = 3
	const random = n => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % n
	const kinds = [() => 7, () => random(200), () => 2 ** 41 + 512 * random(60000), () => random(2 ** 31), () => 2 ** 50 + random(2 ** 31) * 4096, () => 0 - random(1000), () => random(9) ? random(5) : NaN, () => 2 ** 60 + 2 ** 20 * random(100), () => 2 ** 63 * random(2)]
	for (const length of [0, 1, 63, 64, 65, 1000, 20000]) for (const parts of [64, 6400, 2 ** 20]) {
		const values = Float64Array.from({ length }, (_, i) => kinds[Math.floor(i / 100) % kinds.length]()), packer = new Packer()
		for (let from = 0; from < length; from += parts) packer.put(values.subarray(from, from + parts))
		const column = new Packed(packer.packed)
		expect(`${length} values packed by ${parts}`, [column.length, values.findIndex((v, i) => !Object.is(column.at(i), v))], [length, -1])
		expect(`the greatest of each 64 of ${length}`, Array.from(column.most), Array.from({ length: Math.ceil(length / 64) }, (_, k) => { let best = k * 64; for (let i = best; i < Math.min(k * 64 + 64, length); i++) if (values[i] > values[best]) best = i; return best - k * 64 }))
		const kept = new Peaks(column), looked = new Peaks(values)
		expect(`peaks of ${length} packed values`, kept.levels.map(l => Array.from(l)), looked.levels.map(l => Array.from(l)))
		expect(`whether ${length} values rise`, column.rising, rises(values))
	}
	for (const [what, wanted, values] of [['equal', true, [5, 5]], ['rising', true, Array.from({ length: 500 }, (_, i) => i * 3)], ['falling behind 64', false, Array.from({ length: 65 }, (_, i) => i % 64)], ['unknown at first', false, [NaN, 1]], ['unknown', false, [1, NaN, 2]], ['none', true, []]]) {
		const packer = new Packer()
		packer.put(Float64Array.from(values))
		expect(`whether they rise: ${what}`, [packer.packed.rising, rises(Float64Array.from(values))], [wanted, wanted])
	}
}
{
	let state = 7
	const values = Float64Array.from({ length: 9001 }, () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % 5000), peaks = new Peaks(values)
	for (let k = 0; k < 400; k++) {
		const a = Math.imul(k, 2654435761) >>> 8, first = a % 9001, last = Math.min(9000, first + (k % 5 ? k * 31 : k))
		let best = first
		for (let i = first; i <= last; i++) if (values[i] > values[best]) best = i
		expect(`the first greatest of ${first} to ${last}`, peaks.between(first, last), best)
	}
}

// A random program: blocks born before the recording, frees at once and in two parts, events that concern no block.
function program(seed, events, before) {
	let state = seed
	const random = n => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32 * n | 0
	const c = { birth: [], freed: [], death: [], size: [], address: [] }, live = [], waiting = [], allocated = [], reserved = []
	const bear = e => { c.birth.push(e); c.freed.push(-1); c.death.push(-1); c.size.push(512 * (1 + random(random(9) ? 40 : 4000))); c.address.push(c.birth.length * 4096); live.push(c.birth.length - 1) }
	let now = 0
	for (let i = 0; i < before; i++) { bear(-1); now += c.size[i] }
	for (let e = 0; e < events; e++) {
		const what = random(10)
		if (what < 5 || !live.length && !waiting.length) { bear(e); now += c.size[c.size.length - 1] }
		else if (what < 7 && live.length) { const i = live.splice(random(live.length), 1)[0]; c.freed[i] = c.death[i] = e; now -= c.size[i] }
		else if (what < 8 && live.length) { const i = live.splice(random(live.length), 1)[0]; c.freed[i] = e; waiting.push(i); now -= c.size[i] }
		else if (waiting.length) c.death[waiting.splice(random(waiting.length), 1)[0]] = e
		allocated.push(now)
		reserved.push(now)
	}
	const ints = a => Int32Array.from(a)
	return new Lives({ birth: ints(c.birth), freed: ints(c.freed), death: ints(c.death), size: Float64Array.from(c.size), address: Float64Array.from(c.address) },
		{ time: new Float64Array(events).fill(NaN), allocated: Float64Array.from(allocated), reserved: Float64Array.from(reserved), action: new Uint8Array(events) })
}
const classes = [{ class: 0, name: 'free (cached)', rgb: '#f2f2f2' }, { class: 2, name: 'freed, waiting', rgb: '#56b4e9' }, ...[4, 5, 6].map(k => ({ class: k, name: 'k' + k, rgb: ['#a30710', '#e09f20', '#2d9d7c'][k - 4], pattern: 'plain' }))]
const background = 0xff00ff00
for (let seed = 1; seed <= 12; seed++) {
	const lives = program(seed, 40 + seed * 37, seed % 3 * 5), palette = new Palette('holder', { classes, of: Uint8Array.from({ length: lives.n }, (_, i) => 4 + (i * 7 + seed) % 3) })
	for (const by of ['birth', 'color']) {
		const order = orderOf(lives, palette, by), pile = new Pile(lives, order)
		const sorted = Array.from({ length: lives.n }, (_, i) => i).sort((a, b) => by === 'birth' ? a - b : palette.of[a] - palette.of[b] || a - b)
		expect(`seed ${seed}: the order by ${by}`, Array.from(order), sorted)
		const there = e => sorted.filter(i => lives.birth[i] <= e && (lives.death[i] < 0 || lives.death[i] > e))
		for (const e of [-1, lives.events - 1, 3, 20, 19, lives.events >> 1, -1, 7]) {
			pile.go(e)
			const now = there(e), sum = now.reduce((all, i) => all + lives.size[i], 0), seen = []
			expect(`seed ${seed}: bytes after ${e}`, pile.bytes, sum)
			pile.walk(0, Infinity, (life, below) => { seen.push([life, below]) })
			let below = 0
			expect(`seed ${seed}: the pile after ${e}`, seen, now.map(i => { const at = [i, below]; below += lives.size[i]; return at }))
			for (const [life, from] of seen.slice(0, 30)) {
				expect(`seed ${seed}: below ${life}`, pile.below(life), from)
				expect(`seed ${seed}: what lies in the middle of ${life}`, pile.at(from + lives.size[life] / 2), { life, from })
			}
			expect(`seed ${seed}: nothing lies above`, pile.at(sum), null)
			expect(`seed ${seed}: who waits after ${e}`, now.filter(i => pile.waiting[pile.place[i]]), now.filter(i => lives.freed[i] >= 0 && lives.freed[i] <= e))
		}
		paintedAsByHand(seed, lives, palette, by, sorted)
	}
	for (const columns of [3 * lives.events, lives.events >> 2]) {
		const ends = Array.from({ length: columns }, (_, x) => Math.floor((x + 1) / columns * (lives.events + 1)) - 2), narrow = columns >= lives.events
		const waiting = e => { let all = 0; for (let i = 0; i < lives.n; i++) if (lives.pendingAt(i, e)) all += lives.size[i]; return all }
		const lone = e => !narrow && !waiting(e - 1) && !waiting(e + 1) && lives.freed.some((f, i) => f === e && lives.death[i] === e + 1)
		const wanted = ends.map((end, x) => {
			let most = 0
			for (let e = Math.max(0, ends.findLast((z, k) => k < x && z < end) + 1 || 0); e <= end; e++) if (waiting(e) && !lone(e)) most = Math.max(most, lives.curve.allocated.at(e) + waiting(e))
			return most
		})
		expect(`seed ${seed}: the most with what waits, in ${columns} columns`, Array.from(lives.mostHeld(ends)), wanted)
	}
}

// Each pixel of a painted picture against a reckoning without trees.
function paintedAsByHand(seed, lives, palette, by, sorted) {
	const width = 23, height = 57, bands = new Bands(lives, palette, by), image = { width, height, data: new Uint8ClampedArray(4 * width * height) }
	const light = seed % 2 ? Uint8Array.from({ length: lives.n }, (_, i) => i % 11 === 3 ? 1 : 0) : null
	bands.setLight(light)
	const from = -1, to = lives.events, low = seed % 4 === 0 ? lives.most * 0.3 : 0, high = lives.most * 1.05
	const eventOf = x => Math.max(-1, Math.min(lives.events - 1, Math.floor(from + x / width * (to - from) - 1e-9)))
	const columns = bands.paint(image, { low, high, eventOf }, background), pixels = new Uint32Array(image.data.buffer)
	// From the right, where the pile now is, in the smallest parts; then from the left again, behind a look at the middle.
	for (const side of ['right', 'left']) {
		const other = { width, height, data: new Uint8ClampedArray(4 * width * height) }, job = bands.begin(other, { low, high, eventOf }, background)
		expect(`seed ${seed}: painted from the ${side}`, job.step, side === 'right' ? -1 : 1)
		while (!bands.run(job, -1)) bands.after(lives.events >> 1)
		expect(`seed ${seed}: the same picture`, [Buffer.from(other.data.buffer).equals(Buffer.from(image.data.buffer)), job.columns], [true, columns])
	}
	let wrong = 0, dropped = 0
	for (let x = 0; x < width; x++) {
		const a = eventOf(x), b = eventOf(x + 1)
		let shown = b > a ? a + 1 : a
		for (let e = a + 1; e <= b; e++) if (lives.curve.allocated.at(e) > lives.curve.allocated.at(shown)) shown = e
		const passing = sorted.filter(i => lives.birth[i] > a && lives.birth[i] >= 0 && lives.death[i] >= 0 && lives.death[i] <= b && (lives.birth[i] > shown || lives.death[i] <= shown))
		expect(`seed ${seed}, column ${x}: its moment and what passes`, [columns.event[x], columns.passed[x], columns.passedBytes[x]], [shown, passing.length, passing.reduce((all, i) => all + lives.size[i], 0)])
		const shares = Array.from({ length: height }, () => new Map()), perPixel = (high - low) / height
		let below = 0
		for (const i of sorted) {
			if (lives.birth[i] > shown || (lives.death[i] >= 0 && lives.death[i] <= shown)) continue
			const bottom = (below - low) / perPixel, top = (below + lives.size[i] - low) / perPixel, waits = lives.freed[i] >= 0 && lives.freed[i] <= shown
			below += lives.size[i]
			for (let y = Math.max(0, Math.floor(bottom)); y < Math.min(height, Math.ceil(top)); y++) shares[y].set(i, { bytes: Math.min(top, y + 1) - Math.max(bottom, y), kind: waits ? 2 : palette.of[i], lit: light?.[i] })
		}
		shares.forEach((inside, y) => {
			// A piece of less than a quarter of a pixel may stand in the pixel beside it.
			const got = pixels[(height - 1 - y) * width + x], all = [...inside.values()], beside = [...(shares[y - 1]?.values() || []), ...(shares[y + 1]?.values() || [])].filter(p => p.bytes < 0.25)
			const looks = k => Array.from(palette.pixels.subarray(k * 16, k * 16 + 16)), share = all.reduce((sum, p) => sum + p.bytes, 0)
			if (got === background ? share >= 0.25 : ![...all, ...beside].some(p => looks(p.kind).includes(got))) wrong++
			// What is lit is never merged away: its pixel is not a faded one.
			if (all.some(p => p.lit) && all.filter(p => p.lit).every(p => !looks(p.kind).slice(0, 5).includes(got))) dropped++
		})
	}
	expect(`seed ${seed}, by ${by}: pixels of no block in them`, wrong, 0)
	expect(`seed ${seed}, by ${by}: lit blocks that are not seen`, dropped, 0)
}

// What the browser practises drawing on: each event's bytes are those of the blocks that live behind it, many at once, some of them waiting.
{
	const few = 1200, small = { birth: new Int32Array(few), freed: new Int32Array(few), death: new Int32Array(few), size: Float64Array.from({ length: few }, (_, i) => 512 * (1 + i % 7)), category: new Uint8Array(few) }
	const made = crowd({ lives: small, curve: { action: 1 }, colors: { classes: [], of: Uint8Array.from({ length: few }, (_, i) => i % 5) } }), lives = new Lives(made.lives, made.curve)
	let wrong = 0, most = 0, waits = 0
	for (let e = 0; e < lives.events; e += 5) {
		let bytes = 0, n = 0
		for (let i = 0; i < lives.n; i++) if (lives.livesAt(i, e)) { bytes += lives.size[i]; n++; waits += lives.pendingAt(i, e) ? 1 : 0 }
		if (bytes !== lives.curve.allocated[e]) wrong++
		most = Math.max(most, n)
	}
	expect('a crowd: events whose bytes are not those of its blocks', wrong, 0)
	expect('twice as many blocks, many at once, some waiting, and what they came from as it was', [lives.n, most > 1000, waits > 0, small.size[0], made.colors.of.length], [2 * few, true, true, 512, 2 * few])
}

const long = readdirSync(folder).filter(n => n.endsWith('.js')).flatMap(n => readFileSync(new URL(n, folder), 'utf8').split('\n').map((l, i) => [n, i + 1, l])).filter(([, , l]) => /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|\bfetch\(|XMLHttpRequest|WebSocket/.test(l))
expect('no markup is made of texts, and nothing asks a network', long.map(([n, i]) => n + ':' + i), [])
console.log(`viewer: ${passed} passed, ${failed} failed`)
process.exit(failed ? 1 : 0)
