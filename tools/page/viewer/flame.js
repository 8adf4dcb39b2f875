// A flame graph: stacks from the outermost frame down, as wide as the bytes (or bytes × lifetime) that they hold.
const FLAME_ROW = 18
const flame = { weight: 'bytes', root: -1, graph: null, path: null, repaint: null }	// path: frames of the chosen block, outermost first

async function drawFlame(host) {
	const shown = current()
	if (!shown?.lives) return fill(host, element('p', { class: 'remark' }, 'There is nothing to draw.'))
	const canvas = element('canvas', { class: 'flame', tabindex: '0', role: 'img' }), said = element('p', { class: 'remark' }), events = shown.lives.events > 0
	const device = shown.number, from = view.span ? view.span[0] : -1, to = view.span ? view.span[1] : shown.lives.events - 1
	const choices = [['bytes', `bytes at the moment${events ? ' (event ' + view.moment + ')' : ''}`]]
	if (events) choices.push(['lifetime', `bytes × lifetime in the ${view.span ? 'span' : 'whole recording'}`])
	fill(host, element('h2', null, 'Flame graph'), element('div', { class: 'tools' }, element('label', null, 'weight ', select('weight', choices, flame.weight, v => { flame.weight = v; drawFlame(host) })), button('whole', 'back to all stacks', () => { flame.root = -1; paintFlame(canvas, said) })), said, canvas)
	try {
		const ask = flame.weight === 'bytes' ? (events ? { device, idx: view.moment } : { device, state: 'captured' }) : { device, from, to }
		const g = flame.graph = layFlame(await shown.ask('flame', ask))
		if (!host.contains(canvas)) return
		flame.root = -1
		canvas.setAttribute('aria-label', `flame graph of ${g.n} nodes, in all ${flameText(g, g.total)}; the table below has them`)
		paintFlame(canvas, said)
		flame.repaint = () => paintFlame(canvas, said)
		listenFlame(canvas, said)
		new ResizeObserver(() => paintFlame(canvas, said)).observe(canvas)
		host.append(tableBeside('The flame graph as a table', () => flameTable(g)))
	} catch (e) { fill(said, errorNote(e)) }
}

function flameText(g, value) {
	if (g.unit === 'bytes') return sizeText(value)
	if (g.unit.endsWith('microseconds')) return `${sizeText(value / 1e6)} × seconds`
	return `${sizeText(value)} × events`
}

// The answer's nodes, which come in pre-order, with depth and left end of each.
function layFlame(answer) {
	const { frame, parent, value } = answer.nodes, n = frame.length, depth = new Uint16Array(n), left = new Float64Array(n), used = new Float64Array(n)
	let sum = 0, deepest = 0
	for (let i = 0; i < n; i++) {
		const p = parent[i], v = value[i]
		depth[i] = p < 0 ? 0 : depth[p] + 1
		left[i] = p < 0 ? sum : left[p] + used[p]
		if (p < 0) sum += v
		else used[p] += v
		if (depth[i] > deepest) deepest = depth[i]
	}
	return { unit: answer.unit, total: answer.total, frames: answer.frames, n, frame, parent, value, depth, left, deepest, sum: sum || 1 }
}

function paintFlame(canvas, said) {
	const g = flame.graph
	if (!g || !canvas.isConnected) return
	const ratio = window.devicePixelRatio || 1, root = flame.root, base = root < 0 ? 0 : g.depth[root]
	let path = []
	for (let i = root; i >= 0; i = g.parent[i]) path.unshift(i)
	const rows = g.deepest + 1
	canvas.style.height = rows * FLAME_ROW + 'px'
	const w = canvas.clientWidth, h = rows * FLAME_ROW
	canvas.width = Math.round(w * ratio)
	canvas.height = Math.round(h * ratio)
	const c = canvas.getContext('2d')
	c.setTransform(ratio, 0, 0, ratio, 0, 0)
	c.clearRect(0, 0, w, h)
	c.font = '12px ' + styled('font')
	c.textBaseline = 'middle'
	const from = root < 0 ? 0 : g.left[root], wide = root < 0 ? g.sum : g.value[root]
	flame.boxes = []
	const chosen = chosenNodes(g)
	const rest = new Map()	// by depth: where the run of nodes thinner than a pixel ends
	for (let i = 0; i < g.n; i++) {
		const above = path.includes(i) && i !== root
		const x = above ? 0 : (g.left[i] - from) / wide * w, width = above ? w : g.value[i] / wide * w
		if (!above && (x + width < 0 || x > w || g.depth[i] < base || (root >= 0 && (g.left[i] < from - 1e-9 || g.left[i] >= from + wide)))) continue
		const y = g.depth[i] * FLAME_ROW, text = g.frames[g.frame[i]] || ''
		if (width < 1) {	// merged: one thin bar for all that fall into a pixel
			if (rest.get(g.depth[i]) === Math.floor(x)) continue
			rest.set(g.depth[i], Math.floor(x))
		}
		c.fillStyle = frameColor(text, above)
		c.fillRect(x, y, Math.max(1, width - 0.5), FLAME_ROW - 1)
		flame.boxes.push({ i, x, y, width: Math.max(1, width) })
		if (chosen.has(i)) { c.strokeStyle = styled('link'); c.lineWidth = 2; c.strokeRect(x + 1, y + 1, Math.max(1, width - 2.5), FLAME_ROW - 3) }
		if (width > 30) {
			c.fillStyle = '#1d2126'
			c.textAlign = 'left'
			c.fillText(cut(c, text, width - 6), x + 3, y + FLAME_ROW / 2)
		}
	}
	said.textContent = `${flameText(g, root < 0 ? g.total : g.value[root])} in all` + (root < 0 ? '; click a frame to look into it' : ' below ' + g.frames[g.frame[root]])
}

// The nodes of the chosen block's stack. The graph leaves plumbing out: a frame that it does not have is passed over.
function chosenNodes(g) {
	const nodes = new Set()
	let at = -1
	for (const text of flame.path || []) {
		let next = -1
		for (let i = at + 1; i < g.n && (at < 0 || g.depth[i] > g.depth[at]); i++)
			if (g.parent[i] === at && g.frames[g.frame[i]] === text) { next = i; break }
		if (next < 0) continue
		nodes.add(next)
		at = next
	}
	return nodes
}

function cut(c, text, width) {
	if (c.measureText(text).width <= width) return text
	let low = 0, high = text.length
	while (low < high) { const m = (low + high + 1) >> 1; if (c.measureText(text.slice(0, m) + '…').width <= width) low = m; else high = m - 1 }
	return low ? text.slice(0, low) + '…' : ''
}

// Warm colours by the frame's file, so that one module looks alike.
function frameColor(text, faded) {
	let hash = 2166136261
	const file = /\(([^()]*?)(:\d+)?\)$/.exec(text)?.[1] || text
	for (let i = 0; i < file.length; i++) hash = Math.imul(hash ^ file.charCodeAt(i), 16777619)
	return `hsl(${18 + (hash >>> 0) % 40} ${faded ? 25 : 75}% ${68 + (hash >>> 8) % 12}%)`
}

function listenFlame(canvas, said) {
	const tip = part('tip'), g = flame.graph
	const boxAt = e => { const r = canvas.getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top; return flame.boxes.find(b => x >= b.x && x < b.x + b.width && y >= b.y && y < b.y + FLAME_ROW) }
	canvas.addEventListener('pointermove', e => {
		if (restsSince(e)) return
		const b = boxAt(e), r = canvas.getBoundingClientRect()
		if (!b) { tip.hidden = true; return }
		fill(tip, element('b', null, flameText(g, g.value[b.i])), ` (${(g.value[b.i] / g.sum * 100).toFixed(1)} %) `, g.frames[g.frame[b.i]])
		tip.hidden = false
		placeTip(tip, canvas, { x: e.clientX - r.left, y: e.clientY - r.top })
	})
	canvas.addEventListener('pointerleave', () => { tip.hidden = true })
	canvas.addEventListener('click', e => {
		endTip(tip, e)
		const b = boxAt(e)
		flame.root = b ? b.i : -1
		paintFlame(canvas, said)
	})
}

function flameTable(g) {
	const rows = Array.from(g.frame, (f, i) => ({ depth: g.depth[i], frame: g.frames[f], value: g.value[i] }))
	return tableOf([{ name: 'frame', text: (n, v, r) => '· '.repeat(Math.min(r.depth, 30)) + v }, 'depth', { name: 'value', title: g.unit, text: (n, v) => flameText(g, v) }], rows, { most: 100, caption: 'frames, callers before what they called' })
}
