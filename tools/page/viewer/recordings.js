// The recordings that are open, a worker each; the one that is shown.
const recordings = []	// Shown
let showing = null	// the recording whose pictures stand in the page
const current = () => recordings[view.file] || null

// A recording with what the page has of the device that is shown.
class Shown {
	constructor(name, size) {
		Object.assign(this, { name, size, state: 'reading', done: 0, settles: false, warnings: [], outline: null, failedAt: null, devices: new Map() })
	}
	get device() { return this.outline?.devices.find(d => d.device === view.device) || this.outline?.devices[0] || null }
	// For asks: left out where the file gives the device no number.
	get number() { return this.device?.device ?? undefined }
	// Whether there is a heap to draw.
	get drawn() { return Boolean(this.lives && this.device.has_heap !== false) }
	// The device that the verdict speaks of; before there is one that of the last failure, else the first that has events.
	get usualDevice() {
		const all = this.outline.devices, told = all.find(d => d.device === this.toldDevice), last = d => Math.max(-1, ...d.failures.map(f => f.time_us ?? f.idx))
		const failed = all.filter(d => d.failures.length).sort((a, b) => last(b) - last(a))
		return told || failed[0] || all.find(d => d.events) || all[0] || null
	}
	get kept() {
		const key = this.device?.device
		if (!this.devices.has(key)) this.devices.set(key, { palettes: new Map() })
		return this.devices.get(key)
	}
	get lives() { return this.kept.lives }
	// Whether blocks come or go in the recording.
	get moves() { return this.lives ? this.kept.moves ??= this.lives.change.some(c => c >= 0) : false }
	// Whether the colours of holders would tell nothing: one for all, and nobody's.
	get nameless() { return view.color === 'holder' && this.palette.of.every((k, _, all) => k === all[0]) && !this.device.holders.some(h => /:\d/.test(h.where)) }
	get palette() { return this.kept.palettes.get(view.color) }
	get capacity() { return this.device?.capacity ?? this.device?.failures.find(f => f.capacity > 0)?.capacity ?? null }
	get top() {
		const most = this.lives?.most || 1, capacity = this.capacity
		return (capacity > 0 && capacity <= 2 * most ? Math.max(capacity, most) : most) * 1.05
	}
	get timeline() { return this.lives ? timeline : null }
	ask(op, options) { return this.recording.ask(op, options) }
	// What load() and loadPalette() will ask.
	get firstAsked() { return [['lives', { columns: LIFE_COLUMNS }], ['curve', { columns: CURVE_COLUMNS }], ['colors', { by: view.color }]] }
	// lives, curve and colours of the device; the same promise however often it is asked.
	load() {
		const kept = this.kept, device = this.number
		kept.loading = kept.loading || Promise.all([this.ask('lives', { device, columns: LIFE_COLUMNS }), this.ask('curve', { device, columns: CURVE_COLUMNS })]).then(([lives, curve]) => { kept.lives = new Lives(lives, curve) })
		return kept.loading
	}
	async loadPalette(by) {
		const kept = this.kept, device = this.number
		if (kept.palettes.has(by)) return
		if (by === 'step' || by === 'pool') {
			await this.load()
			await this.loadPalette('category')
			const common = kept.palettes.get('category').classes
			kept.palettes.set(by, by === 'step' ? stepPalette(this, common) : poolPalette(this, common))
		} else kept.palettes.set(by, new Palette(by, await this.ask('colors', { device, by })))
	}
}

const MOST_OWN = 240	// classes of one's own, of the 256 that a byte can tell

// Steps as colours along a scale, so many to a class that all have one.
function stepPalette(shown, common) {
	const { lives } = shown, { steps } = shown.device, each = Math.ceil(steps.length / MOST_OWN) || 1, classes = Math.ceil(steps.length / each), of = new Uint8Array(lives.n)
	for (let i = 0, s = 0; i < lives.n; i++) {
		while (s < steps.length && lives.birth[i] > steps[s].last_idx) s++
		of[i] = 4 + (s < steps.length && lives.birth[i] >= steps[s].first_idx ? Math.floor(s / each) : classes)
	}
	const name = k => { const a = steps[k * each], z = steps[Math.min(steps.length, (k + 1) * each) - 1]; return 'born in ' + a.name + (z === a ? '' : ' to ' + z.name) }
	const palette = ownPalette('step', of, Array.from({ length: classes }, (_, k) => [name(k), alongScale(classes < 2 ? 0.5 : k / (classes - 1))]).concat([['born in no step', '#bdbdbd', 'dotted']]), common)
	palette.byClass.get(4 + classes).label = ''
	if (!steps.length) palette.remark = 'no steps are known'
	return palette
}

function poolPalette(shown, common) {
	const { lives } = shown, { pools } = shown.device, most = Math.min(pools.length, MOST_OWN), of = new Uint8Array(lives.n), six = ['#24325f', '#e09f20', '#2d9d7c', '#8d4ad2', '#a30710', '#d0c5fd']
	for (let i = 0; i < lives.n; i++) of[i] = 4 + (lives.pool[i] >= pools.length ? most + 1 : Math.min(lives.pool[i], most))
	return ownPalette('pool', of, pools.slice(0, most).map((p, i) => [poolText(p), six[i % 6], ['plain', 'hatched', 'dotted', 'checked'][Math.floor(i / 6) % 4]]).concat([['other pools', '#bdbdbd', 'dotted'], ['of a pool that is not told', '#c9d3de', 'hatched']]), common)
}

// So many are read at a time; each has a worker of its own.
const READERS = Math.max(2, Math.min(8, navigator.hardwareConcurrency || 4))

// told: of a report, whose first recording is the one that it tells of above the viewer.
async function openBlobs(list, told = false) {
	const waiting = list.map(({ blob, name, error }, i) => {
		const shown = new Shown(name, blob.size ?? 0)
		shown.told = told && !i
		recordings.push(shown)
		return { shown, blob, error }
	})
	part('viewer').classList.add('open')
	drawRanks()
	const before = showing, alone = list.length === 1
	if (before) part('viewer').scrollIntoView({ block: 'start' })
	// Whoever opens one file wants to see it, unless they have chosen another while it was read; of several the list is shown first, and whichever
	// is read first, but in a report the one that its picture is of.
	const awaited = recordings.find(r => r.told && r.state === 'reading')
	const wins = shown => showing === shown || (!showing && (shown === awaited || awaited?.state !== 'reading')) || (alone && showing === before)
	const reader = async () => { for (let next; (next = waiting.shift());) if (recordings.includes(next.shown)) await openOne(next, alone, wins) }
	await Promise.all(Array.from({ length: Math.min(READERS, list.length) }, reader))
	const open = recordings.findIndex(r => r.outline)
	if (!showing && open >= 0) showRecording(open)	// the awaited one could not be read
}

// error: why there is nothing to read.
async function openOne({ shown, blob, error }, alone, wins) {
	const stop = shown.stop = new AbortController()
	let before = null
	try {
		if (error) throw error
		shown.recording = await gpusnap.open(blob, {
			name: shown.name, signal: stop.signal, ahead: alone ? shown.firstAsked : [], progress: (read, size) => showProgress(shown, size ? read / size : 0),
			opened: recording => {
				shown.recording = recording
				shown.warnings = recording.warnings
				if (shown.warnings.length) shown.told = false	// it is not what the report was made of: what it has is told by itself
				if (!alone || !wins(shown)) return
				before = showing
				showFirst(shown)
			},
		})
		shown.outline = shown.recording.outline
		shown.failedAt = lastFailure(shown.outline)
		shown.warnings = shown.recording.warnings || []
		shown.state = 'open'
		// The overview comes as soon as one is read; the others join the list as they are.
		if (wins(shown)) await showRecording(recordings.indexOf(shown), takeWanted(shown))
		else if (wantedView.name === shown.name) await showRecording(recordings.indexOf(shown), takeWanted(shown))
		else await judgeQuietly(shown)
	} catch (e) {
		if (showing === shown) {
			showing = null
			part('viewer').classList.remove('shown')
			standIn()
		}
		if (!showing && recordings.includes(before)) showRecording(recordings.indexOf(before))
		shown.state = e.code === 'cancelled' ? 'cancelled' : 'failed'
		shown.error = e.code === 'trap' ? 'the analyzer crashed on this file; the page goes on (' + e.message + ')' : e.message
		announce(shown.name + ': ' + shown.error)
	}
	drawRank(shown)
}

// What the fragment asked for, once: for the recording that it names.
function takeWanted(shown) {
	const asked = wantedView
	if (asked.name && asked.name !== shown.name) return {}
	wantedView = {}
	return asked
}

// The verdict and the outline of one that is not shown, for the list. A large one then gives its memory back; it is read again when it is
// looked at.
const LARGE = 64 << 20, MOST_SKETCHED = 1000
async function judgeQuietly(shown) {
	try {
		shown.verdict = readVerdict(await shown.ask('diagnose', { form: 'text', width: 100 })).headline
		drawRank(shown)
		if (recordings.length <= MOST_SKETCHED) await sketch(shown)
		if (shown.size > LARGE && shown !== showing) shown.recording.close()
	} catch (e) { shown.verdict = shown.verdict || e.message }
	drawRank(shown)
}

// Memory over time in the size of a word, for the list of recordings.
async function sketch(shown) {
	const device = shown.usualDevice
	if (shown.sketch || !device?.events) return
	const curve = shown === showing && shown.lives ? shown.lives.curve : await shown.ask('curve', { device: device.device ?? undefined, columns: CURVE_COLUMNS })
	const canvas = element('canvas', { width: 240, height: 36, class: 'sketch', role: 'img', 'aria-label': 'memory over time of ' + shown.name }), c = canvas.getContext('2d'), n = curve.allocated.length
	const allocated = new Peaks(curve.allocated), reserved = new Peaks(curve.reserved), most = Math.max(reserved.values.at(reserved.between(0, n - 1)), allocated.values.at(allocated.between(0, n - 1))) || 1
	for (const [peaks, color] of [[reserved, styled('cache')], [allocated, styled('use')]]) {
		c.fillStyle = color
		for (let x = 0; x < 240; x++) {
			const a = Math.floor(x / 240 * n), tall = peaks.values.at(peaks.between(a, Math.max(a, Math.floor((x + 1) / 240 * n) - 1))) / most * 35
			c.fillRect(x, 36 - tall, 1, tall)
		}
	}
	c.fillStyle = styled('accent')
	for (const f of failedEvents(device)) c.fillRect(f.idx / n * 240, 0, 2, 36)
	shown.sketch = canvas
}

// One that has not begun yet waits for its turn no longer.
function stopReading(shown) {
	if (shown.stop) return shown.stop.abort()
	closeRecording(recordings.indexOf(shown))
}

function closeRecording(at) {
	const shown = recordings[at]
	shown.stop?.abort()
	shown.recording?.close()
	recordings.splice(at, 1)
	if (shown === showing) {
		showing = null
		part('viewer').classList.remove('shown')
		standIn()
	}
	if (!recordings.length) {
		part('viewer').classList.remove('open')
		timeline.lives = null
		document.title = 'gpusnap'
		view.file = 0
		return drawRanks()
	}
	const before = view.file
	view.file = at < before ? before - 1 : before
	if (showing) return drawRanks()
	view.file = recordings.findIndex(r => r.outline)
	if (view.file < 0) {
		view.file = 0
		drawRanks()
	} else showRecording(view.file)
}

// In place: a list that is made anew under a pointer loses its clicks.
function showProgress(shown, done) {
	shown.done = done
	if (!shown.bar) return
	shown.bar.value = done
	shown.row.querySelector('.rank-said').textContent = readingText(shown)
}
const readingText = shown => `reading ${Math.round(shown.done * 100)} %` + (shown.size ? ` of ${sizeText(shown.size)}` : '')

// When a recording last failed; null: it did not; NaN: it tells no time.
function lastFailure(outline) {
	const all = outline.devices.flatMap(d => d.failures)
	return all.length ? Math.max(...all.map(f => f.time_us ?? NaN)) : null
}

// Of several that failed the one whose failure came first is marked, as the command picks it: by the time of the last failure of each. Where
// a time is not known, none is.
function markFirst() {
	const failed = recordings.filter(r => r.failedAt !== null), told = failed.length > 1 && !failed.some(r => Number.isNaN(r.failedAt))
	const first = told ? failed.reduce((a, b) => b.failedAt < a.failedAt ? b : a) : null
	for (const r of recordings) r.row?.classList.toggle('first', r === first)
}

// The list of what is open: name, size, verdict; one line each, the chosen one marked.
function drawRanks() {
	const root = part('viewer'), several = recordings.length > 1, inBar = !several && root.classList.contains('shown')
	root.classList.toggle('several', several)
	if (inBar !== Boolean(part('ranks').closest('.bar'))) root.querySelector(inBar ? '#gpusnap-device' : '.bar').after(part('ranks'))	// one that is shown has room in the bar
	tellBusy()
	keepFocus(part('ranks'), () => fill(part('ranks'), recordings.map(r => r.row = rankRow(r)), canCompare() ? element('li', { class: 'compare' }, button('compare two', 'what is held more, less, new, gone', () => { compared.a = compared.b = ''; change({ tab: 'compare' }); part('tabs').scrollIntoView({ block: 'start' }) }, { class: 'plain link', 'aria-label': 'compare two recordings' })) : null))
	markFirst()
}

// Whether something is read that nothing else stands in for: else the page says again what to do.
function tellBusy() { part('viewer').classList.toggle('busy', recordings.some(r => r.state === 'reading')) }

const canCompare = () => recordings.findIndex(r => r.outline) !== recordings.findLastIndex(r => r.outline) && tabsNow().some(t => t.name === 'compare')

// One line of it anew: of thousands the others stay.
function drawRank(shown) {
	const row = shown.row
	if (!row?.isConnected || recordings.length < 3 || canCompare() === !part('ranks').querySelector('.compare')) return drawRanks()
	shown.row = rankRow(shown)
	row.replaceWith(shown.row)
	tellBusy()
	markFirst()
}

function rankRow(r) {
	const chosen = r === current(), said = r.state === 'reading' ? readingText(r) : r.state === 'open' ? r.verdict || '' : r.error || r.state
	const name = button(r.name, `show ${r.name}`, () => r.outline && showRecording(recordings.indexOf(r)), { class: 'rank-name', 'aria-pressed': String(chosen), disabled: !r.outline })
	r.bar = r.state === 'reading' ? element('progress', { max: 1, value: r.done, 'aria-label': 'reading ' + r.name }) : null
	const end = r.state === 'reading' ? `stop reading ${r.name}` : `close ${r.name}`
	return element('li', { class: 'rank ' + r.state + (chosen ? ' chosen' : '') }, name,
		r.bar,
		recordings.length > 1 ? r.sketch : null, element('b', { class: 'first-mark' }, 'failed first'), r.state === 'open' ? element('span', { class: 'rank-word' }, said.split(':')[0]) : null, element('span', { class: 'rank-said', title: said }, said),
		button(r.state === 'reading' ? 'cancel' : '×', end, () => r.state === 'reading' ? stopReading(r) : closeRecording(recordings.indexOf(r)), { class: 'plain', 'aria-label': end }))
}

// The verdict on the only recording comes before all else that is read off it.
function showFirst(shown) {
	turnTo(shown)
	part('viewer').classList.add('shown')
	drawRanks()
	shown.judging = showVerdict(shown)
}

async function showRecording(at, asked = {}) {
	const shown = recordings[at], judging = shown?.judging
	if (!shown?.outline) return
	if (showing !== shown || view.file !== at) turnTo(shown)
	shown.judging = null
	part('viewer').classList.add('shown')
	for (const name of ['color', 'order', 'tab']) if (asked[name]) view[name] = asked[name]
	putAway()
	drawRanks()
	const verdict = judging || showVerdict(shown)
	if (shown.outline.devices.length > 1) await verdict	// it says which of them is shown first
	if (current() !== shown) return
	view.device = (shown.outline.devices.find(d => asked.device !== null && d.device === asked.device) || shown.usualDevice)?.device ?? null
	await showDevice(asked)
	verdict.then(() => tellFacts(shown))
}

// What is looked at belongs to one recording (of several devices: to one of them): it is put away with it and comes back with it.
let onScreen = null	// what the page has of the device that the members of view below speak of
const OWN = ['moment', 'span', 'life', 'search', 'axis', 'from', 'to', 'low', 'high']

function putAway() {
	if (onScreen) onScreen.looked = Object.fromEntries(OWN.map(name => [name, view[name]]))
	onScreen = null
	Object.assign(view, { moment: null, span: null, search: '' })
	part('search').value = part('found').textContent = ''
	part('unlight').hidden = true
	change({ life: -1, hole: null })
}

// A report's own picture stands where nothing shows the same.
function standIn() {
	if (part('stand-in')) part('stand-in').hidden = Boolean(showing?.told && !part('pictures').hidden)
}

// Nothing of the recording before stays beside the verdict of this one.
function turnTo(shown) {
	putAway()
	part('viewer').classList.remove('flat')
	part('viewer').classList.toggle('other', !shown.told)
	view.file = recordings.indexOf(shown)
	showing = shown
	if (shown.outline && shown.lives) return
	part('pictures').hidden = true
	fill(part('panel'), element('p', { class: 'remark' }, 'reading …'))
}

function bringBack(shown, asked) {
	const looked = onScreen.looked
	if (asked.search) part('search').value = view.search = asked.search
	applyAsked(shown, asked)
	if (!looked || Object.values(asked).some(v => v !== null && v !== undefined)) return
	part('search').value = looked.search
	view.search = looked.search
	if (looked.axis === view.axis) { timeline.look(looked.from, looked.to); timeline.lookBytes(looked.low, looked.high) }
	change({ moment: looked.moment, span: looked.span, life: looked.life })
}

const bySize = { wanted: null }	// coloured by size because nobody is named in the recording that is shown

// Whether the first picture of what is shown is being drawn: what stands around it is drawn behind it, not with each change of the view before.
const settling = () => Boolean(current()?.settles)

// Everything of the device that view names.
async function showDevice(asked = {}) {
	const shown = current(), device = shown.device
	putAway()
	if (bySize.wanted && view.color === 'size') view.color = 'holder'
	bySize.wanted = null
	drawDeviceChoice(shown)
	if (!device || device.has_heap === false) return noPictures(shown, 'the file tells of no heap')
	announce('reading the blocks of ' + shown.name)
	try {
		await Promise.all([shown.load(), view.color && shown.loadPalette(view.color)])
		if (asked.color === undefined && shown.nameless) await shown.loadPalette(view.color = bySize.wanted = 'size')
	} catch (e) { return noPictures(shown, e.message) }
	if (current() !== shown || shown.device !== device) return
	shown.settles = true
	try { await showFirstPicture(shown, asked) } finally { shown.settles = false }
	if (current() !== shown || shown.device !== device) return
	drawLegend(shown)
	tellFound()
	linkHolders(shown, part('verdict'))
	drawTab()
	announce(shown.verdict || shown.name + ' is shown')
}

// Until it is on the screen: what stands around it waits for it.
async function showFirstPicture(shown, asked) {
	const { lives, device } = shown
	onScreen = shown.kept
	part('viewer').classList.remove('flat')
	part('pictures').hidden = false
	part('viewer').classList.add('live')
	standIn()
	part('of').textContent = shown.name
	part('pictures').classList.toggle('still', !shown.moves)
	if (asked.axis === 'time' && lives.timed) view.axis = 'time'
	if (!lives.timed) view.axis = 'event'
	if (canCompare() !== Boolean(part('ranks').querySelector('.compare'))) drawRanks()
	drawTools(shown)
	timeline.show(shown, new Bands(lives, shown.palette, view.order))
	timeline.whole()
	bringBack(shown, asked)
	if (view.moment === null) {
		const failure = failedEvents(device).at(-1)?.idx
		change({ moment: failure ?? (device.peak && device.peak.idx >= 0 ? device.peak.idx : lives.events - 1) })
	}
	if (view.search && !searchLight(shown)) runSearch()
	else relight(shown)
	await frameShown()
}

function applyAsked(shown, asked) {
	const lives = shown.lives, clamp = e => Math.max(0, Math.min(lives.events - 1, e))
	if (asked.view) timeline.look(...asked.view)
	if (asked.bytes) timeline.lookBytes(...asked.bytes)
	if (asked.moment !== null && asked.moment !== undefined) change({ moment: clamp(asked.moment) })
	if (asked.span) change({ span: asked.span.map(clamp) })
	if (asked.block) change({ life: lives.find(asked.block.address, asked.block.birth) })
}

function noPictures(shown, why) {
	part('viewer').classList.add('flat')
	part('pictures').hidden = true
	standIn()
	drawTab()
	announce(why)
}

function drawDeviceChoice(shown) {
	const { devices } = shown.outline	// nothing of a text is told by device but its verdict, which names its own
	fill(part('device'), devices.length < 2 || !devices.some(d => d.has_heap !== false) ? null : element('label', null, 'device ', select('device', devices.map(d => [String(d.device), `${d.device}${d.name ? ' ' + d.name : ''}${d.failures.length ? ' (failed)' : ''}`]), String(view.device), v => { view.device = Number(v); showDevice() })))
}
