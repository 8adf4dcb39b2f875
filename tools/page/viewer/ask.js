// Questions in SQL or by name, with completion of tables, columns and named queries.
const asked = { text: '', queries: null, words: null }
const SQL_WORDS = 'SELECT FROM WHERE GROUP BY ORDER LIMIT JOIN LEFT USING AS AND OR NOT NULL IS IN BETWEEN LIKE DESC ASC DISTINCT HAVING WITH UNION count sum max min avg coalesce round'.split(' ')

async function learnWords(shown) {
	if (asked.words) return
	const [queries, tables] = await Promise.all([shown.ask('queries', {}), shown.ask('query', { query: 'tables' })])
	asked.queries = queries
	asked.columns = tables.rows
	asked.words = [...new Set([...queries.map(q => q.name), ...tables.rows.map(r => r.table), ...tables.rows.map(r => r.column), ...SQL_WORDS])]
}

async function drawAsk(host) {
	const shown = current()
	if (!shown?.outline) return
	await learnWords(shown).catch(e => announce(e.message))
	const answer = element('div'), box = element('textarea', { id: 'gpusnap-sql', rows: 4, spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off', 'aria-label': 'a named query or one SQL statement', placeholder: 'SELECT category, sum(size) AS bytes FROM block GROUP BY category ORDER BY bytes DESC', role: 'combobox', 'aria-expanded': 'false', 'aria-controls': 'gpusnap-words', 'aria-autocomplete': 'list' })
	box.value = asked.text
	const words = element('ul', { id: 'gpusnap-words', class: 'words', role: 'listbox', 'aria-label': 'completions', hidden: true }), about = element('p', { class: 'remark' })
	const named = select('named queries', [['', 'named queries …'], ...(asked.queries || []).map(q => [q.name, q.name])], '', name => {
		if (!name) return
		const q = asked.queries.find(x => x.name === name)
		box.value = name
		about.textContent = q.description || ''
		run()
	})
	const where = select('the moment that is asked about', statesOf(shown), asked.state || '', v => { asked.state = v })
	const run = async () => {
		asked.text = box.value
		words.hidden = true
		const query = box.value.trim()
		if (!query) return
		fill(answer, element('p', { class: 'remark' }, 'asking …'))
		try {
			const got = await shown.ask('query', { query, state: asked.state || undefined, rows: 0 })
			if (!host.contains(answer)) return
			asked.answer = got
			fill(answer, element('div', { class: 'tools' }, element('span', { class: 'remark' }, plural(got.rows.length, 'row') + (got.state ? `, state ${got.state}` : '')),
				got.rows.length ? button('save CSV', 'the rows as CSV', () => saveText(csvOf(got.columns, got.rows), baseName(shown) + '-query.csv', 'text/csv')) : null), tableOf(got.columns, got.rows, { most: 200, caption: query.length < 80 ? query : 'the answer' }))
			announce(plural(got.rows.length, 'row'))
		} catch (e) { fill(answer, errorNote(e)) }
	}
	const show = element('details', null, element('summary', null, 'tables and columns'), element('div', null, tablesText()))
	fill(host, element('h2', null, 'Ask'), element('div', { class: 'tools' }, named, element('label', null, 'of ', where)), element('div', { class: 'sql' }, box, words), about,
		element('div', { class: 'tools' }, button('run', 'Ctrl and Enter', run, { id: 'gpusnap-run' }), button('show its SQL', 'the SQL behind a named query', () => { const q = asked.queries?.find(x => x.name === box.value.trim()); if (q) { box.value = q.sql.trim(); box.rows = 12 } })), answer, show)
	completion(box, words, run)
	if (asked.text) run()
}

function tablesText() {
	const by = new Map()
	for (const r of asked.columns || []) {
		if (!by.has(r.table)) by.set(r.table, [])
		by.get(r.table).push(r.column)
	}
	return element('dl', { class: 'schema' }, [...by].filter(([t]) => !t.startsWith('all_')).map(([t, columns]) => [element('dt', null, t), element('dd', null, columns.join(', '))]))
}

// Words that continue what stands before the cursor.
function wordsFor(text) {
	const begun = /[\w ]*$/.exec(text)[0].trimStart(), last = /\w*$/.exec(text)[0].toLowerCase()
	if (!last) return { from: text.length, list: [] }
	const whole = text.trimStart() === begun ? (asked.queries || []).map(q => q.name).filter(n => n.startsWith(begun.toLowerCase()) && n !== begun) : []
	if (whole.length) return { from: text.length - begun.length, list: whole.slice(0, 10) }
	return { from: text.length - last.length, list: (asked.words || []).filter(w => w.toLowerCase().startsWith(last) && w.toLowerCase() !== last && !w.includes(' ')).sort((a, b) => a.length - b.length).slice(0, 10) }
}

function completion(box, list, run) {
	let chosen = 0, found = { from: 0, list: [] }
	const draw = () => {
		list.hidden = !found.list.length
		box.setAttribute('aria-expanded', String(!list.hidden))
		fill(list, found.list.map((w, i) => element('li', { role: 'option', id: 'gpusnap-word-' + i, 'aria-selected': String(i === chosen), onpointerdown: e => { e.preventDefault(); take(i) } }, w)))
		if (list.hidden) box.removeAttribute('aria-activedescendant')
		else box.setAttribute('aria-activedescendant', 'gpusnap-word-' + chosen)
	}
	const take = i => {
		const at = box.selectionStart
		box.setRangeText(found.list[i], found.from, at, 'end')
		found.list = []
		draw()
		box.focus()
	}
	box.addEventListener('input', () => { found = wordsFor(box.value.slice(0, box.selectionStart)); chosen = 0; draw() })
	box.addEventListener('blur', () => { found.list = []; draw() })
	box.addEventListener('keydown', e => {
		if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) { e.preventDefault(); return run() }
		if (list.hidden) return
		if (e.key === 'ArrowDown' || e.key === 'ArrowUp') { e.preventDefault(); chosen = (chosen + (e.key === 'ArrowDown' ? 1 : -1) + found.list.length) % found.list.length; draw() }
		else if (e.key === 'Tab' || e.key === 'Enter') { e.preventDefault(); take(chosen) }
		else if (e.key === 'Escape') { e.stopPropagation(); found.list = []; draw() }
	})
}
