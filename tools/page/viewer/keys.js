// The keyboard: as Perfetto's where there is the same.
const KEYS = [
	['w s', 'zoom in, out'], ['a d', 'to the left, to the right'], ['Shift + W S', 'zoom the bytes in, out'], ['Shift + A D', 'bytes down, up'],
	['f', 'look at the chosen block, the marked span, or the whole'], ['0', 'the whole recording'], ['← →', 'the moment before, after (Shift: by 1 % of the view)'], ['↑ ↓', 'the block above, below at the moment'],
	['p', 'the peak'], ['o', 'the next failure'], ['m', 'mark a span: once at one moment, again at another'], ['/', 'search'], ['n N', 'next match, the one before'],
	['[ ]', 'birth, end of the chosen block'], ['1 … 7', 'the tabs below'], ['Esc', 'light all again; once more: choose nothing'], ['?', 'this list'],
]

const typing = e => e.target instanceof Element && e.target.closest('input, textarea, select, [contenteditable]')

function listenKeys() {
	document.addEventListener('keydown', e => {
		if (e.ctrlKey || e.metaKey || e.altKey) return
		if (e.key === 'Escape' && part('help').open) return part('help').close()
		if (typing(e)) {
			if (e.key !== 'Escape') return
			e.target.blur()
			if (e.target === part('search') && current()?.lives) { e.preventDefault(); lightNothing() }	// the browser would empty the box alone
			return
		}
		if (e.key === '?') return part('help').open ? part('help').close() : part('help').showModal()
		if (part('help').open || !current()?.lives) return
		const onPicture = !(e.target instanceof Element) || !e.target.closest('button, summary, a, [role=tab], .term, .names, .heap, .table')
		if (/^(Arrow|Enter| )/.test(e.key) && !onPicture) return
		if (keyPressed(e)) e.preventDefault()
	})
}

function keyPressed(e) {
	const t = timeline, { lives, device } = current(), step = Math.max(1, Math.round((t.eventOfValue(view.to) - t.eventOfValue(view.from)) / 100))
	const move = by => { const event = Math.max(0, Math.min(lives.events - 1, (view.moment ?? 0) + by)); change({ moment: event }); sayMoment(event); keepInView(event) }
	switch (e.key) {
	case 'w': t.zoom(1 / 1.5, hoverX()); break
	case 's': t.zoom(1.5, hoverX()); break
	case 'a': t.pan(-0.2); break
	case 'd': t.pan(0.2); break
	case 'W': t.zoomBytes(1 / 1.5, t.pointers.hover?.y); break
	case 'S': t.zoomBytes(1.5, t.pointers.hover?.y); break
	case 'A': t.lookBytes(view.low - (view.high - view.low) * 0.2, view.high - (view.high - view.low) * 0.2); break
	case 'D': t.lookBytes(view.low + (view.high - view.low) * 0.2, view.high + (view.high - view.low) * 0.2); break
	case 'f': t.fit(); break
	case '0': t.whole(); break
	case 'ArrowLeft': move(e.shiftKey ? -step : -1); break
	case 'ArrowRight': move(e.shiftKey ? step : 1); break
	case 'ArrowUp': neighbour(1); break
	case 'ArrowDown': neighbour(-1); break
	case 'p': if (device.peak?.idx >= 0) { change({ moment: device.peak.idx, tab: 'moment' }); sayMoment(device.peak.idx); keepInView(device.peak.idx) } break
	case 'o': nextFailure(); break
	case 'm': markMoment(); break
	case '/': part('search').focus(); part('search').select(); break
	case 'n': nextMatch(1); break
	case 'N': nextMatch(-1); break
	case '[': if (view.life >= 0) change({ moment: lives.birth[view.life] }); break
	case ']': if (view.life >= 0 && lives.death[view.life] >= 0) change({ moment: lives.death[view.life] }); break
	case 'Escape': escapeAll(); break
	default:
		if (!/^[1-7]$/.test(e.key)) return false
		if (!tabsNow().includes(TABS[e.key - 1])) return false
		change({ tab: TABS[e.key - 1].name })
		showTabs()
	}
	return true
}

// A key may turn a tab that is out of sight.
function showTabs() {
	const { top } = part('tabs').getBoundingClientRect()
	if (top < 50 || top > innerHeight * 0.6) part('tabs').scrollIntoView({ block: 'start' })
}

const hoverX = () => timeline.pointers.hover?.x ?? (view.moment !== null ? timeline.xOf(timeline.valueOfEvent(view.moment)) : undefined)

function keepInView(event) {
	const v = timeline.valueOfEvent(event), span = view.to - view.from
	if (v < view.from || v > view.to) timeline.look(v - span / 2, v + span / 2)
}
function sayMoment(event) {
	const { curve } = current().lives
	if (event >= 0) announce(`event ${event}: ${sizeText(curve.allocated.at(event))} in use, ${sizeText(curve.reserved.at(event))} reserved`)
}
function neighbour(by) {
	const { lives, device } = current(), pile = timeline.bands.after(view.moment ?? lives.events - 1)
	let height = by > 0 ? 0 : pile.bytes - 1
	if (view.life >= 0 && pile.levels[0][pile.place[view.life]] > 0) height = by > 0 ? pile.below(view.life) + lives.size[view.life] : pile.below(view.life) - 1
	const found = pile.at(height)
	if (!found) return
	change({ life: found.life })
	const h = device.holders[lives.holder[found.life]]
	announce(`${sizeText(lives.size[found.life])}${h ? ', ' + placeText(h) : ''}, ${category(current(), found.life)}`)
}
function nextFailure() {
	const failures = failedEvents(current().device)
	if (!failures.length) return announce('nothing failed')
	const f = failures.find(x => x.idx > (view.moment ?? -1)) || failures[0]
	change({ moment: f.idx, tab: 'moment' })
	keepInView(f.idx)
	announce(`failure at event ${f.idx}: ${sizeText(f.requested)} asked for`)
}
let markedAt = null
function markMoment() {
	if (view.moment === null) return
	if (markedAt === null || markedAt === view.moment) { markedAt = view.moment; return announce(`the span begins at event ${markedAt}; go to its end and press m again`) }
	change({ span: [Math.min(markedAt, view.moment), Math.max(markedAt, view.moment)], tab: 'span' })
	markedAt = null
}
// One key ends one thing: what is lit, then what is chosen.
function escapeAll() {
	markedAt = null
	timeline.pointers.setMarking(false)
	if (searchLight(current()) || part('search').value || part('found').textContent) return lightNothing()
	change({ life: -1, hole: null, span: null })
}

function lightNothing() {
	const shown = current()
	shown.kept.light = null
	shown.kept.litBy = null
	setSearch('')
	announce('nothing is lit' + (view.life >= 0 || view.hole !== null || view.span ? '; Esc again chooses nothing' : ''))
	relight(shown)
	drawLegend(shown)
}

function drawHelp() {
	fill(part('help'), element('form', { method: 'dialog' }, element('button', { class: 'plain close', 'aria-label': 'close' }, '×')), element('h2', null, 'Keys'), element('dl', { class: 'keys' }, KEYS.map(([k, t]) => [element('dt', null, k.split(' ').map(x => /^(\+|…|Shift)$/.test(x) ? x + ' ' : [element('kbd', null, x), ' '])), element('dd', null, t)])),
		element('h2', null, 'Pointer and touch'), element('p', null, 'Ctrl (⌘) and wheel, or pinch: zoom; the wheel alone scrolls the page. Drag: move. Click or tap: that moment and block. Shift and drag, or “mark a span” and drag: a span. Double click: look at one block. Shift and wheel: zoom the bytes.'),
		element('h2', null, 'Search'), element('p', null, 'A text lights the blocks whose place, caller, a frame, tag or category has it. Also: step:3, stream:0, pool:1,0, size>10MiB, age>1000 (events, at the chosen moment).'),
		termList(), element('p', { class: 'remark' }, 'Nothing leaves this page: files are read here, and it has no network.'))
}
