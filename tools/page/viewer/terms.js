// What the words of the answers mean, as `gpusnap help terms` has it: TERMS and VERDICTS are put in by assemble.py.
// The page's labels for what they call otherwise.
const TERM_OF = { 'held by': 'holder', growth: 'grows', 'pinned by': 'pinned', 'Who holds it': 'holder', 'What it is for': 'category' }

function meaningOf(word, verdict) {
	if (verdict) return VERDICTS[word] ? `It would have fit with: ${VERDICTS[word]}` : ''
	return TERMS[TERM_OF[word] || word] || ''
}

// A word that has a meaning tells it, and opens the list of words when it is pressed. Others are text.
function termed(word, verdict = false) {
	const meaning = meaningOf(word, verdict)
	if (!meaning) return word
	const show = () => showTerms(word, verdict)
	return explain(element('dfn', { class: 'term', tabindex: '0', onclick: show, onkeydown: e => { if (e.key === 'Enter') show() } }, word), meaning)
}

// What an element means is told below it, to a pointer that rests on it and to the keyboard that comes to it.
const REST_MS = 150
function explain(e, meaning) {
	const tip = part('tip')
	let timer = 0
	const show = () => {
		if (!e.isConnected) return
		fill(tip, meaning)
		tip.hidden = false
		placeBelow(tip, e)
	}
	const hide = () => { clearTimeout(timer); tip.hidden = true }
	e.setAttribute('aria-description', meaning)
	e.addEventListener('pointerenter', ({ pointerType }) => { if (pointerType !== 'touch') { clearTimeout(timer); timer = setTimeout(show, REST_MS) } })
	e.addEventListener('focus', () => { if (e.matches(':focus-visible')) show() })
	for (const name of ['pointerleave', 'blur', 'click']) e.addEventListener(name, hide)
	return e
}

const termId = (word, verdict) => `gpusnap-${verdict ? 'verdict' : 'term'}-${(TERM_OF[word] || word).replace(/\W+/g, '-')}`

function termList() {
	const list = (words, verdict) => element('dl', { class: 'keys' }, Object.entries(words).map(([word, meaning]) => [element('dt', { id: termId(word, verdict) }, word), element('dd', null, meaning)]))
	return [element('h2', null, 'Words'), list(TERMS, false), element('p', null, 'The verdict names what would have made the failed request fit:'), list(VERDICTS, true)]
}

function showTerms(word, verdict) {
	const help = part('help')
	if (!help.open) help.showModal()
	for (const told of help.querySelectorAll('.told')) told.classList.remove('told')
	const at = document.getElementById(termId(word, verdict))
	at?.classList.add('told')
	at?.scrollIntoView({ block: 'center' })
}
