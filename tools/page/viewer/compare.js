// Two moments of one recording, or two recordings: what is held more, less, new, gone.
const compared = { other: -1, a: '', b: '', maps: [] }	// maps: the heaps beside each other, while they are shown

function statesOf(shown) {
	const d = shown.device, list = []
	if (!d) return [['', 'as usual']]
	list.push(['', d.default_state === 'oom' ? 'the failure' : d.default_state || 'as captured'])
	if (d.peak && d.peak.idx >= 0) list.push(['peak', 'the peak'])
	if (shown === current()) {
		if (view.moment !== null) list.push([String(view.moment), `the chosen moment (event ${view.moment})`])
		if (view.span) list.push([String(view.span[0]), `begin of the span (event ${view.span[0]})`], [String(view.span[1]), `end of the span (event ${view.span[1]})`])
	}
	if (shown.moves) list.push([String(thirdOf(shown)), `a third of the recording (event ${thirdOf(shown)})`])
	d.failures.forEach((f, i) => { if (d.failures.length > 1) list.push([`oom ${i + 1}`, `failure ${i + 1} (event ${f.idx})`]) })
	d.steps.slice(0, 400).forEach(s => list.push([`step ${s.step}`, `end of ${s.name}`]))
	list.push(['captured', 'as captured'])
	return list.filter(([w], i) => list.findIndex(x => x[0] === w) === i)
}

const thirdOf = shown => Math.floor(shown.lives.events / 3)

async function drawCompare(host) {
	const shown = current()
	if (!shown?.device) return fill(host, element('p', { class: 'remark' }, 'There is nothing to compare.'))
	if (!recordings[compared.other]?.outline) compared.other = recordings.length === 2 && recordings[1 - view.file].outline?.devices.length ? 1 - view.file : view.file
	const other = recordings[compared.other], statesA = statesOf(shown), statesB = statesOf(other)
	if (view.span && shown === other) { compared.a = compared.a || String(view.span[0]); compared.b = compared.b || String(view.span[1]) }
	const steps = shown.device.steps
	if (!compared.a && !compared.b && shown === other && view.moment !== null) compared.a = steps.length > 1 ? `step ${steps[0].step}` : shown.moves ? String(thirdOf(shown)) : 'peak'
	if (!statesA.some(s => s[0] === compared.a)) compared.a = statesA[0][0]
	if (!statesB.some(s => s[0] === compared.b)) compared.b = statesB[0][0]
	const answer = element('div')
	const again = () => drawCompare(host)
	fill(host, element('h2', null, 'Compare'), element('div', { class: 'tools' },
		element('label', null, 'before ', select('the first moment', statesA, compared.a, v => { compared.a = v; again() })),
		element('label', null, 'after ', select('the second moment', statesB, compared.b, v => { compared.b = v; again() })),
		recordings.length > 1 ? element('label', null, 'of ', select('the second recording', recordings.map((r, i) => [String(i), i === view.file ? 'the same recording' : r.name]).filter((o, i) => recordings[i].outline), String(compared.other), v => { compared.other = Number(v); again() })) : null), answer)
	fill(answer, element('p', { class: 'remark' }, 'comparing …'))
	try {
		const d = await shown.ask('diff', { from: compared.a || undefined, to: compared.b || undefined, device: shown === other && shown.outline.devices.length > 1 ? shown.number : undefined, ...(shown === other ? {} : { other: other.recording }) })
		if (!host.contains(answer)) return
		fill(answer, d.summary ? element('p', { class: 'pre' }, d.summary) : null, tableOf([{ name: 'where', title: 'place', text: (n, v, r) => placeText(r) }, { name: 'category', spare: true }, { name: 'change', text: (n, v) => (v > 0 ? '+' : '') + sizeText(v) }, { name: 'bytes_a', title: 'before' }, { name: 'bytes_b', title: 'after' }, { name: 'blocks_a', title: 'blocks before', spare: true }, { name: 'blocks_b', title: 'blocks after', spare: true }], d.rows,
			{ most: 60, none: 'the two hold the same', choose: r => lightPlace(r), chooseTitle: 'light its blocks' }))
		await drawBoth(answer, shown, other)
	} catch (e) { fill(answer, errorNote(e)) }
}

// The two heaps beside each other, at one scale; a block chosen in one is lit in the other.
async function drawBoth(host, shown, other) {
	const both = element('div', { class: 'both' }), sides = [[shown, compared.a, 'before'], [other, compared.b, 'after']]
	host.append(both)
	if (!other.drawn) { await other.load(); await other.loadPalette(view.color) }
	await other.loadPalette(view.color)
	const heaps = await Promise.all(sides.map(([r, state]) => r.ask('heap', { device: r.number, state: state || r.device.default_state })))
	if (!host.contains(both)) return
	compared.maps = sides.map(([r, , word], i) => {
		const section = element('section', null, element('h3', null, word + (shown === other ? '' : ': ' + r.name)))
		both.append(section)
		const map = new HeapMap(section, 'the heap ' + word)
		map.show(r, heaps[i], null)
		if (shown !== other) section.append(legendOf(r))
		section.append(tableBeside(`The heap ${word} as a table`, () => heapTable(r, heaps[i], life => map.choose(life))))
		return map
	})
	const shift = Math.max(...compared.maps.map(m => m.shift))
	for (const m of compared.maps) m.setShift(shift)
}
