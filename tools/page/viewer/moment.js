// A moment: its figures, its heap, who holds it, what it is for, and the verdict where it is a failure.
let momentMap = null, momentHolders = null

async function drawMoment(host) {
	const shown = current(), event = view.moment
	if (!shown?.device) return fill(host, element('p', { class: 'remark' }, 'There is no heap in this file.'))
	const title = element('h2'), figures = element('p'), heapHost = element('div'), tables = element('div', { class: 'columns' }), verdict = element('div')
	fill(host, title, figures, verdict, heapHost, tables)
	momentMap = new HeapMap(heapHost, 'the heap at the moment')
	const failures = shown.device.failures, still = !shown.lives?.events, failure = still ? (failures.length === 1 && shown.device.default_state !== 'peak' ? 0 : -1) : failures.findIndex(f => f.idx === event)
	title.textContent = shown.lives?.events ? `After event ${event}` + whereIs(shown, event) : 'The heap as captured'
	const device = shown.number, ask = shown.lives?.events ? { device, idx: event } : { device, state: 'captured' }
	try {
		const [heap, moment] = await Promise.all([shown.ask('heap', ask), shown.ask('moment', ask)])
		if (!host.contains(title) || view.moment !== event || current() !== shown) return
		figures.textContent = momentFigures(moment) + (heap.exact === false ? ' Not exact: ' + (heap.note || 'something in it is bounded, not determined') + '.' : '')
		momentMap.show(shown, heap, moment.request)
		momentMap.note.textContent = `Every byte by address: ${plural(heap.segments.address.length, 'segment')} (framed), ${plural(heap.blocks.address.length, 'block')}. A click on one tells its stack and life, of a free one ${moment.request ? 'why the request may not use it' : 'what lies beside it'}; arrow keys step through them.`
		momentMap.reveal()
		if (view.hole !== null) drawBlock()
		fill(tables,
			element('section', null, element('h3', null, termed('Who holds it'), element('span', { class: 'remark' }, '  (a click lights its blocks)')), momentHolders = tableOf([{ name: 'where', title: 'place', text: (n, v, r) => placeText(r) }, 'category', 'bytes', 'blocks'], moment.holders, { most: 12, label: 'who holds it', choose: r => lightPlace(r), chooseTitle: 'light its blocks', marked: r => holdsChosen(shown, r) })),
			element('section', null, element('h3', null, termed('What it is for')), tableOf(['category', 'bytes', 'blocks'], moment.categories, { most: 12, label: 'what it is for', choose: r => setSearch(r.category), chooseTitle: 'light its blocks' })))
		heapHost.append(tableBeside('The heap as a table', () => heapTable(shown, heap, (life, b) => momentMap.chooseBlock(b))))
		if (failure >= 0) await momentVerdict(shown, verdict, failure, failures.length)
	} catch (e) { if (host.contains(title)) fill(figures, errorNote(e)) }
}

// Whether a row of holders is that of the chosen block.
function holdsChosen(shown, row) {
	const h = view.life >= 0 && shown.device.holders[shown.lives.holder[view.life]]
	return h && h.where === row.where && (h.called_by || '') === (row.called_by || '') && row.category === shown.outline.categories[shown.lives.category[view.life]]
}

function whereIs(shown, event) {
	const step = shown.device.steps.find(s => s.first_idx <= event && event <= s.last_idx), f = shown.device.failures.findIndex(x => x.idx === event)
	return (step ? `, in ${step.name}` : '') + (f >= 0 ? (shown.device.failures.length > 1 ? `: failure ${f + 1} of ${shown.device.failures.length}` + askedFor(shown.device.failures[f]) : ': the failure' + askedFor(shown.device.failures[f])) : shown.device.peak?.idx === event ? ': the peak' : '')
}

const askedFor = f => f.requested ? `, ${sizeText(f.requested)} asked for` : ''

function momentFigures(m) {
	const told = (name, text) => m[name] > 0 ? sizeText(m[name]) + ' ' + text : null, cached = m.free > 0 ? told('free', 'cached and free') + (m.largest_free > 0 ? `, the largest hole ${sizeText(m.largest_free)}` : '') : m.free === 0 && m.reserved > 0 ? 'nothing cached' : null
	return [m.allocated === null ? null : inUseText(m.allocated, m.pending || 0), cached, told('reserved', 'reserved')].filter(Boolean).join(', ') + (m.time_us ? '; ' + clockText(m.time_us) : '') + '.'
}

async function momentVerdict(shown, host, number, of) {
	if (of === 1) return
	const text = await shown.ask('diagnose', { form: 'text', width: 100, device: shown.number, state: `oom ${number + 1}` })
	if (current() !== shown) return
	fill(host, element('div', { class: 'inset' }, verdictView(text, 'h3')))
	linkHolders(shown, host)
}

// choose(life, b): a row is chosen; of a free block life is -1.
function heapTable(shown, heap, choose) {
	const { blocks } = heap, rows = []
	for (let b = 0; b < blocks.address.length; b++) {
		const h = shown.device.holders[blocks.holder[b]]
		rows.push({ address: blocks.address[b], size: blocks.size[b], state: ['allocated', 'waiting for a stream', 'free'][blocks.state[b]], category: blocks.state[b] === 2 ? null : shown.outline.categories[blocks.category[b]], holder: blocks.state[b] === 2 || !h ? null : placeText(h), born: blocks.life[b] >= 0 && blocks.state[b] !== 2 ? shown.lives.birth[blocks.life[b]] : null, life: blocks.life[b], b })
	}
	return tableOf([{ name: 'address', text: (n, v) => addressText(v) }, 'size', 'state', 'category', 'holder', 'born'], rows, { most: 100, choose: r => choose(r.state === 'free' ? -1 : r.life, r.b), chooseTitle: 'choose the block', caption: 'blocks by address' })
}

const lightPlace = row => lightHolder(current(), row)
function setSearch(text) {
	part('search').value = text
	change({ search: text })
}

// A free block of the moment's heap: where it is, and why the request may not use it.
function drawHole(host) {
	const b = momentMap.chosenBlock, { blocks, segments } = momentMap.heap, s = blocks.segment[b], line = (word, text) => [element('dt', null, termed(word)), element('dd', null, text)]
	const neighbour = other => other < 0 ? 'nothing: the segment ends here' : button(momentMap.nameOf(other), 'choose it', () => momentMap.chooseBlock(other), { class: 'plain link' })
	const [below, above] = momentMap.beside(b)
	host.hidden = false
	fill(host, button('×', 'choose no block', () => { change({ hole: null }); momentMap.canvas.focus({ preventScroll: true }) }, { class: 'plain close' }), element('h2', null, `Free block of ${sizeText(blocks.size[b])}`), element('dl', null,
		momentMap.request ? line('the request', momentMap.why(b)) : null, line('address', addressText(blocks.address[b])),
		line('segment', `${sizeText(segments.size[s])} at ${addressText(segments.address[s])}` + (segments.expandable[s] ? ', expandable' : '')),
		line('stream', String(momentMap.streamOf(s))), line('pool', momentMap.classOf(s) + poolText(momentMap.poolOf(s))), line('below it', neighbour(below)), line('above it', neighbour(above))))
}

// When a block ended, in the words of the tip, each event with what leads to it.
function ended(b, at) {
	const ends = endsOf(b.freed ?? -1, b.death ?? -1)
	if (!ends.length) return 'never'
	return ends.map(([word, event], i) => [i ? ', ' : '', ends.length > 1 ? word.replace(/event $/, '') : '', event === '' ? '' : at(event, event === b.death ? b.death_us : b.freed_us)])
}

// The chosen block, beside whatever is shown.
async function drawBlock() {
	const host = part('block'), shown = current(), life = view.life
	flame.path = null
	if (view.hole !== null && shown?.lives && momentMap?.shown === shown && momentMap.heap && momentMap.chosenBlock >= 0) return drawHole(host)
	if (!shown?.lives || life < 0) return void (host.hidden = true)
	host.hidden = false
	const { lives } = shown, close = button('×', 'choose no block', () => { change({ life: -1 }); part('timeline').focus({ preventScroll: true }) }, { class: 'plain close' })
	const said = element('dl')
	fill(host, close, element('h2', null, `Block of ${sizeText(lives.size[life])}`), said)
	try {
		const b = await shown.ask('life', { device: shown.number, life })
		if (view.life !== life || current() !== shown) return
		flame.path = b.stack ? b.stack.slice().reverse() : null
		flame.repaint?.()
		const line = (word, text) => text === null || text === undefined || text === '' ? null : [element('dt', null, termed(word)), element('dd', null, text)]
		const at = (event, us) => event === null ? null : [button('event ' + event, 'show that moment', () => change({ moment: event, tab: 'moment' }), { class: 'plain link' }), us && lives.timed ? ' at ' + durationText(us - lives.curve.time.at(0)) : '']
		fill(said, line('holder', b.where ? holderLink(shown, { where: b.where, called_by: b.called_by }) : null), line('category', (b.category || 'unknown').replaceAll('_', ' ') + (b.why ? ` (${b.why})` : '')), line('address', addressText(b.address)),
			line('asked for', b.requested === null ? null : sizeText(b.requested) + (b.requested !== b.size ? `, rounded to ${sizeText(b.size)}` : '')),
			line('born', b.before ? 'before the recording' : at(b.birth, b.birth_us)), line('freed', ended(b, at)),
			line('lived', lives.timed && b.birth_us !== null && b.death_us !== null ? durationText(b.death_us - b.birth_us) : null), line('step', b.step), line('stream', String(b.stream ?? '')), line('pool', b.pool_id && poolText(b.pool_id)), line('tag', b.tag))
		append(host, [element('h3', null, 'Stack, innermost first'), b.stack?.length ? wholeStack(b.stack, b.where) : element('p', { class: 'remark' }, 'no stack was recorded')])
	} catch (e) { host.append(errorNote(e)) }
}
