// Tables of rows, with sizes and addresses as people read them; sorted by a click on a heading.
const BYTES = /^(bytes|size|requested|needed|allocated|reserved|free|capacity|device_free|largest_free|largest_left|change|missing|pending|rounding|growth|free_whole|free_pinned|live_bytes|allowed|outside|available|others)$|_(bytes|allocated|reserved|size|free)$|^(bytes|peak|start|end)_/
const PLAIN = /_idx$|^largest_free_block$/

function cellText(name, value) {
	if (value === null || value === undefined) return ''
	if (typeof value === 'boolean') return value ? 'yes' : 'no'
	if (typeof value !== 'number') return String(value)
	if ((name === 'address' || name === 'segment') && value >= 4096) return addressText(value)
	if (BYTES.test(name) && !PLAIN.test(name)) return sizeText(value)
	if (name === 'time_us') return clockText(value)
	return Number.isInteger(value) ? String(value) : String(Math.round(value * 1e4) / 1e4)
}

// columns: names or {name, title, about (what the title means), text(name, value, row), spare (left out where the window is narrow)}; options: {caption, label (for who does not see what stands above it), most (rows shown at once), choose(row), marked(row), none}.
// The box has mark(), for when what is marked has changed.
function tableOf(columns, rows, options = {}) {
	columns = columns.map(c => typeof c === 'string' ? { name: c } : c).map(c => ({ title: c.title || c.name.replaceAll('_', ' '), ...c }))
	const box = element('div', { class: 'table', tabindex: '0', role: 'region', 'aria-label': options.label || options.caption || 'table' })
	let shown = options.most || 200, sorted = rows.slice(), by = null, down = true
	const numeric = new Set(columns.filter(c => rows.some(r => typeof r[c.name] === 'number') && !rows.some(r => typeof r[c.name] === 'string')).map(c => c.name))
	const look = c => [numeric.has(c.name) && 'n', c.spare && 'spare'].filter(Boolean).join(' ') || null
	const heading = c => {
		const b = button(c.title + (by === c.name ? (down ? ' ▾' : ' ▴') : ''), c.about ? null : 'sort by ' + c.title, () => sort(c.name), { class: c.about ? 'plain term' : 'plain' })
		return c.about ? explain(b, c.about) : b
	}
	const draw = () => keepFocus(box, () => {
		const head = element('tr', null, columns.map(c => element('th', { scope: 'col', class: look(c), 'aria-sort': by === c.name ? (down ? 'descending' : 'ascending') : null },
			heading(c))))
		const body = sorted.slice(0, shown).map(r => {
			const row = element('tr', { class: options.marked?.(r) ? 'marked' : null }, columns.map((c, i) => {
				const text = (c.text || cellText)(c.name, r[c.name], r)
				const inside = i === 0 && options.choose ? button(text, options.chooseTitle || 'show', () => options.choose(r), { class: 'plain link' }) : text
				return element('td', { class: look(c), title: numeric.has(c.name) && typeof r[c.name] === 'number' ? String(r[c.name]) : null }, inside)
			}))
			return row
		})
		fill(box, element('table', null, options.caption ? element('caption', null, options.caption) : null, element('thead', null, head), element('tbody', null, body)),
			shown < sorted.length ? button(`${countText(sorted.length - shown)} more`, 'show more rows', () => { shown += 500; draw() }) : null)
	})
	const sort = name => {
		down = by === name ? !down : numeric.has(name)
		by = name
		const sign = down ? -1 : 1
		sorted = rows.slice().sort((a, b) => {
			const x = a[name], y = b[name]
			if (x === y) return 0
			if (x === null || x === undefined) return 1
			if (y === null || y === undefined) return -1
			return (x < y ? -1 : 1) * sign
		})
		draw()
	}
	if (options.marked) box.mark = draw
	if (!rows.length) return append(fill(box), [options.caption ? element('p', { class: 'remark' }, options.caption) : null, element('p', { class: 'remark' }, options.none || 'no rows')])
	draw()
	return box
}

// A table that opens beside a picture, made when it is opened.
function tableBeside(title, make) {
	const body = element('div')
	const d = element('details', { class: 'beside' }, element('summary', null, title), body)
	d.addEventListener('toggle', async () => {
		if (!d.open) return
		fill(body, element('p', { class: 'remark' }, 'reading …'))
		try { fill(body, await make()) } catch (e) { fill(body, errorNote(e)) }
	})
	d.refresh = () => { if (d.open) d.dispatchEvent(new Event('toggle')) }
	return d
}

const errorNote = e => element('p', { class: 'error', role: 'alert' }, e.message || String(e))

function csvOf(columns, rows) {
	const field = v => v === null || v === undefined ? '' : /[",\n\r]/.test(String(v)) ? '"' + String(v).replaceAll('"', '""') + '"' : String(v)
	return [columns, ...rows.map(r => columns.map(c => r[c]))].map(r => r.map(field).join(',')).join('\n') + '\n'
}
