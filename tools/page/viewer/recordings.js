// The recordings that are open, a worker each; the one that is shown.
const recordings = []	// Shown
let showing = null	// the recording whose pictures stand in the page
const current = () => recordings[view.file] || null

// A recording with what the page has of the device that is shown.
class Shown {
	constructor(name, size) {
		Object.assign(this, { name, size, state: 'reading', done: 0, warnings: [], outline: null, devices: new Map() })
	}
	get device() { return this.outline?.devices.find(d => d.device === view.device) || this.outline?.devices[0] || null }
	// For asks: left out where the file gives the device no number.
	get number() { return this.device?.device ?? undefined }
	// Whether there is a heap to draw.
	get drawn() { return Boolean(this.lives && this.device.has_heap !== false) }
	// The device that the verdict speaks of: that of the last failure, else the first that has events.
	get usualDevice() {
		const all = this.outline.devices, last = d => Math.max(-1, ...d.failures.map(f => f.time_us ?? f.idx))
		const failed = all.filter(d => d.failures.length).sort((a, b) => last(b) - last(a))
		return failed[0] || all.find(d => d.events) || all[0] || null
	}
	get kept() {
		const key = this.device?.device
		if (!this.devices.has(key)) this.devices.set(key, { palettes: new Map() })
		return this.devices.get(key)
	}
	get lives() { return this.kept.lives }
	get palette() { return this.kept.palettes.get(view.color) }
	get capacity() { return this.device?.capacity ?? this.device?.failures.find(f => f.capacity > 0)?.capacity ?? null }
	get top() {
		const most = this.lives?.most || 1, capacity = this.capacity
		return (capacity > 0 && capacity <= 2 * most ? Math.max(capacity, most) : most) * 1.05
	}
	get timeline() { return this.lives ? timeline : null }
	ask(op, options) { return this.recording.ask(op, options) }
	// lives, curve and colours of the device; the same promise however often it is asked.
	load() {
		const kept = this.kept, device = this.number
		kept.loading = kept.loading || Promise.all([this.ask('lives', { device }), this.ask('curve', { device })]).then(([lives, curve]) => { kept.lives = new Lives(lives, curve) })
		return kept.loading
	}
	async loadPalette(by) {
		const kept = this.kept, device = this.number
		if (kept.palettes.has(by)) return
		if (by === 'step' || by === 'pool') {
			await this.loadPalette('category')
			const common = kept.palettes.get('category').classes
			kept.palettes.set(by, by === 'step' ? stepPalette(this, common) : poolPalette(this, common))
		} else kept.palettes.set(by, new Palette(by, await this.ask('colors', { device, by })))
	}
}

const MOST_OWN = 251	// classes of one's own in a byte

function stepPalette(shown, common) {
	const { lives, device } = shown, steps = device.steps.slice(0, MOST_OWN - 1), of = new Uint8Array(lives.n)
	for (let i = 0, s = 0; i < lives.n; i++) {
		while (s < steps.length && lives.birth[i] > steps[s].last_idx) s++
		of[i] = s < steps.length && lives.birth[i] >= steps[s].first_idx ? 4 + s : 4 + steps.length
	}
	const palette = ownPalette('step', of, [...steps.map(s => 'born in ' + s.name), 'born in no step'], common)
	palette.byClass.get(4 + steps.length).label = ''
	if (!steps.length) palette.remark = 'no steps are known'
	return palette
}

function poolPalette(shown, common) {
	const { lives, device } = shown, most = Math.min(device.pools.length, MOST_OWN - 1), of = new Uint8Array(lives.n)
	for (let i = 0; i < lives.n; i++) of[i] = 4 + Math.min(lives.pool[i], most)
	return ownPalette('pool', of, [...device.pools.slice(0, most).map(p => 'pool ' + p), 'other pools'], common)
}

async function openBlobs(list) {
	await Promise.all(list.map(async ({ blob, name }) => {
		const shown = new Shown(name, blob.size ?? 0)
		recordings.push(shown)
		part('viewer').classList.add('open')
		drawRanks()
		await openOne(shown, blob)
	}))
}

async function openOne(shown, blob) {
	const stop = shown.stop = new AbortController()
	try {
		shown.recording = await gpusnap.open(blob, { name: shown.name, signal: stop.signal, progress: (read, size) => { shown.done = size ? read / size : 0; drawRanks() } })
		shown.outline = shown.recording.outline
		shown.warnings = shown.recording.warnings || []
		shown.state = 'open'
		// The overview comes as soon as one is read; the others join the list as they are.
		if (!showing) await showRecording(recordings.indexOf(shown), takeWanted(shown))
		else if (wantedView.name === shown.name) await showRecording(recordings.indexOf(shown), takeWanted(shown))
		else judgeQuietly(shown)
	} catch (e) {
		shown.state = e.code === 'cancelled' ? 'cancelled' : 'failed'
		shown.error = e.code === 'trap' ? 'the analyzer crashed on this file; the page goes on (' + e.message + ')' : e.message
		announce(shown.name + ': ' + shown.error)
	}
	drawRanks()
}

// What the fragment asked for, once: for the recording that it names.
function takeWanted(shown) {
	const asked = wantedView
	if (asked.name && asked.name !== shown.name) return {}
	wantedView = {}
	return asked
}

async function judgeQuietly(shown) {
	try { shown.verdict = readVerdict(await shown.ask('diagnose', { form: 'text', width: 100 })).headline } catch (e) { shown.verdict = e.message }
	drawRanks()
}

function closeRecording(at) {
	const shown = recordings[at]
	shown.stop?.abort()
	shown.recording?.close()
	recordings.splice(at, 1)
	if (shown === showing) showing = null
	if (!recordings.length) {
		part('viewer').classList.remove('open')
		timeline.lives = null
		document.title = 'gpusnap'
		view.file = 0
		return drawRanks()
	}
	const next = at < view.file ? view.file - 1 : Math.min(view.file, recordings.length - 1)
	view.file = -1
	showRecording(next)
}

// The list of what is open: name, size, verdict; one line each, the chosen one marked.
function drawRanks() {
	const host = part('ranks')
	part('viewer').classList.toggle('several', recordings.length > 1)
	fill(host, recordings.map((r, i) => {
		const said = r.state === 'reading' ? `reading ${Math.round(r.done * 100)} %` : r.state === 'open' ? r.verdict || '' : r.error || r.state
		const name = button(r.name, `show ${r.name}`, () => r.outline && showRecording(i), { class: 'rank-name', 'aria-pressed': String(i === view.file), disabled: !r.outline })
		return element('li', { class: 'rank ' + r.state + (i === view.file ? ' chosen' : '') }, name,
			r.state === 'reading' ? element('progress', { max: 1, value: r.done, 'aria-label': 'reading ' + r.name }) : null,
			element('span', { class: 'rank-said' }, said),
			button(r.state === 'reading' ? 'cancel' : '×', r.state === 'reading' ? `stop reading ${r.name}` : `close ${r.name}`, () => r.state === 'reading' ? r.stop.abort() : closeRecording(i), { class: 'plain' }))
	}))
}

async function showRecording(at, asked = {}) {
	const shown = recordings[at]
	if (!shown?.outline) return
	view.file = at
	showing = shown
	view.device = (shown.outline.devices.find(d => asked.device !== null && d.device === asked.device) || shown.usualDevice)?.device ?? null
	drawRanks()
	showVerdict(shown)
	await showDevice(asked)
}

// Everything of the device that view names.
async function showDevice(asked = {}) {
	const shown = current(), device = shown.device
	Object.assign(view, { moment: null, span: null, life: -1 })
	drawDeviceChoice(shown)
	if (!device || device.has_heap === false) return noPictures(shown, 'the file tells of no heap')
	part('pictures').hidden = false
	announce('reading the blocks of ' + shown.name)
	try {
		await shown.load()
		if (view.color) await shown.loadPalette(view.color)
	} catch (e) { return noPictures(shown, e.message) }
	if (current() !== shown || shown.device !== device) return
	const lives = shown.lives
	part('pictures').classList.toggle('still', !lives.events)
	if (asked.axis === 'time' && lives.timed) view.axis = 'time'
	if (!lives.timed) view.axis = 'event'
	drawTools(shown)
	timeline.show(shown, new Bands(lives, shown.palette, view.order))
	timeline.whole()
	applyAsked(shown, asked)
	if (view.moment === null) {
		const failure = device.failures.length ? device.failures[device.failures.length - 1].idx : null
		change({ moment: failure ?? (device.peak && device.peak.idx >= 0 ? device.peak.idx : lives.events - 1) })
	}
	if (view.search) runSearch()
	drawLegend(shown)
	drawTab()
}

function applyAsked(shown, asked) {
	const lives = shown.lives, clamp = e => Math.max(-1, Math.min(lives.events - 1, e))
	if (asked.view) timeline.look(...asked.view)
	if (asked.bytes) timeline.lookBytes(...asked.bytes)
	if (asked.moment !== null && asked.moment !== undefined) change({ moment: clamp(asked.moment) })
	if (asked.span) change({ span: asked.span.map(clamp) })
	if (asked.block) change({ life: lives.find(asked.block.address, asked.block.birth) })
}

function noPictures(shown, why) {
	part('pictures').hidden = true
	drawTab()
	announce(why)
}

function drawDeviceChoice(shown) {
	const devices = shown.outline.devices
	fill(part('device'), devices.length < 2 ? null : element('label', null, 'device ', select('device', devices.map(d => [String(d.device), `${d.device}${d.name ? ' ' + d.name : ''}${d.failures.length ? ' (failed)' : ''}`]), String(view.device), v => { view.device = Number(v); showDevice() })))
}
