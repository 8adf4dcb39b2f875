// What is lit other than by a search: the blocks of a colour, of a holder; all else fades. Lit again, it is lit no longer.

// key: what is lit, as a text; test(life).
function lightThose(shown, key, test) {
	const { kept, lives } = shown, off = kept.litBy === key && Boolean(searchLight(shown)), found = []
	view.search = ''
	part('search').value = ''
	kept.lightFor = ''
	kept.litBy = off ? null : key
	kept.light = off ? null : new Uint8Array(lives.n)
	for (let i = 0; i < lives.n && !off; i++) if (test(i)) { kept.light[i] = 1; found.push(i) }
	kept.found = off ? null : found
	part('found').textContent = off ? '' : plural(found.length, 'block')
	announce(off ? 'nothing is lit' : `${plural(found.length, 'block')} lit`)
	relight(shown)
	drawLegend(shown)
}

function lightClass(shown, number) { lightThose(shown, 'class ' + number, i => shown.palette.of[i] === number) }

// row: {where, called_by, category}, as tables of holders have it; without a category: of any.
function lightHolder(shown, row) {
	const { lives, device, outline } = shown, wanted = device.holders.map(h => h.where === row.where && (h.called_by || '') === (row.called_by || ''))
	const category = row.category ? outline.categories.indexOf(row.category) : -1
	if (!lives || !wanted.includes(true)) return setSearch(row.where)
	lightThose(shown, `holder ${placeText(row)} ${category}`, i => wanted[lives.holder[i]] && (category < 0 || lives.category[i] === category))
}

// Where the verdict names a holder: its name lights its blocks.
function linkHolders(shown, host) {
	const holders = [...new Map(shown.device.holders.filter(h => /:\d/.test(h.where)).map(h => [placeText(h), h]))].sort((a, b) => b[0].length - a[0].length).slice(0, 500)
	const walk = document.createTreeWalker(host, NodeFilter.SHOW_TEXT), texts = []
	while (walk.nextNode()) if (walk.currentNode.parentElement.closest('dd, li')) texts.push(walk.currentNode)
	for (let text of texts) {
		for (let hit; (hit = firstHolder(text.data, holders)); ) {
			const [at, name, holder] = hit, named = text.splitText(at)
			text = named.splitText(name.length)
			const category = categoryBehind(text.data), light = () => { lightHolder(shown, { where: holder.where, called_by: holder.called_by, category }); part('timeline').scrollIntoView({ block: 'nearest' }) }
			named.replaceWith(element('span', { role: 'button', tabindex: '0', class: 'names', title: 'light its blocks', onclick: light, onkeydown: e => { if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); light() } } }, name))
		}
	}
}

// The category of `NAME: SIZE in N blocks, CATEGORY`, whose blocks are those that the line counts; undefined where it names none.
function categoryBehind(text) {
	const words = /^: [^\n,;()]* in \d+ blocks?, ([\w ]+)/.exec(text)?.[1].trim()
	return words && (Object.keys(CATEGORY_WORDS).find(c => CATEGORY_WORDS[c] === words) ?? undefined)
}

function firstHolder(text, holders) {
	let first = null
	for (const [name, holder] of holders) {
		const at = text.indexOf(name)
		if (at >= 0 && (!first || at < first[0])) first = [at, name, holder]
	}
	return first
}
