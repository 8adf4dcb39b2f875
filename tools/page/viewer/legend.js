// What the colours stand for; a click lights the blocks of a class.
function usedClasses(shown) {
	const used = new Uint8Array(256)
	for (const k of shown.palette.of) used[k] = 1
	const { n, freed, death } = shown.lives
	for (let i = 0; i < n; i++) if (freed[i] >= 0 && (death[i] < 0 || death[i] > freed[i])) { used[shown.palette.pending] = 1; break }
	return shown.palette.classes.filter(k => used[k.class])
}

// Bytes of each class after an event; of: those of each category in it.
function bytesByClass(shown, event) {
	const { lives, palette } = shown, bytes = new Float64Array(256), categories = shown.outline.categories.length, of = new Float64Array(256 * categories)
	for (let i = 0; i < lives.n; i++) {
		if (!lives.livesAt(i, event)) continue
		const k = lives.pendingAt(i, event) ? palette.pending : palette.of[i]
		bytes[k] += lives.size[i]
		if (lives.category[i] < categories) of[k * categories + lives.category[i]] += lives.size[i]
	}
	return { bytes, of }
}

// A place may hold several categories, which the verdict and the table of holders tell apart: the largest of them with their bytes; '' where
// there is one, or all but one are crumbs.
const CRUMBS = 0.005
function partsText(shown, of, k, whole) {
	const { categories } = shown.outline, parts = categories.map((name, i) => [CATEGORY_WORDS[name] || name, of[k * categories.length + i]]).filter(p => p[1] > whole * CRUMBS).sort((a, b) => b[1] - a[1])
	return parts.length < 2 ? '' : ' (' + parts.slice(0, 3).map(([words, bytes]) => `${words} ${sizeText(bytes)}`).join(', ') + (parts.length > 3 ? ', …' : '') + ')'
}

function drawLegend(shown) {
	const host = part('legend'), { palette, lives } = shown
	if (!palette) return
	const all = usedClasses(shown), timed = lives.events > 0 && view.moment !== null, { bytes, of } = bytesByClass(shown, timed ? view.moment : -1)
	// Those that hold most at the moment first; of those that hold nothing then the order of the palette.
	const used = all.map((k, i) => [k, i]).sort((a, b) => bytes[b[0].class] - bytes[a[0].class] || a[1] - b[1]).map(([k]) => k)
	const size = k => bytes[k.class] ? [element('b', null, sizeText(bytes[k.class])), palette.by === 'holder' && /:\d/.test(k.name) ? element('span', { class: 'remark' }, partsText(shown, of, k.class, bytes[k.class])) : null] : timed ? element('span', { class: 'remark' }, 'none then') : null
	const words = k => palette.by === 'category' && CATEGORY_WORDS[k.name.replaceAll(' ', '_')] || k.name	// as the verdict has them
	const entry = k => button([palette.swatch(k), element('span', null, words(k), ' ', size(k))], 'light these blocks', () => lightClass(shown, k.class), { class: 'plain', 'aria-pressed': String(shown.kept.litBy === 'class ' + k.class && Boolean(searchLight(shown))) })
	keepFocus(host, () => fill(host, timed ? element('li', { class: 'remark' }, `held after event ${view.moment}:`) : null, used.slice(0, 24).map(k => element('li', null, entry(k))),
		used.length > 24 ? element('li', { class: 'remark' }, `and ${used.length - 24} more`) : null, palette.remark ? element('li', { class: 'remark' }, palette.remark) : null,
		lives.events ? linesOf(shown).map(([look, text]) => element('li', { class: 'over' }, element('span', { class: 'line ' + look, 'aria-hidden': 'true' }), text)) : null))
}

// The lines and ticks of the picture, those that it has.
function linesOf(shown) {
	const { device, lives } = shown
	return [['', 'reserved from the driver; between it and the bands: cached, free'],
		failedEvents(device).length && ['failed', 'a failed request'], device.peak && device.peak.idx >= 0 && ['peak', 'the peak'], ['moment', 'the moment that is told below'],
		device.annotations.some(a => a.idx >= 0) && ['tick', 'below the bands: phases that the program marked'], device.steps.length && ['step', 'below the bands: steps'],
		lives.n > 0 && ['passed', 'grey below the bands: born and gone within one pixel']].filter(Boolean)
}

// The same where nothing can be chosen: beside a picture of another recording.
const legendOf = shown => element('ul', { class: 'legend', 'aria-label': 'what the colours stand for in ' + shown.name }, usedClasses(shown).slice(0, 12).map(k => element('li', null, shown.palette.swatch(k), ' ', k.name)))
