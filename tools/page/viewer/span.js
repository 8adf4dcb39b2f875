// A marked span: what was born in it, what died, what stayed, and what came and went, by holder.
async function drawSpan(host) {
	const shown = current()
	if (!view.span || !shown?.lives) return noSpan(host, shown)
	const [from, to] = view.span
	fill(host, element('h2', null, `From event ${from} to ${to}`), element('p', { class: 'remark' }, 'counting …'))
	try {
		const answer = await shown.ask('span', { device: shown.number, from, to })
		if (view.span?.[0] !== from || view.span?.[1] !== to || current() !== shown) return
		const t = answer.total, say = (n, bytes) => `${plural(n, 'block')} (${sizeText(bytes)})`
		fill(host.lastChild, `Born and still there: ${say(t.born, t.born_bytes)}. Died: ${say(t.died, t.died_bytes)}. Stayed: ${say(t.stayed, t.stayed_bytes)}. Came and went: ${say(t.passed, t.passed_bytes)}.`)
		host.lastChild.className = ''
		host.append(element('div', { class: 'tools' }, button('look at it', 'zoom to the span', () => { change({ life: -1 }); timeline.fit() }), button('compare its ends', 'what is held more, less', () => change({ tab: 'compare' })), button('forget it', 'no span', () => change({ span: null }))),
			tableOf([{ name: 'where', title: 'place', text: (n, v, r) => placeText(r) }, { name: 'category', spare: true }, { name: 'born_bytes', title: 'born' }, { name: 'born', title: 'blocks', spare: true }, { name: 'died_bytes', title: 'died' }, { name: 'died', title: 'blocks', spare: true }, { name: 'stayed_bytes', title: 'stayed' }, { name: 'stayed', title: 'blocks', spare: true }, { name: 'passed_bytes', title: 'came and went' }, { name: 'passed', title: 'blocks', spare: true }], answer.rows, { most: 40, choose: r => lightPlace(r), chooseTitle: 'light its blocks' }))
	} catch (e) { fill(host.lastChild, errorNote(e)) }
}

// How to mark one, and spans that need no marking: the last third shows what is kept.
function noSpan(host, shown) {
	const last = (shown?.lives?.events ?? 0) - 1, mark = (text, from) => button(text, `events ${from} to ${last}`, () => change({ span: [from, last] }))
	fill(host, element('h2', null, 'A span of time: what was born in it, what died, what stayed'),
		last > 2 ? element('div', { class: 'tools' }, mark('the last third', Math.floor(last * 2 / 3)), mark('the whole recording', 0)) : null,
		element('p', { class: 'remark' }, 'Or press “mark a span” and drag over the picture; drag with Shift; press m at one moment and again at another.'))
}
