// A search lights the blocks that match: place, caller, a frame, tag, category; the rest fades.
let searchAsked = 0

// By life 1 where the search matches; null without a search.
const searchLight = shown => shown.kept.light && shown.kept.lightFor === view.search ? shown.kept.light : null

async function runSearch() {
	const shown = current(), text = view.search.trim(), asked = ++searchAsked, said = part('found')
	if (!shown?.lives) return
	if (!text) {
		shown.kept.light = null
		said.textContent = ''
		return relight(shown)
	}
	try {
		const found = await shown.ask('find', { device: shown.number, text })
		if (asked !== searchAsked || current() !== shown) return
		const light = new Uint8Array(shown.lives.n)
		let bytes = 0
		for (const i of found.lives) { light[i] = 1; bytes += shown.lives.size[i] }
		shown.kept.light = light
		shown.kept.lightFor = view.search
		shown.kept.found = found.lives
		said.textContent = plural(found.lives.length, 'block')
		announce(`${plural(found.lives.length, 'block')} match ${text}`)
	} catch (e) { said.textContent = e.message }
	relight(shown)
}

function relight(shown) {
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
