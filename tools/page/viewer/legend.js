// What the colours stand for; a click lights the blocks of a class.
function usedClasses(shown) {
	const used = new Uint8Array(256)
	for (const k of shown.palette.of) used[k] = 1
	if (shown.lives.freed.some((f, i) => f >= 0 && (shown.lives.death[i] < 0 || shown.lives.death[i] > f + 1))) used[shown.palette.pending] = 1
	return shown.palette.classes.filter(k => used[k.class])
}

function drawLegend(shown) {
	const host = part('legend'), { palette } = shown
	if (!palette) return
	const used = usedClasses(shown)
	fill(host, used.slice(0, 24).map(k => element('li', null, button([palette.swatch(k), k.name], 'light these blocks', () => lightClass(shown, k.class), { class: 'plain', 'aria-pressed': String(shown.kept.lightClass === k.class && Boolean(searchLight(shown))) }))),
		used.length > 24 ? element('li', { class: 'remark' }, `and ${used.length - 24} more`) : null, palette.remark ? element('li', { class: 'remark' }, palette.remark) : null)
}

// The same where nothing can be chosen: beside a picture of another recording.
const legendOf = shown => element('ul', { class: 'legend', 'aria-label': 'what the colours stand for in ' + shown.name }, usedClasses(shown).slice(0, 12).map(k => element('li', null, shown.palette.swatch(k), ' ', k.name)))

function lightClass(shown, number) {
	const off = shown.kept.lightClass === number && searchLight(shown)
	view.search = ''
	part('search').value = ''
	shown.kept.lightFor = ''
	shown.kept.lightClass = off ? null : number
	shown.kept.light = off ? null : Uint8Array.from(shown.palette.of, k => k === number ? 1 : 0)
	shown.kept.found = off ? null : Array.from(shown.palette.of.keys()).filter(i => shown.palette.of[i] === number)
	part('found').textContent = off ? '' : plural(shown.kept.found.length, 'block')
	relight(shown)
	drawLegend(shown)
}
