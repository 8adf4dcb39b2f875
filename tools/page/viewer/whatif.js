// The run again under other settings, on another device: the command's what-if with fields.
const SETTINGS = [
	{ name: 'expandable_segments', values: ['', 'True', 'False'], about: 'segments that grow in place' },
	{ name: 'max_split_size_mb', type: 'number', about: 'larger free blocks are not split (MiB)' },
	{ name: 'garbage_collection_threshold', type: 'number', step: '0.05', about: 'give cache back above this share of the limit' },
	{ name: 'roundup_power2_divisions', type: 'number', about: 'round requests to powers of two in so many parts' },
	{ name: 'large_segment_size_mb', type: 'number', about: 'size of the segments for requests of 1 to 10 MiB' },
]
const wished = { confs: [], fields: {}, allowed: '' }

// What the recording tells of the device's size: {bytes} or, of one that failed, {least} of it; {} where it tells nothing.
function recordedCapacity(shown) {
	if (shown.capacity > 0) return { bytes: shown.capacity }
	const failed = shown.lives && failedEvents(shown.device).find(f => f.device_free >= 0 && f.device_free !== null)
	return failed ? { least: shown.lives.curve.reserved.at(failed.idx) + failed.device_free } : {}
}

// Of the answer's columns those that say something: not what no row has, nor what all have alike and the caption tells, nor bounds that are the figure
// itself.
function tellingColumns({ columns, rows }) {
	const bounds = rows.some(r => r.peak_low !== r.peak_reserved || r.peak_high !== r.peak_reserved), first = ['conf', 'fits', 'change', 'peak_reserved', 'peak_low', 'peak_high', 'reserved', 'largest_free', 'oom_idx']
	const rank = name => first.indexOf(name) + 1 || 99
	const alike = name => rows.every(r => r[name] === rows[0][name])
	return columns.filter(name => /^peak_(low|high)$/.test(name) ? bounds : name === 'capacity' || name === 'exact' ? !alike(name) : rows.some(r => r[name] !== null)).sort((a, b) => rank(a) - rank(b))
}

// The columns in words, and what they mean.
const WHATIF_COLUMNS = {
	capacity: ['device', 'the size of the device that it is replayed on'],
	fits: ['fits', 'whether the whole run goes through without a failed request'],
	change: ['change', 'against the first row, the recorded settings'],
	allocations: ['allocations', 'how many succeed before the end, or before the first failure'],
	oom_idx: ['fails at event', 'the first request that fails; empty: none does'],
	peak_reserved: ['most reserved', 'the most that is taken from the driver, up to the end or the first failure'],
	peak_low: ['at least', 'the least that the most reserved may be, where the file leaves it open'],
	peak_high: ['at most', 'the most that it may be'],
	reserved: ['reserved then', 'what is taken from the driver at the end, or at the first failure'],
	largest_free: ['largest hole', 'the largest free block then'],
	retries: ['retries', 'how often cached segments went back to the driver before a request was tried again'],
	exact: ['exact', 'yes: the recorded settings, replayed, gave what is recorded, event by event; no: something had to be assumed'],
	note: ['note', 'what was assumed, or left out'],
}
const whatIfColumn = name => name === 'conf' ? { name, title: 'settings', text: (n, v) => breakable(v || 'no settings') } : { name, title: WHATIF_COLUMNS[name]?.[0], about: WHATIF_COLUMNS[name]?.[1], spare: !/^(fits|peak_reserved)$/.test(name) }

function replayedOn(rows) {
	const [first] = rows, all = name => first && rows.every(r => r[name] === first[name])
	return 'the run replayed' + (all('capacity') && first.capacity !== null ? ' on ' + sizeText(first.capacity) : '') + (all('exact') ? first.exact ? ', exact' : ', not exact' : '')
}

async function drawWhatIf(host) {
	const shown = current()
	if (!shown?.outline) return
	const answer = element('div'), other = element('input', { type: 'text', id: 'gpusnap-conf', size: 40, spellcheck: 'false', placeholder: 'expandable_segments:True,…', value: wished.other || '' })
	const field = s => {
		const input = s.values ? select(s.name, s.values.map(v => [v, v || 'as recorded']), wished.fields[s.name] || '', v => { wished.fields[s.name] = v })
			: element('input', { type: 'number', min: 0, step: s.step || 1, value: wished.fields[s.name] || '', 'aria-label': s.name, onchange: e => { wished.fields[s.name] = e.target.value } })
		return element('label', { title: s.about }, s.name, ' ', input)
	}
	const recorded = recordedCapacity(shown), usual = recorded.bytes ? exactSize(recorded.bytes) : '', said = element('span')
	const capacity = element('input', { type: 'text', size: 12, list: CARD_LIST, placeholder: 'e.g. 40GiB, t4', value: shown.triedCapacity ?? usual, 'aria-label': 'capacity', title: 'a size, or a card', onchange: e => { shown.triedCapacity = e.target.value.trim() } })
	const allowed = element('input', { type: 'text', size: 9, placeholder: 'e.g. 40GiB', value: wished.allowed, 'aria-label': 'allowed', onchange: e => { wished.allowed = e.target.value.trim() } })
	const run = async search => {
		wished.other = other.value
		const given = [SETTINGS.filter(s => wished.fields[s.name]).map(s => s.name + ':' + wished.fields[s.name]).join(','), other.value.trim()].filter(Boolean).join(',')
		if (given && !search && !wished.confs.includes(given)) wished.confs.push(given)
		const tried = capacity.value.trim()
		said.textContent = tried && !isCapacity(tried) ? 'that is no size, and no card that is known' : ''
		said.className = said.textContent && 'error'
		if (said.textContent) return
		const elsewhere = (tried && tried !== usual) || wished.allowed
		if (!search && !wished.confs.length && !elsewhere) return void fill(answer, element('p', { class: 'remark', role: 'status' }, 'Nothing is asked yet: choose a setting above, or give another capacity or a limit. Without any, “search” tries settings for you.'))
		fill(answer, element('p', { class: 'remark' }, 'replaying …'))
		try {
			const got = await shown.ask('whatif', { ...(search ? {} : { conf: ['', ...wished.confs] }), capacity: tried && tried !== usual ? tried : undefined, allowed: wished.allowed || undefined, device: shown.outline.devices.length > 1 ? shown.number : undefined })
			if (!host.contains(answer)) return
			fill(answer, got.summary ? element('p', { class: 'pre' }, got.summary) : null, tableOf(tellingColumns(got).map(whatIfColumn), got.rows, { caption: replayedOn(got.rows) + '; the figures are of its end, or of its first failure' }),
				element('div', { class: 'tools' }, button('save CSV', 'the rows as CSV', () => saveText(csvOf(got.columns, got.rows), baseName(shown) + '-whatif.csv', 'text/csv')), wished.confs.length ? button('forget the settings', 'begin anew', () => { wished.confs = []; wished.fields = {}; drawWhatIf(host) }) : null))
		} catch (e) { fill(answer, errorNote(e)) }
	}
	fill(host, element('h2', null, 'What if'), element('p', { class: 'remark' }, 'The recorded requests, replayed by the allocator’s own rules under other settings.'), element('div', { class: 'fields' }, SETTINGS.map(field), element('label', null, 'other settings ', other), element('label', null, 'capacity of the device ', capacity), cardList(), element('span', { class: 'remark' }, recorded.bytes ? `recorded: ${sizeText(recorded.bytes)}` : recorded.least ? `recorded: at least ${sizeText(recorded.least)}` : 'the file does not tell it'), element('label', null, 'limit of the allocator ', allowed), said),
		element('div', { class: 'tools' }, button('replay', 'with these settings', () => run(false), { id: 'gpusnap-replay' }), element('span', { class: 'remark' }, 'your settings, beside the recorded ones')), element('div', { class: 'tools' }, button('search', 'try a set of settings and rank them', () => run(true), { id: 'gpusnap-search-settings' }), element('span', { class: 'remark' }, 'settings that are known to help, each tried for you; the best first')), answer)
}
