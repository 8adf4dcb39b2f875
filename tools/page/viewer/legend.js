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

// A class may hold several categories, which the verdict and the table of holders tell apart: the largest of them with their bytes, but crumbs; '' of
// a line that holds one alone. What nobody is named for (no stack, others) is told by its categories even where it is one.
const CRUMBS = 0.005
const isLine = k => /:\d/.test(k.name)
function partsText(shown, of, k, whole) {
	const { categories } = shown.outline, parts = categories.map((name, i) => [CATEGORY_WORDS[name] || name, of[k.class * categories.length + i]]).filter(p => p[1] > whole * CRUMBS).sort((a, b) => b[1] - a[1])
	if (!parts.length || (parts.length < 2 && isLine(k))) return ''
	const said = ([words, bytes]) => parts.length < 2 ? words : `${words} ${sizeText(bytes)}`
	return ' (' + parts.slice(0, 3).map(said).join(', ') + (parts.length > 3 ? ', …' : '') + ')'
}

function drawLegend(shown) {
	const host = part('legend'), { palette, lives } = shown
	if (!palette) return
	const all = usedClasses(shown), timed = lives.events > 0 && view.moment !== null, { bytes, of } = bytesByClass(shown, timed ? view.moment : -1)
	// Those that hold most at the moment first; of those that hold nothing then the order of the palette.
	const used = all.map((k, i) => [k, i]).sort((a, b) => bytes[b[0].class] - bytes[a[0].class] || a[1] - b[1]).map(([k]) => k)
	const ofHolders = palette.by === 'holder', told = k => k.class >= 4 && ofHolders
	const size = k => bytes[k.class] ? [element('b', null, sizeText(bytes[k.class])), told(k) ? element('span', { class: 'remark' }, partsText(shown, of, k, bytes[k.class])) : null] : timed ? element('span', { class: 'remark' }, 'none at this event') : null
	const words = k => palette.by === 'category' && CATEGORY_WORDS[k.name.replaceAll(' ', '_')] || k.name	// as the verdict has them
	const entry = k => button([palette.swatch(k), element('span', null, words(k), ' ', size(k))], 'light these blocks', () => lightClass(shown, k.class), { class: 'plain', 'aria-pressed': String(shown.kept.litBy === 'class ' + k.class && Boolean(searchLight(shown))) })
	// Where much is nobody's, what it is for tells more.
	const nameless = used.find(k => told(k) && bytes[k.class] && !isLine(k))
	const leads = element('li', null, button('colour by category', 'what blocks are for, instead of who holds them', () => recolor('category'), { class: 'plain link' }))
	if (legend.shown !== shown) legend.tall = 0
	legend.shown = shown
	keepFocus(host, () => fill(host, timed ? element('li', { class: 'remark' }, `held after event ${view.moment}:`) : null, used.slice(0, 24).map(k => [element('li', null, entry(k)), k === nameless ? leads : null]),
		used.length > 24 ? element('li', { class: 'remark' }, `and ${used.length - 24} more`) : null, palette.remark ? element('li', { class: 'remark' }, palette.remark) : null,
		lineItems(shown), element('li', { class: 'more' }, button('', 'all of the legend, or its first lines', () => { legend.open = !legend.open; foldLegend() }, { class: 'plain link' }))))
	foldLegend()
	if (!legend.watch) (legend.watch = new ResizeObserver(([{ contentRect }]) => { if (contentRect.width !== legend.width) { legend.width = contentRect.width; legend.tall = 0; foldLegend() } })).observe(host)
	linesSoon()
}

// The legend takes no more than some rows of the screen until it is unfolded.
const legend = { shown: null, open: false, lines: '', width: 0, tall: 0, watch: null, timer: 0 }
const foldedRows = () => matchMedia('(max-width: 640px)').matches ? 5 : 3

function foldLegend() {
	const host = part('legend'), more = host.querySelector('.more'), toggle = more?.firstChild
	if (!more) return
	const all = [...host.children].filter(li => li !== more), most = foldedRows()
	for (const li of all) li.classList.remove('folded')
	more.hidden = true
	const seen = all.filter(li => li.getClientRects().length), rows = [...new Set(seen.map(li => li.offsetTop))], over = rows[most]
	host.style.minHeight = ''
	if (over !== undefined) foldBehind(seen, most, rows, more, toggle)
	// What stands below does not move with each moment.
	if (!legend.open) host.style.minHeight = (legend.tall = Math.max(legend.tall, host.offsetHeight)) + 'px'
}

function foldBehind(seen, most, rows, more, toggle) {
	more.hidden = false
	toggle.textContent = 'fewer'
	if (legend.open) return
	let kept = seen.filter(li => li.offsetTop < rows[most])
	const fold = () => {
		for (const li of seen.slice(kept.length)) li.classList.add('folded')
		toggle.textContent = `and ${seen.length - kept.length} more`
	}
	for (fold(); kept.length > 1 && more.offsetTop > rows[most - 1]; fold()) kept = kept.slice(0, -1)
}

const lineItems = shown => {
	const lines = shown.lives.events ? linesOf(shown) : []
	legend.lines = lines.join()
	return lines.map(([look, text]) => element('li', { class: 'over' }, element('span', { class: 'line ' + look, 'aria-hidden': 'true' }), text))
}

// The lines and ticks of the picture, those that the part in view has.
function linesOf(shown) {
	const { device } = shown, t = timeline, inView = (a, b = a) => t.valueOfEvent(b) >= view.from && t.valueOfEvent(a) <= view.to, columns = t.painting.columnsNow
	if (columns) shown.kept.passes = columns.passed.some(n => n > 0)
	return [['', 'reserved from the driver; between it and the bands: cached, free'],
		failedEvents(device).some(f => inView(f.idx)) && ['failed', 'a failed request'], device.peak && device.peak.idx >= 0 && inView(device.peak.idx) && ['peak', 'the peak'], view.moment !== null && inView(view.moment) && ['moment', 'the moment shown below'],
		device.annotations.some(a => a.idx !== null && a.stage === 'START' && inView(a.idx)) && ['tick', 'below the bands: phases that the program marked'], device.steps.some(s => inView(s.first_idx, s.last_idx)) && ['step', 'below the bands: steps'],
		shown.kept.passes && ['passed', 'grey below the bands: blocks that lived too briefly to be seen here']].filter(Boolean)
}

// Once the view rests and is painted.
function linesSoon() {
	clearTimeout(legend.timer)
	legend.timer = setTimeout(() => {
		const shown = current(), more = part('legend').querySelector('.more')
		if (!shown?.lives?.events || legend.shown !== shown || timeline.shown !== shown || !more) return
		if (!timeline.painting.done) return linesSoon()
		if (linesOf(shown).join() === legend.lines) return
		for (const li of [...part('legend').querySelectorAll('.over')]) li.remove()
		more.before(...lineItems(shown))
		foldLegend()
	}, 200)
}

// The same where nothing can be chosen: beside a picture of another recording.
const legendOf = shown => element('ul', { class: 'legend', 'aria-label': 'what the colours stand for in ' + shown.name }, usedClasses(shown).slice(0, 12).map(k => element('li', null, shown.palette.swatch(k), ' ', k.name)))
