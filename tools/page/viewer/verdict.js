// The verdict in the command's words: its first line as the headline, the rest as pairs of a word and what it says.

// The command's text, without what it says of -v (here that is unfolded below it), into {headline, lines: [[word, text]], tries: [text], rest}.
// field: whether a field for the device's size follows, which the command calls --capacity.
function readVerdict(text, field = true) {
	if (!field) text = text.replace(/(,\s+or\s+give\s+its\s+size)?:\s+--capacity\b/g, '')
	const lines = text.replace(/\s+\(-v:\s+(figures|all)\)/g, '').replace(/\s+\(-d\s+\d+\s+tells\s+of\s+it\)/g, '').replace(/:(\s+)--capacity\b/g, ':$1the field below').replace(/\s+$/, '').split('\n'), out = { headline: '', lines: [], tries: [] }
	let i = 0
	for (; i < lines.length && lines[i] && (i === 0 || !/^ {2}\S(.{0,8}\S)? {2,}\S/.test(lines[i])); i++) out.headline += (i ? ' ' : '') + lines[i].trim()
	let trying = false, group = 0
	for (; i < lines.length; i++) {
		const line = lines[i]
		if (!line.trim()) { group++; continue }
		if (/^\S/.test(line)) { trying = /^Try/.test(line); if (!trying) out.lines.push(['', line.trim(), group]); continue }
		const first = trying ? /^ {1,3}\d+ {2}(.*)$/.exec(line) : /^ {2}(\S(?:.*?\S)?) {2,}(\S.*)$/.exec(line)
		if (trying && first) out.tries.push(first[1])
		else if (trying && out.tries.length) out.tries[out.tries.length - 1] += (/^\s*(replayed|computed|estimated|untried):/.test(line) ? '\n' : ' ') + line.trim()
		else if (first && line.indexOf(first[2]) <= 14 && !/^ {10,}/.test(line)) out.lines.push([first[1], first[2], group])
		else if (out.lines.length) {
			const last = out.lines[out.lines.length - 1], again = /: \S.* in \d+ blocks?(,|$)/.test(line) && / in \d+ blocks?[^:]*$/.test(last[1]) && /^(held by|held then|at end|also|grows|cached by|pinned by)$/.test(last[0])
			last[1] += (again || (last[0] === 'peak' && /^ *(of it|held by) /.test(line)) ? '\n' : ' ') + line.trim()
		}
	}
	return out
}

// The device as one bar, of what its line says: `X in use (Y of it waiting to be freed) + Z cached + U outside the allocator + V free`.
const SHARES = [['in use', 'use'], ['waiting to be freed', 'waits'], ['cached', 'cache'], ['outside the allocator', 'others'], ['free', 'free']]
function deviceShares(text) {
	const sizes = SHARES.map(([word]) => bytesOfText(new RegExp(`([\\d.]+ [KMGT]?i?B) ${word === SHARES[1][0] ? 'of it ' : ''}${word}`).exec(text)?.[1] || '') || 0)
	if (/\(all waiting to be freed\)/.test(text)) sizes[1] = sizes[0]
	sizes[0] = Math.max(0, sizes[0] - sizes[1])	// told in the same parts as the bands and the strip
	return SHARES.map(([word, look], i) => ({ word, look, bytes: sizes[i] })).filter(p => p.bytes > 0)
}

const BAR_LETTERS = 40	// that the bar has room for, where it is narrowest
function deviceBar(text) {
	const parts = deviceShares(text), all = parts.reduce((sum, p) => sum + p.bytes, 0)
	if (parts.length < 2) return null
	return element('div', { class: 'device-bar', 'aria-hidden': 'true' }, parts.map(p => {
		const said = `${p.word} ${Math.round(p.bytes / all * 100)} %`, share = element('span', { class: p.look, title: `${sizeText(p.bytes)} ${p.word}` }, said.length < p.bytes / all * BAR_LETTERS ? said : '')
		share.style.flexGrow = p.bytes / all
		return share
	}))
}

// Four lines that every verdict has, in one order, by the labels of the command's text; what that leaves out is told of its JSON.
const FACTS = [['peak'], ['held by', 'at end', 'held then'], ['grows'], ['request']]
const TITLES = { peak: 'peak', grows: 'growth', request: 'failed request' }

// Whose memory it is, of the moment that the verdict is of: told where the recording has others.
function factTitle(word, v) {
	if (word !== 'held by') return termed(TITLES[word])
	const title = /^no /.test(v.headline) ? /has no events/.test(v.headline) ? 'holds most' : 'holds most at the end' : 'holds most at the failure'
	const name = termed('holder')
	name.textContent = title
	return name
}

function factText(word, said, v, answer, device) {
	const why = /^no /.test(v.headline) || !v.headline.includes(':') ? '' : '; why: ' + v.headline.slice(0, v.headline.indexOf(':')) + ' (above)'
	if (said) return word === 'request' ? said + why : said
	if (!answer) return '…'
	const rows = (list, name) => list.slice(0, 3).map(r => `${name(r)}: ${sizeText(r.bytes)} in ${plural(r.blocks, 'block')}`).join('\n')
	switch (word) {
	case 'peak': return peakText(answer, device)
	case 'held by': return rows(answer.holders, placeText) || 'not told in this file'
	case 'grows': return rows(answer.growth, r => frameText(r.user_frame)) || (device?.events ? 'none seen' : 'not told: the file has no events')
	default: return answer.requested ? sizeText(answer.requested) + why : answer.verdict ? 'of a size that is not told' + why : 'none: nothing failed'
	}
}

// What it was made of is told where that is not what is in use now.
function peakText({ peak, holders, categories }, device) {
	if (!peak) return 'not told in this file'
	const same = rows => JSON.stringify(rows), held = peak.holders?.[0], other = held && (same(peak.holders) !== same(holders) || same(peak.categories) !== same(categories))
	const step = device?.steps.find(s => s.first_idx <= peak.idx && peak.idx <= s.last_idx)
	return `${sizeText(peak.allocated)} in use` + (peak.idx === null ? '' : ` at event ${peak.idx}`) + (step ? ` (${step.name})` : '') + (peak.reserved === null ? '' : `, ${sizeText(peak.reserved)} reserved`) +
		(other ? '\nof it ' + peak.categories.filter((c, i) => !i || c.bytes >= peak.allocated / 100).map(c => `${CATEGORY_WORDS[c.category] || c.category} ${sizeText(c.bytes)}`).join(', ') +
			`\nheld by ${placeText(held)}: ${sizeText(held.bytes)} in ${plural(held.blocks, 'block')}` + (held.category === 'unknown' ? '' : `, ${CATEGORY_WORDS[held.category] || held.category}`) : '')
}

// A frame `name (/path/file:line)` as holders are written: `file:line name`.
const frameText = frame => (frame || 'a place that is not told').replace(/^(.*) \((?:.*[\\/])?([^\\/]+:\d+)\)$/, '$2 $1')

function factsView(v, answer, device) {
	const said = words => v.lines.find(l => words.includes(l[0]))?.[1]
	return FACTS.map(words => [element('dt', null, factTitle(words[0], v)), element('dd', null, factText(words[0], said(words), v, answer, device))])
}

// What the text left out, once the pictures are there; where it left nothing out the verdict is not asked for again.
async function tellFacts(shown) {
	const host = part('verdict').querySelector('.facts')
	if (!host || !shown.outline || current() !== shown) return
	if (!FACTS.every(words => host.verdict.lines.some(l => words.includes(l[0])))) {
		try {
			const answer = await shown.ask('diagnose', { device: undefined, capacity: shown.capacityGiven })
			if (!host.isConnected) return
			fill(host, factsView(host.verdict, answer, shown.outline.devices.find(d => d.device === answer.device) || shown.device))
		} catch { return /* the verdict stands without them */ }
	}
	if (shown.lives) linkHolders(shown, host)
}

// Where the text leads with who holds most, it tells the others below, as also: here they are one line.
function joinHolders(lines) {
	const held = lines.find(l => l[0] === 'held by' && l[2] === 0), also = held && lines.find(l => l[0] === 'also' && l[2] > 0 && / in \d+ block/.test(l[1]))
	if (!also) return lines
	return lines.filter(l => l !== also).map(l => l === held ? [l[0], l[1] + '\n' + also[1], l[2]] : l)
}

// What the peak was made of stands behind what is to try, which stays in sight; beside the peak stands its largest part alone.
function splitPeak(lines) {
	return lines.flatMap(l => {
		const cut = l[0] === 'peak' ? l[1].indexOf('\n') : -1, made = l[1].slice(cut + 1), largest = /^of it ([^,\n]+)/.exec(made)?.[1]
		return cut < 0 ? [l] : [['peak', l[1].slice(0, cut) + (largest ? '; largest part: ' + largest : ''), l[2]], ['at the peak', made.replace(/^of it /, ''), 1]]
	})
}

// What the text says a second time, where the page has all that is to try in sight, and the request in full.
function saidOnce(v) {
	const request = v.lines.find(l => l[0] === 'request')?.[1] || ''
	return v.lines.filter(([word, t]) => !(/^(next|and)$/.test(word) && v.tries.length) && !(word === 'asked by' && request.includes(t)))
}

// Below the headline of the file the four facts; a failure of several is told as the command does. Of the file: [headline, what stands beside the
// picture], of a failure: a box of both.
function verdictView(text, heading = 'h1') {
	const v = readVerdict(text, heading === 'h1'), colon = v.headline.indexOf(':'), whole = heading === 'h1'
	const head = element(heading, { class: 'headline' }, colon > 0 ? element('b', { class: /^no /.test(v.headline) ? null : 'failed' }, termed(v.headline.slice(0, colon), true)) : null, colon > 0 ? v.headline.slice(colon) : v.headline)
	const list = lines => lines.length ? element('dl', null, lines.map(([word, t]) => [element('dt', null, termed(word)), element('dd', null, t, /^device/.test(word) ? deviceBar(t) : null)])) : null
	v.lines = saidOnce(v)
	if (whole) v.lines = splitPeak(joinHolders(v.lines))
	const left = whole ? v.lines.filter(l => !FACTS.some(f => f.includes(l[0]))) : v.lines, facts = whole ? element('dl', { class: 'facts' }, factsView(v, null, null)) : null
	if (facts) facts.verdict = v
	const sides = element('div', { class: 'sides' }, element('div', { class: 'first' }, facts, list(left.filter(l => l[2] === 0))),
		v.tries.length ? element('div', { class: 'tries' }, element('h2', null, 'Try'), element('ol', null, v.tries.map(t => element('li', null, breakable(t)))), knownWords(v.tries)) : null,
		element('div', { class: 'rest' }, list(left.filter(l => l[2] > 0))))
	return whole ? [head, sides] : element('div', { class: 'verdict' }, head, sides)
}

// How an advice is known, in the words of the command's help.
const KNOWN = { replayed: 'the recorded requests were run through the allocator again with the change', computed: 'figures of the file prove it', estimated: 'it holds if the run goes on as it did', untried: 'nothing in the file can test it' }
function knownWords(tries) {
	const words = Object.keys(KNOWN).filter(w => tries.some(t => new RegExp(`\\(${w}\\)|\\b${w}:`).test(t)))
	return words.length ? element('p', { class: 'remark' }, words.map(w => `${w}: ${KNOWN[w]}`).join('; ') + '.') : null
}

// Cards whose memory is known by name (analyzer/replay/cards.def), offered where a capacity is typed.
const CARD_LIST = 'gpusnap-cards'
const cardList = () => document.getElementById(CARD_LIST) ? null : element('datalist', { id: CARD_LIST }, Object.entries(CARDS).map(([name, mebibytes]) => element('option', { value: name }, sizeText(mebibytes * 2 ** 20))))
const isCapacity = text => bytesOfText(text) > 0 || text.toLowerCase() in CARDS

// The verdict again with what the file does not tell: how large the device is.
function capacityField(shown) {
	const box = element('input', { type: 'text', size: 9, placeholder: 'e.g. 40GiB', list: CARD_LIST, title: 'a size, or a card: t4, a100-40gb …', 'aria-label': 'the capacity of the device', value: shown.capacityGiven || '' }), said = element('span', { class: 'error' })
	const judge = async e => {
		e.preventDefault()
		if (box.value.trim() && !isCapacity(box.value.trim())) return void (said.textContent = 'that is no size')
		shown.capacityGiven = box.value.trim() || undefined
		await showVerdict(shown)
		await tellFacts(shown)
		if (shown.lives) linkHolders(shown, part('verdict'))
	}
	return element('form', { class: 'tools', onsubmit: judge }, element('label', null, 'capacity of the device ', box), cardList(), element('button', { title: 'the verdict with this capacity' }, 'judge again'), said)
}

// The same with all its figures: what the command says with -v.
const figuresOf = shown => tableBeside('The verdict with all figures', async () => element('pre', null, await shown.ask('diagnose', { form: 'text', width: 110, verbose: true, capacity: shown.capacityGiven })))

async function showVerdict(shown) {
	const host = part('verdict')
	if (shown.told && recordings.length === 1) return void (shown.verdict = document.querySelector('main h1')?.textContent || '')
	fill(host, element('p', { class: 'remark' }, 'judging …'))
	fill(part('figures'))
	try {
		const text = await shown.ask('diagnose', { form: 'text', width: 100, device: undefined, capacity: shown.capacityGiven })
		if (current() !== shown) return
		const [head, sides] = verdictView(text)
		fill(host, head, element('div', { class: 'side' }, sides, /--capacity/.test(text) || shown.capacityGiven ? capacityField(shown) : null, shown.warnings.map(w => element('p', { class: 'remark' }, 'warning: ' + w))))
		fill(part('figures'), figuresOf(shown))
		const told = readVerdict(text), device = told.lines.find(l => /^device \d+$/.test(l[0]))
		shown.verdict = told.headline
		if (device) shown.toldDevice = Number(device[0].slice(7))
		drawRanks()
		if (recordings.length > 1) sketch(shown).then(drawRanks, () => {})
		announce(shown.verdict)
		document.title = shown.verdict.split(':')[0] + ': ' + shown.name + ', gpusnap'
	} catch (e) { if (current() === shown) fill(host, errorNote(e)) }
}
