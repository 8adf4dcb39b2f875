// The row of tools above the picture, and the tabs below it.
const TABS = [
	{ name: 'moment', title: 'moment', about: 'the heap after one event: every block, who holds it, what it is for', draw: drawMoment, of: 'moment', heap: true },
	{ name: 'span', title: 'span', about: 'between two events: what was born, what died, what stayed', draw: drawSpan, of: 'span', heap: true },
	{ name: 'compare', title: 'compare', about: 'two moments, or two files: what is held more, less, new, gone', draw: drawCompare, of: 'span', heap: true },
	{ name: 'flame', title: 'flame graph', about: 'bytes by stack, at the moment or over the span', draw: drawFlame, of: 'moment span', heap: true },
	{ name: 'ask', title: 'ask', about: 'named queries, and SQL', draw: drawAsk, of: '' },
	{ name: 'whatif', title: 'what if', about: 'the run again under other settings, or on another device', draw: drawWhatIf, of: '' },
	{ name: 'save', title: 'save', about: 'pictures, tables, Markdown, a redacted copy', draw: drawSave, of: '' },
]

function drawTools(shown) {
	fill(part('tools'),
		element('label', null, 'colour ', select('colour by', COLORS, view.color, v => recolor(v), 'colours stand for: the line that holds a block; what it is for; the step it was born in; its age in events; its stream; its pool; the tag of the program; its size')),
		element('label', { class: 'over' }, 'order ', select('order', [['color', 'by colour'], ['birth', 'oldest below']], view.order, v => { change({ order: v }); rebuild() }, 'how blocks are piled: those of a colour together, or as they were born')),
		shown.lives.timed ? element('label', null, 'over ', select('axis', [['event', 'events'], ['time', 'time']], view.axis, v => setAxis(v))) : null,
		button('−', 'zoom out (s)', () => timeline.zoom(1.6), { class: 'over' }), button('+', 'zoom in (w)', () => timeline.zoom(1 / 1.6), { class: 'over' }), button('whole', 'the whole recording', () => timeline.whole(), { class: 'over' }),
		element('button', { type: 'button', id: 'gpusnap-mark', class: 'over', title: 'then drag over the picture (or drag with Shift)', 'aria-pressed': 'false', onclick: () => timeline.pointers.setMarking(!timeline.pointers.marking) }, 'mark a span'),
		momentButtons(shown))
}

// The moments that people look for.
function momentButtons(shown) {
	const { device } = shown, failures = failedEvents(device), go = (text, event) => button(text, `show event ${event}`, () => { change({ moment: event, tab: 'moment', life: -1 }); if (event < timeline.eventOfValue(view.from) || event > timeline.eventOfValue(view.to)) timeline.whole() })
	const end = shown.lives.events - 1
	return element('span', { class: 'jumps' }, 'go to', device.peak && device.peak.idx >= 0 ? go('peak', device.peak.idx) : null,
		failures.length ? go(failures.length > 1 ? 'last failure' : 'failure', failures[failures.length - 1].idx) : null, end > 0 ? go('end', end) : null)
}

function rebuild() {
	const shown = current()
	if (!shown?.lives || !shown.palette) return
	timeline.show(shown, new Bands(shown.lives, shown.palette, view.order))
	timeline.bands.setLight(searchLight(shown))
	momentMap?.draw()
	drawLegend(shown)
}

async function recolor(by) {
	const shown = current()
	try { await shown.loadPalette(by) } catch (e) { return announce(e.message) }
	if (current() !== shown) return
	if (!view.search) { shown.kept.light = null; shown.kept.litBy = null; relight(shown) }
	change({ color: by })
	part('tools').querySelector('select').value = by
	rebuild()
}

function setAxis(axis) {
	const { lives } = timeline, whole = isWhole(), a = timeline.eventOfValue(view.from), b = timeline.eventOfValue(view.to)
	view.axis = axis
	timeline.forget()
	timeline.overview.forget()
	if (whole) return timeline.whole()
	change({ from: timeline.valueOfEvent(Math.max(0, a)), to: Math.max(timeline.valueOfEvent(b), timeline.valueOfEvent(Math.max(0, a)) + 1) })
}

// The tabs that the file has something for: what-if replays events, spans lie between them.
function tabsNow() {
	const shown = current()
	if (!shown?.outline) return TABS
	const replays = shown.outline.devices.some(d => d.events)
	return TABS.filter(t => (shown.drawn ? shown.moves || t.name !== 'span' : !t.heap) && (replays || t.name !== 'whatif'))
}

function drawTabs() {
	keepFocus(part('tabs'), () => fill(part('tabs'), tabsNow().map(t => element('button', { type: 'button', role: 'tab', id: 'gpusnap-tab-' + t.name, 'aria-selected': String(t.name === view.tab), title: t.about, 'aria-controls': 'gpusnap-panel', tabindex: t.name === view.tab ? '0' : '-1', onclick: () => change({ tab: t.name }) }, t.title))))
	part('panel').setAttribute('aria-labelledby', 'gpusnap-tab-' + view.tab)
}

// The panel of the chosen tab, once the view has come to rest.
let tabTimer = 0
function drawTab() {
	clearTimeout(tabTimer)
	if (current()?.outline && !tabsNow().some(t => t.name === view.tab)) view.tab = tabsNow()[0].name
	drawTabs()
	if (!current()?.outline) return
	// A short tab after a long one would make the page shorter than what is scrolled to: nothing moves under the pointer.
	const panel = part('panel')
	panel.style.minHeight = Math.max(0, Math.floor(innerHeight - panel.getBoundingClientRect().top)) + 'px'
	tabTimer = setTimeout(() => TABS.find(t => t.name === view.tab).draw(part('panel')), 60)
}

function listenTabs() {
	part('tabs').addEventListener('keydown', e => {
		const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key]
		if (!by) return
		e.preventDefault()
		const all = tabsNow(), at = all.findIndex(t => t.name === view.tab), next = all[(at + by + all.length) % all.length]
		change({ tab: next.name })
		document.getElementById('gpusnap-tab-' + next.name).focus()
	})
	watch('tab', () => drawTab())
	let legendTimer = 0
	watch('moment', () => { if (settling()) return; clearTimeout(legendTimer); legendTimer = setTimeout(() => { if (current()?.lives) { drawLegend(current()); tellFound() } }, 60) })
	watch('from to low high axis', linesSoon)
	watch('moment', () => eventList.refresh())
	watch('moment span', changed => {
		if (settling()) return
		const needs = TABS.find(t => t.name === view.tab).of
		if ([...changed].some(c => needs.includes(c))) drawTab()
	})
	watch('life hole', () => { drawBlock(); momentMap?.draw(); compared.maps.forEach(m => m.draw()); momentHolders?.mark(); flame.repaint?.(); if (view.tab === 'moment') momentMap?.reveal() })
	watch('search', () => { const shown = current(); if (shown?.lives) shown.kept.litBy = null; runSearch() })
}

// The events around the moment, as they were recorded; further ones by the buttons.
const EVENTS_BESIDE = 20
async function eventsTable() {
	const shown = current(), at = Math.max(0, view.moment ?? 0), from = Math.max(0, at - EVENTS_BESIDE), device = shown.number
	if (!shown.lives?.events) return element('p', { class: 'remark' }, 'the file has no events')
	const { rows } = await shown.ask('query', { device, query: `SELECT e.idx AS event, e.action, e.size, e.address, e.stream, s.user_frame AS place FROM event AS e LEFT JOIN stack AS s ON s.id = e.stack_id WHERE e.idx BETWEEN ${from} AND ${at + EVENTS_BESIDE} ORDER BY e.idx` })
	for (const r of rows) r.place = r.place && frameText(r.place)
	const go = event => change({ moment: Math.min(event, shown.lives.events - 1), tab: 'moment' })
	return [element('div', { class: 'tools' }, button('earlier', `${EVENTS_BESIDE} events before`, () => go(Math.max(0, at - EVENTS_BESIDE))), button('later', `${EVENTS_BESIDE} events after`, () => go(at + EVENTS_BESIDE))),
		tableOf(['event', { name: 'action', text: (n, v) => v.replaceAll('_', ' ') }, 'size', { name: 'address', spare: true }, { name: 'stream', spare: true }, 'place'], rows, { caption: `events ${from} to ${rows.length ? rows[rows.length - 1].event : at}, around the moment`, choose: r => go(r.event), chooseTitle: 'show that moment', marked: r => r.event === at })]
}

// The picture of memory over time as a table, for those who do not see it.
function timelineTable() {
	const shown = current(), { lives } = shown, rows = [], n = Math.min(40, lives.events)
	for (let k = 0; k < n; k++) {
		const a = Math.floor(timeline.eventOfValue(view.from + (view.to - view.from) * k / n)), b = Math.floor(timeline.eventOfValue(view.from + (view.to - view.from) * (k + 1) / n)), e = lives.mostBetween(a, b)
		if (e < 0 || (rows.length && rows[rows.length - 1].event === e)) continue
		rows.push({ event: e, time: lives.timed ? durationText(lives.curve.time.at(e) - lives.curve.time.at(0)) : null, allocated: lives.curve.allocated.at(e), reserved: lives.curve.reserved.at(e), note: whereIs(shown, e).replace(/^[,:] /, '') })
	}
	return tableOf(['event', ...(lives.timed ? ['time'] : []), 'allocated', 'reserved', 'note'], rows, { caption: 'memory over time, of the part in view', choose: r => change({ moment: r.event, tab: 'moment' }), chooseTitle: 'show that moment' })
}
