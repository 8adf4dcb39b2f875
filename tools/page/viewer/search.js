// A search lights the blocks that match: place, caller, a frame, tag, category (the analyzer finds those), and what stands as step:3, stream:0,
// pool:1,0, size>10MiB, age>1000 (events, at the moment); the rest fades.
let searchAsked = 0

const FILTER = /^(step|stream|pool|size|age)(:|=|<|>)(\S+)$/

// The text into what the analyzer finds and tests of a life.
function readSearch(shown, text) {
	const words = [], tests = [], { lives, device } = shown
	for (const word of text.split(/\s+/)) {
		const [, name, sign, value] = FILTER.exec(word) || []
		if (!name) { words.push(word); continue }
		if (name === 'step') {
			const step = device.steps.find(s => String(s.step) === value || s.name === value)
			if (!step) throw new Error(`there is no step ${value}`)
			tests.push(i => lives.birth[i] >= step.first_idx && lives.birth[i] <= step.last_idx)
		} else if (name === 'stream' || name === 'pool') {
			const at = device[name + 's'].findIndex(x => String(x) === value)
			if (at < 0) throw new Error(`there is no ${name} ${value}`)
			tests.push(i => lives[name][i] === at)
		} else {
			const bound = name === 'size' ? bytesOfText(value) : Number(value), moment = view.moment ?? lives.events - 1
			if (!(bound >= 0)) throw new Error(`${value} is no ${name === 'size' ? 'size' : 'number of events'}`)
			const of = name === 'size' ? i => lives.size[i] : i => lives.livesAt(i, moment) ? moment - lives.birth[i] : NaN
			tests.push(sign === '<' ? i => of(i) < bound : sign === '>' ? i => of(i) > bound : i => of(i) === bound)
		}
	}
	return { text: words.join(' '), tests }
}

// By life 1 where the search matches; null without a search.
const searchLight = shown => shown.kept.light && shown.kept.lightFor === view.search ? shown.kept.light : null

async function runSearch() {
	const shown = current(), text = view.search.trim(), asked = ++searchAsked, said = part('found')
	if (!shown?.lives) return
	if (!text) {
		shown.kept.light = null
		return relight(shown)
	}
	try {
		const wanted = readSearch(shown, text), found = wanted.text ? await shown.ask('find', { device: shown.number, text: wanted.text }) : { lives: Array.from({ length: shown.lives.n }, (_, i) => i) }
		if (asked !== searchAsked || current() !== shown) return
		const light = new Uint8Array(shown.lives.n), lives = found.lives.filter(i => wanted.tests.every(t => t(i)))
		for (const i of lives) light[i] = 1
		shown.kept.light = light
		shown.kept.lightFor = view.search
		shown.kept.found = lives
		relight(shown)
		announce(`${said.textContent} match ${text}`)
	} catch (e) {
		shown.kept.light = null
		relight(shown)
		said.textContent = e.message
	}
}

// How many are lit, and what they hold at the moment that is shown.
function foundText(shown) {
	const { found } = shown.kept, { lives } = shown, n = found.length, timed = lives.events > 0 && view.moment !== null
	let there = 0, bytes = 0
	for (const i of found) if (!timed || lives.livesAt(i, view.moment)) { there++; bytes += lives.size[i] }
	if (!n) return plural(0, 'block')
	const when = timed ? ` after event ${view.moment}` : ''
	return plural(n, 'block') + ', ' + (there === n ? sizeText(bytes) : there ? `${countText(there)} of them (${sizeText(bytes)})` : 'none of them') + when
}
function tellFound() {
	const shown = current()
	if (shown?.lives && searchLight(shown)) part('found').textContent = foundText(shown)
}

function relight(shown) {
	part('unlight').hidden = !searchLight(shown)
	part('found').textContent = searchLight(shown) ? foundText(shown) : ''
	timeline.bands?.setLight(searchLight(shown))
	timeline.forget()
	timeline.draw()
	momentMap?.draw()
	compared.maps.forEach(m => m.draw())
}

// Goes to the next match behind the chosen block.
function nextMatch(by) {
	const shown = current(), found = shown?.kept.light && shown.kept.found
	if (!found?.length) return
	let at = found.findIndex(i => i > view.life)
	at = by > 0 ? (at < 0 ? 0 : at) : ((at < 0 ? found.length : at) - (view.life === found[(at < 0 ? found.length : at) - 1] ? 2 : 1) + found.length) % found.length
	const life = found[at]
	change({ life, moment: Math.max(0, shown.lives.birth[life]) })
	announce(`match ${at + 1} of ${found.length}: ${sizeText(shown.lives.size[life])}`)
}
