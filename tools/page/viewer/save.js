// What can be taken home: pictures, tables, the text for an issue, a copy without names.
function save(blob, name) {
	const url = URL.createObjectURL(blob), a = element('a', { href: url, download: name })
	part('viewer').append(a)
	a.click()
	a.remove()
	setTimeout(() => URL.revokeObjectURL(url), 60000)
	announce('saved ' + name)
}
const saveText = (text, name, type = 'text/plain') => save(new Blob([text], { type: type + ';charset=utf-8' }), name)
const baseName = shown => shown.name.replace(/.*[\\/]/, '').replace(/\.(pickle|pkl|gsnap|json|txt|zst|gz|db)$/i, '').replace(/[^\w.-]+/g, '-').slice(0, 60) || 'gpusnap'

async function drawSave(host) {
	const shown = current()
	if (!shown?.outline) return
	const said = element('p', { class: 'remark', role: 'status' }), base = baseName(shown)
	const act = (text, title, f) => element('li', null, button(text, title, async () => {
		said.textContent = 'making …'
		try { await f(); said.textContent = '' } catch (e) { fill(said, errorNote(e)) }
	}), ' ', element('span', { class: 'remark' }, title))
	const pictures = Boolean(shown.lives)
	fill(host, element('h2', null, 'Save'), element('ul', { class: 'saves' },
		pictures ? act('PNG', 'the picture of memory over time as it is shown', async () => save(await pngOf(shown), base + '.png')) : null,
		pictures ? act('SVG', 'the same as SVG', async () => saveText(svgOf(shown), base + '.svg', 'image/svg+xml')) : null,
		pictures ? act('PNG of the heap', 'the heap map of the chosen moment', async () => save(await heapPng(shown), base + '-heap.png')) : null,
		pictures ? act('CSV of blocks', 'the heap of the chosen moment, a row a block', async () => saveText(await shown.ask('query', { query: 'SELECT * FROM block', state: view.moment === null || !shown.lives.events ? undefined : String(view.moment), device: shown.number, form: 'csv' }), base + '-blocks.csv', 'text/csv')) : null,
		act('CSV of holders', 'who holds memory', async () => saveText(await shown.ask('query', { query: 'holders', form: 'csv' }), base + '-holders.csv', 'text/csv')),
		act('Markdown', 'the verdict for an issue', async () => saveText(await shown.ask('diagnose', { form: 'markdown' }), base + '.md', 'text/markdown')),
		act('copy Markdown', 'the same to the clipboard', async () => navigator.clipboard.writeText(await shown.ask('diagnose', { form: 'markdown' }))),
		act('redacted copy', 'a .gsnap without hosts, paths and names, with the layout', async () => save(new Blob([await shown.ask('export', { kind: 'gsnap', redact: true })]), base + '-redacted.gsnap')),
		act('.gsnap', 'the recording packed, about ten bytes an event', async () => save(new Blob([await shown.ask('export', { kind: 'gsnap' })]), base + '.gsnap'))), said)
}

async function heapPng(shown) {
	const host = element('div', { class: 'unseen' }), map = new HeapMap(host, 'the heap')
	part('viewer').append(host)
	try {
		const ask = { device: shown.number, ...(shown.lives.events ? { idx: view.moment } : { state: 'captured' }) }, [heap, moment] = await Promise.all([shown.ask('heap', ask), shown.ask('moment', ask)])
		map.show(shown, heap, moment.request)
		return await map.png()
	} finally { host.remove() }
}

// The pictures below each other with headline and legend, on one canvas.
async function pngOf(shown) {
	const ratio = timeline.ratio, c = timeline.canvas, pad = 12 * ratio, classes = usedClasses(shown), columns = Math.max(1, Math.floor(c.clientWidth / 340)), legend = Math.ceil(classes.length / columns) * 20 * ratio
	const out = document.createElement('canvas'), lines = headlineLines(shown, c.clientWidth)
	out.width = c.width + 2 * pad
	out.height = c.height + legend + 3 * pad + lines.length * 22 * ratio
	const d = out.getContext('2d')
	d.fillStyle = styled('paper')
	d.fillRect(0, 0, out.width, out.height)
	d.fillStyle = styled('ink')
	d.textBaseline = 'top'
	d.font = `${16 * ratio}px ${styled('font')}`
	lines.forEach((t, i) => d.fillText(t, pad, pad + i * 22 * ratio))
	timeline.paintNow()
	d.drawImage(c, pad, pad + lines.length * 22 * ratio)
	d.font = `${13 * ratio}px ${styled('font')}`
	classes.forEach((k, i) => {
		const x = pad + (i % columns) * 340 * ratio, y = c.height + pad * 2 + lines.length * 22 * ratio + Math.floor(i / columns) * 20 * ratio
		d.drawImage(shown.palette.swatch(k), x, y, 14 * ratio, 14 * ratio)
		d.fillText(cut(d, k.name, 310 * ratio), x + 20 * ratio, y)
	})
	return new Promise((done, fail) => out.toBlob(b => b ? done(b) : fail(new Error('the picture is too large')), 'image/png'))
}

function headlineLines(shown, width) {
	const c = document.createElement('canvas').getContext('2d'), lines = ['']
	c.font = '16px ' + styled('font')
	for (const word of (shown.verdict || shown.name).split(' ')) {
		const more = (lines[lines.length - 1] + ' ' + word).trim()
		if (c.measureText(more).width > width && lines[lines.length - 1]) lines.push(word)
		else lines[lines.length - 1] = more
	}
	return lines
}

const xml = t => String(t).replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '?')

// What is in view, drawn anew as runs of columns that look alike: rectangles by colour, lines, axis, legend.
function svgOf(shown) {
	const { plot } = timeline, w = Math.round(plot.w), h = Math.round(plot.h), image = new ImageData(w, h), span = view.to - view.from
	timeline.bands.paint(image, { low: view.low, high: view.high, eventOf: x => timeline.eventOfValue(view.from + x / w * span - (view.axis === 'event' ? 1e-9 : 0)) }, 0)
	const pixels = new Uint32Array(image.data.buffer), runs = new Map(), lines = headlineLines(shown, w), top = 24 + 20 * lines.length, left = 80
	for (let y = 0; y < h; y++) for (let x = 0; x < w;) {
		const color = pixels[y * w + x]
		let n = 1
		while (x + n < w && pixels[y * w + x + n] === color) n++
		if (color) {
			if (!runs.has(color)) runs.set(color, [])
			runs.get(color).push(`M${left + x} ${top + y}h${n}v1h-${n}z`)
		}
		x += n
	}
	const classes = usedClasses(shown), out = [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w + left + 20} ${top + h + 40 + 20 * classes.length}" font-family="sans-serif" font-size="12">`, `<title>${xml(shown.verdict || shown.name)}</title>`, '<rect width="100%" height="100%" fill="#fff"/>']
	lines.forEach((t, i) => out.push(`<text x="12" y="${24 + 20 * i}" font-size="15">${xml(t)}</text>`))
	for (const [color, paths] of runs) out.push(`<path shape-rendering="crispEdges" fill="rgb(${color & 255} ${color >> 8 & 255} ${color >> 16 & 255})" d="${paths.join('')}"/>`)
	const step = axisStep(view.high - view.low, h / 44, true, view.high)
	for (let b = Math.ceil(view.low / step) * step; b <= view.high; b += step) { const y = top + h - (b - view.low) / (view.high - view.low) * h; out.push(`<path d="M${left} ${y}h${w}" stroke="#888" stroke-opacity=".4"/><text x="${left - 6}" y="${y + 4}" text-anchor="end">${xml(sizeText(b))}</text>`) }
	let d = ''
	for (let x = 0; x < w; x++) {
		const e = timeline.eventOfValue(view.from + (x + 1) / w * span)
		d += `${x ? 'L' : 'M'}${left + x} ${(top + h - ((e < 0 ? 0 : shown.lives.curve.reserved.at(e)) - view.low) / (view.high - view.low) * h).toFixed(1)}`
	}
	out.push(`<path d="${d}" fill="none" stroke="#111" stroke-width="1.5"/>`)
	for (const f of failedEvents(shown.device)) { const x = left + (timeline.valueOfEvent(f.idx) - view.from) / span * w; if (x >= left && x <= left + w) out.push(`<path d="M${x} ${top}v${h}" stroke="#a30710"/><text x="${x}" y="${top - 4}" text-anchor="end" fill="#a30710">failed: ${xml(sizeText(f.requested))} asked for</text>`) }
	classes.forEach((k, i) => out.push(`<rect x="${left}" y="${top + h + 22 + 20 * i}" width="12" height="12" fill="${xml(k.rgb)}"/><text x="${left + 20}" y="${top + h + 32 + 20 * i}">${xml(k.name)}</text>`))
	out.push('</svg>')
	timeline.forget()
	timeline.draw()
	return out.join('\n')
}
