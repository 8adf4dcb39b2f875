// The page begins: files are dropped, chosen, or lie in the page.
let timeline = null, eventList = null
let wantedView = {}	// what the fragment asked for, until a recording has taken it

function openFiles(list) {
	const files = [...list].filter(f => f.size > 0 || f.type || f.name)
	if (files.length) openBlobs(files.map(f => ({ blob: f, name: f.name })))
}

function listenFiles() {
	const input = part('input'), root = part('viewer')
	input.addEventListener('change', () => { openFiles(input.files); input.value = '' })
	for (const id of ['open', 'open-first']) part(id).addEventListener('click', () => input.click())
	part('unlight').addEventListener('click', () => current()?.lives && escapeAll())
	part('help-button').addEventListener('click', () => part('help').showModal())
	const carries = e => e.dataTransfer && [...e.dataTransfer.types].includes('Files')
	for (const name of ['dragenter', 'dragover']) document.addEventListener(name, e => { if (carries(e)) { e.preventDefault(); root.classList.add('dropping') } })
	document.addEventListener('dragleave', e => { if (!e.relatedTarget) root.classList.remove('dropping') })
	document.addEventListener('drop', e => {
		if (!carries(e)) return
		e.preventDefault()
		root.classList.remove('dropping')
		openFiles(e.dataTransfer.files)
	})
	document.addEventListener('paste', e => {
		const text = !typing(e) && e.clipboardData ? e.clipboardData.getData('text') : ''
		if (e.clipboardData?.files.length) openFiles(e.clipboardData.files)
		else if (text.trim()) openBlobs([{ blob: new Blob([text]), name: 'pasted text' }])
	})
}

function listenSearch() {
	let timer = 0
	const box = part('search')
	box.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(() => change({ search: box.value }), 150) })
	box.addEventListener('keydown', e => { if (e.key === 'Enter') { clearTimeout(timer); change({ search: box.value }); nextMatch(e.shiftKey ? -1 : 1) } })
}

// An address that is typed or pasted while the page is open.
async function followFragment() {
	const asked = readFragment(), at = asked.name ? recordings.findIndex(r => r.name === asked.name) : view.file
	if (!recordings[at]?.outline) return
	if (at !== view.file || (asked.device !== null && asked.device !== view.device)) return showRecording(at, asked)
	if (asked.color) await recolor(asked.color)
	if (asked.search !== undefined) setSearch(asked.search)
	if (asked.axis === 'time' && view.axis !== 'time' && current().lives?.timed) setAxis('time')
	if (current().lives) applyAsked(current(), asked)
	if (asked.tab) change({ tab: asked.tab })
}

async function start() {
	if (!part('viewer')) return
	part('viewer').classList.add('running')
	if (part('viewer').closest('main')) part('viewer').classList.add('report')
	timeline = new Timeline(part('timeline'))
	timeline.listen()
	part('timeline-beside').append(tableBeside('Memory over time as a table', timelineTable), eventList = tableBeside('Events as a list', eventsTable))
	listenFiles()
	listenTabs()
	listenKeys()
	listenSearch()
	drawHelp()
	window.addEventListener('hashchange', followFragment)
	drawRanks()
	const wanted = readFragment()
	drawTabs()
	wantedView = wanted
	const inside = gpusnap.embedded()
	if (!inside.length) return
	await openBlobs(await Promise.all(inside.map(({ name, blob }) => blob().then(blob => ({ blob, name }), error => ({ blob: new Blob(), name, error })))), part('viewer').classList.contains('report'))
}

// The recordings of a page stand behind this script: while they are still read, the module is made ready.
if (part('viewer')) setTimeout(() => gpusnap.prepare(practiseDrawing), 0)
if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start)
else start()
