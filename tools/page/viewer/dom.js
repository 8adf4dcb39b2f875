// Elements. Text from files goes in as text alone (textContent), never as markup.

// element('a', {class: 'x', title: t, onclick: f}, child, 'text', …): null children are left out.
function element(tag, properties, ...children) {
	const e = document.createElement(tag)
	for (const [name, value] of Object.entries(properties || {})) {
		if (value === null || value === undefined || value === false) continue
		if (name.startsWith('on')) e.addEventListener(name.slice(2), value)
		else if (name === 'class') e.className = value
		else if (name in e && typeof value !== 'string') e[name] = value
		else e.setAttribute(name, value === true ? '' : value)
	}
	append(e, children)
	return e
}

function append(e, children) {
	for (const c of children.flat(Infinity)) if (c !== null && c !== undefined && c !== false) e.append(c)
	return e
}

function fill(e, ...children) {
	e.replaceChildren()
	return append(e, children)
}

// Whoever works by keyboard stays where they are though redraw() makes the elements of host anew: on the one of the same place in the order.
function keepFocus(host, redraw) {
	const all = () => [...host.querySelectorAll('button, [tabindex="0"]')], at = all().indexOf(document.activeElement)
	redraw()
	if (at >= 0) all()[at]?.focus({ preventScroll: true })
}

const part = name => document.getElementById('gpusnap-' + name)

// What happened, for eyes and for screen readers.
function announce(text) { part('status').textContent = text }

function button(text, title, onclick, more) {
	return element('button', { type: 'button', title, onclick, ...more }, text)
}

function select(label, options, value, onchange, title = null) {
	const s = element('select', { title, onchange: () => onchange(s.value), 'aria-label': label })
	for (const o of options) {
		const [word, text] = Array.isArray(o) ? o : [o, o]
		s.append(element('option', { value: word, selected: word === value }, text))
	}
	return s
}

// Draws once in the next frame however often it is asked for.
function onceAFrame(draw) {
	let asked = 0
	return () => { if (!asked) asked = requestAnimationFrame(() => { asked = 0; draw() }) }
}

// When the next frame is on the screen, which it is once the one behind it begins; where the page is hidden and none comes, soon.
const frameShown = () => new Promise(done => {
	const late = setTimeout(done, 250)
	requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => { clearTimeout(late); done() })))
})

const scheme = matchMedia('(prefers-color-scheme: dark)')
// A colour of the style sheet, for canvases; kept until forgetStyles.
let styles = null, styleOf = {}
function styled(name) {
	styles = styles || getComputedStyle(part('viewer'))
	return styleOf[name] ??= styles.getPropertyValue('--' + name).trim()
}
function forgetStyles() { styleOf = {} }
