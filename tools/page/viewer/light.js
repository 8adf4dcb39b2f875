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
	relight(shown)
	announce(off ? 'nothing is lit' : `${part('found').textContent} lit`)
	drawLegend(shown)
}

function lightClass(shown, number) { lightThose(shown, 'class ' + number, i => shown.palette.of[i] === number) }

// A place as a text has it may be shortened in the middle.
function sameText(whole, said) {
	const at = said.indexOf('…')
	return whole === said || (at >= 0 && whole.startsWith(said.slice(0, at)) && whole.endsWith(said.slice(at + 1)))
}

// By holder whether it is that of a row {where, called_by}; where none is (a request that failed has no block): whether it is of that line, whoever called.
function holdersOf(shown, row) {
	const lines = shown.device.holders.map(h => sameText(h.where, row.where))
	const exact = shown.device.holders.map((h, i) => lines[i] && sameText(h.called_by || '', row.called_by || ''))
	return exact.includes(true) ? { exact: true, wanted: exact } : { exact: false, wanted: lines.includes(true) ? lines : null }
}

// row: {where, called_by, category}, as tables of holders have it; without a category: of any.
function lightHolder(shown, row) {
	const { lives, outline } = shown
	if (!lives) return setSearch(row.where)
	const { exact, wanted } = holdersOf(shown, row), category = exact && row.category ? outline.categories.indexOf(row.category) : -1
	if (!wanted) {
		lightNothing()
		part('found').textContent = 'no block of ' + row.where
		return announce(part('found').textContent)
	}
	lightThose(shown, `holder ${placeText(row)} ${category}`, i => wanted[lives.holder[i]] && (category < 0 || lives.category[i] === category))
}

// Every place that is named is one to press: a holder, the line of a request that failed.
function holderLink(shown, row, text = placeText(row)) {
	const { exact, wanted } = holdersOf(shown, row), light = () => { lightHolder(shown, row); part('timeline').scrollIntoView({ block: 'nearest' }) }
	const title = exact ? 'light its blocks' : wanted ? `light the blocks of ${row.where}: it has none from ${row.called_by}` : 'no block of this line is recorded'
	return element('span', { role: 'button', tabindex: '0', class: 'names', title, onclick: light, onkeydown: e => { if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); light() } } }, text)
}

// Where the verdict names places.
function linkHolders(shown, host) {
	const holders = [...new Map(shown.device.holders.map(h => [placeText(h), h]))].sort((a, b) => b[0].length - a[0].length).slice(0, 500)
	const walk = document.createTreeWalker(host, NodeFilter.SHOW_TEXT), texts = []
	while (walk.nextNode()) if (walk.currentNode.parentElement.closest('dd, li') && !walk.currentNode.parentElement.closest('.names, .device-bar')) texts.push(walk.currentNode)
	for (let text of texts) {
		for (let hit; (hit = firstPlace(text.data, holders)); ) {
			const [at, name, row] = hit, named = text.splitText(at)
			text = named.splitText(name.length)
			named.replaceWith(holderLink(shown, { where: row.where, called_by: row.called_by, category: categoryBehind(text.data) }, name))
		}
	}
}

// The category of `NAME: SIZE in N blocks, CATEGORY`, whose blocks are those that the line counts; undefined where it names none.
function categoryBehind(text) {
	const words = /^: [^\n,;()]* in \d+ blocks?, ([\w ]+)/.exec(text)?.[1].trim()
	return words && (Object.keys(CATEGORY_WORDS).find(c => CATEGORY_WORDS[c] === words) ?? undefined)
}

// The first place in a text, as [where it stands, its name, {where, called_by}]: a holder by its name (one without a line only where its bytes follow, for
// it may be a plain word), or whatever is written as `file:line name ← file:line name`.
const LINE = /[^\s:,;()←]+\.\w+:\d+ [^\s←,;()]*[^\s←,;():]/, WRITTEN = new RegExp(`(${LINE.source})(?: ← (${LINE.source}))?`)
function firstPlace(text, holders) {
	const written = WRITTEN.exec(text)
	let first = written && [written.index, written[0], { where: written[1], called_by: written[2] }]
	for (const [name, row] of holders) {
		const at = text.indexOf(name)
		if (at < 0 || (first && (at > first[0] || (at === first[0] && name.length <= first[1].length)))) continue
		if (/:\d/.test(name) || /^: [\d.]+ \w+ in \d/.test(text.slice(at + name.length))) first = [at, name, row]
	}
	return first
}
