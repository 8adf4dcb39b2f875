// The run again under other settings, on another device: the command's what-if with fields.
const SETTINGS = [
	{ name: 'expandable_segments', values: ['', 'True', 'False'], about: 'segments that grow in place' },
	{ name: 'max_split_size_mb', type: 'number', about: 'larger free blocks are not split (MiB)' },
	{ name: 'garbage_collection_threshold', type: 'number', step: '0.05', about: 'give cache back above this share of the limit' },
	{ name: 'roundup_power2_divisions', type: 'number', about: 'round requests to powers of two in so many parts' },
	{ name: 'large_segment_size_mb', type: 'number', about: 'size of the segments for requests of 1 to 10 MiB' },
]
const wished = { confs: [], fields: {}, capacity: '', allowed: '' }

async function drawWhatIf(host) {
	const shown = current()
	if (!shown?.outline) return
	const answer = element('div'), other = element('input', { type: 'text', id: 'gpusnap-conf', size: 40, spellcheck: 'false', placeholder: 'expandable_segments:True,…', value: wished.other || '' })
	const field = s => {
		const input = s.values ? select(s.name, s.values.map(v => [v, v || 'as recorded']), wished.fields[s.name] || '', v => { wished.fields[s.name] = v })
			: element('input', { type: 'number', min: 0, step: s.step || 1, value: wished.fields[s.name] || '', 'aria-label': s.name, onchange: e => { wished.fields[s.name] = e.target.value } })
		return element('label', { title: s.about }, s.name, ' ', input)
	}
	const text = name => element('input', { type: 'text', size: 9, placeholder: 'e.g. 40GiB', value: wished[name], 'aria-label': name, onchange: e => { wished[name] = e.target.value.trim() } })
	const run = async search => {
		wished.other = other.value
		const given = [SETTINGS.filter(s => wished.fields[s.name]).map(s => s.name + ':' + wished.fields[s.name]).join(','), other.value.trim()].filter(Boolean).join(',')
		if (given && !search && !wished.confs.includes(given)) wished.confs.push(given)
		fill(answer, element('p', { class: 'remark' }, 'replaying …'))
		try {
			const got = await shown.ask('whatif', { ...(search || !wished.confs.length ? {} : { conf: ['', ...wished.confs] }), capacity: wished.capacity || undefined, allowed: wished.allowed || undefined, device: shown.outline.devices.length > 1 ? shown.number : undefined })
			if (!host.contains(answer)) return
			fill(answer, got.summary ? element('p', { class: 'pre' }, got.summary) : null, tableOf(got.columns.map(name => name === 'conf' ? { name, text: (n, v) => v || 'no settings' } : name), got.rows, { caption: 'the run replayed; the figures are of its end, or of its first failure' }),
				element('div', { class: 'tools' }, button('save CSV', 'the rows as CSV', () => saveText(csvOf(got.columns, got.rows), baseName(shown) + '-whatif.csv', 'text/csv')), wished.confs.length ? button('forget the settings', 'begin anew', () => { wished.confs = []; wished.fields = {}; drawWhatIf(host) }) : null))
		} catch (e) { fill(answer, errorNote(e)) }
	}
	fill(host, element('h2', null, 'What if'), element('p', { class: 'remark' }, 'The recorded requests, replayed by the allocator’s own rules under other settings.'), element('div', { class: 'fields' }, SETTINGS.map(field), element('label', null, 'other settings ', other), element('label', null, 'capacity of the device ', text('capacity')), element('label', null, 'limit of the allocator ', text('allowed'))),
		element('div', { class: 'tools' }, button('replay', 'with these settings', () => run(false), { id: 'gpusnap-replay' }), button('search', 'try a set of settings and rank them', () => run(true))), answer)
}
