// What is being looked at. Whoever shows something of it watches it; all of it stands in the URL's fragment.
const view = {
	file: 0,	// number of the recording
	device: null,	// number of the device, as the file has it
	axis: 'event',
	from: 0, to: 1,	// the part in view: events, or microseconds
	low: 0, high: 1,	// bytes
	moment: null,	// what is shown is after this event
	span: null,	// [event, event]
	life: -1,	// the block that is chosen
	hole: null,	// or the free one at the moment, by its address
	color: 'holder',
	order: 'color',
	search: '',
	tab: 'moment',
}
const watchers = []

// Calls f(changed) after changes of any of the names (a set of those that changed).
function watch(names, f) { watchers.push({ names: names.split(' '), f }) }

function change(parts) {
	if (parts.moment < 0) parts.moment = 0
	if (view.hole !== null && parts.hole === undefined && ['moment', 'life', 'file'].some(k => k in parts)) parts.hole = null
	const changed = new Set(Object.keys(parts).filter(k => view[k] !== parts[k]))
	if (!changed.size) return
	Object.assign(view, parts)
	for (const w of watchers) if (w.names.some(n => changed.has(n))) w.f(changed)
	writeFragmentSoon()
}

let fragmentTimer = 0, fragmentKnown = location.hash	// as it was last written or read
function writeFragmentSoon() {
	clearTimeout(fragmentTimer)
	fragmentTimer = setTimeout(writeFragment, 250)
}

// A page may not be changed by a fragment that holds a name of ours and is no number: each value is checked when it is read.
function writeFragment() {
	const shown = current()
	if (!shown || location.hash !== fragmentKnown) return	// another address has been typed: it is read first
	const put = new URLSearchParams()
	put.set('file', shown.name)	// what follows is of this file, and of no other
	if (shown.outline.devices.length > 1) put.set('device', view.device)
	if (view.axis !== 'event') put.set('axis', view.axis)
	if (shown.timeline && !isWhole()) put.set('view', Math.round(view.from) + '_' + Math.round(view.to))
	if (view.low > 0 || view.high !== shown.timeline?.top) put.set('bytes', Math.round(view.low) + '_' + Math.round(view.high))
	if (view.moment !== null && shown.lives?.events) put.set('moment', view.moment)
	if (view.span) put.set('span', view.span.join('_'))
	if (view.life >= 0 && shown.lives) put.set('block', '0x' + BigInt(shown.lives.address.at(view.life)).toString(16) + '@' + shown.lives.birth[view.life])
	if (view.color !== 'holder') put.set('color', view.color)
	if (view.order !== 'color') put.set('order', view.order)
	if (view.search) put.set('find', view.search)
	if (view.tab !== 'moment') put.set('tab', view.tab)
	const text = put.toString()
	try { history.replaceState(null, '', text ? '#' + text : location.pathname + location.search) } catch { /* a page without an address of its own */ }
	fragmentKnown = location.hash
}

// What the fragment asks for, in the members of view; block as {address, birth}.
function readFragment() {
	fragmentKnown = location.hash
	const got = new URLSearchParams(location.hash.slice(1)), asked = {}
	const number = name => got.has(name) && /^-?\d+$/.test(got.get(name)) ? Number(got.get(name)) : null
	const pair = name => /^-?\d+_-?\d+$/.test(got.get(name) || '') ? got.get(name).split('_').map(Number) : null
	if (got.has('file')) asked.name = got.get('file')
	asked.device = number('device')
	asked.axis = got.get('axis') === 'time' ? 'time' : null
	asked.view = pair('view')
	asked.bytes = pair('bytes')
	asked.moment = number('moment')
	asked.span = pair('span')
	const block = /^(0x[0-9a-f]+)@(-?\d+)$/.exec(got.get('block') || '')
	if (block) asked.block = { address: Number(block[1]), birth: Number(block[2]) }
	if (COLORS.some(c => c[0] === got.get('color'))) asked.color = got.get('color')
	if (got.get('order') === 'birth') asked.order = 'birth'
	if (got.has('find')) asked.search = got.get('find')
	if (TABS.some(t => t.name === got.get('tab'))) asked.tab = got.get('tab')
	return asked
}
