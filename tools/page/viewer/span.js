// A marked span: what was born in it, what died, what stayed, and what came and went, by holder.
async function drawSpan(host) {
	const shown = current()
	if (!view.span || !shown?.lives) return fill(host, element('p', null, 'Mark a span: press “mark” and drag over the picture, or drag with Shift, or press m at one moment and again at another.'))
	const [from, to] = view.span
	fill(host, element('h2', null, `From event ${from} to ${to}`), element('p', { class: 'remark' }, 'counting …'))
	try {
		const answer = await shown.ask('span', { device: shown.number, from, to })
		if (view.span?.[0] !== from || view.span?.[1] !== to || current() !== shown) return
		const t = answer.total, say = (n, bytes) => `${plural(n, 'block')} (${sizeText(bytes)})`
		fill(host.lastChild, `Born and still there: ${say(t.born, t.born_bytes)}. Died: ${say(t.died, t.died_bytes)}. Stayed: ${say(t.stayed, t.stayed_bytes)}. Came and went: ${say(t.passed, t.passed_bytes)}.`)
		host.lastChild.className = ''
		host.append(element('div', { class: 'tools' }, button('look at it', 'zoom to the span', () => { change({ life: -1 }); timeline.fit() }), button('compare its ends', 'what is held more, less', () => change({ tab: 'compare' })), button('forget it', 'no span', () => change({ span: null }))),
			tableOf([{ name: 'where', title: 'place', text: (n, v, r) => placeText(r) }, 'category', { name: 'born_bytes', title: 'born' }, { name: 'born', title: 'blocks' }, { name: 'died_bytes', title: 'died' }, { name: 'died', title: 'blocks' }, { name: 'stayed_bytes', title: 'stayed' }, { name: 'stayed', title: 'blocks' }, { name: 'passed_bytes', title: 'came and went' }, { name: 'passed', title: 'blocks' }], answer.rows, { most: 40, choose: r => lightPlace(r), chooseTitle: 'light its blocks' }))
	} catch (e) { fill(host.lastChild, errorNote(e)) }
}
