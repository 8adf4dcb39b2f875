// What the words of the answers mean, as `gpusnap help terms` has it: TERMS and VERDICTS are put in by assemble.py.
// The page's labels for what they call otherwise.
const TERM_OF = { 'holds most now': 'holder', 'held by': 'holder', growth: 'grows', 'pinned by': 'pinned', 'Who holds it': 'holder', 'What it is for': 'category' }

// And what the list does not say of one.
const BESIDES = { 'holds most now': '; now: at the failure, without one at the end of the recording' }

function meaningOf(word, verdict) {
	if (verdict) return VERDICTS[word] ? `It would have fit with: ${VERDICTS[word]}` : ''
	const meaning = TERMS[TERM_OF[word] || word]
	return meaning ? meaning + (BESIDES[word] || '') : ''
}

// A word that has a meaning tells it to a pointer, and opens the list of words when it is pressed; by the keyboard that is ?. Others are text.
function termed(word, verdict = false) {
	const meaning = meaningOf(word, verdict)
	return meaning ? element('dfn', { class: 'term', title: meaning, onclick: () => showTerms(word, verdict) }, word) : word
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
