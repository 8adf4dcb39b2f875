// What the page does with every recording, done of a small one while nobody waits: the browser makes better code of what was called often. It is
// out of sight, in short pieces, and ends when a file comes.
const DRAWINGS = 12, ANEW = 4, ALIVE = 1000

// answers: of the small recording, by question (client.js).
async function practiseDrawing(answers) {
	const shown = new Shown('practice', 0), before = { ...view }, { lives, curve, colors } = crowd(answers), unseen = new Timeline(element('canvas', { width: 320, height: 420 }))
	shown.outline = answers.outline
	verdictView(answers.diagnose)
	Object.assign(unseen, { shown, overview: { draw() {} }, draw() {}, movedAt: -Infinity })
	unseen.lay(unseen.canvas.width, unseen.canvas.height, 1)
	for (let turn = 0; turn < DRAWINGS; turn++) {
		await new Promise(done => setTimeout(done, 8))
		if (recordings.length) break
		if (turn % ANEW === 0) {
			shown.kept.lives = new Lives(lives, curve)
			shown.kept.palettes.set('holder', new Palette('holder', colors))
			unseen.bands = null
		}
		drawOutOfSight(unseen, turn)
		Object.assign(view, before)
	}
	for (const canvas of [unseen.canvas, unseen.painting.picture]) canvas.width = 0	// gives its memory back
}

// turn: each looks at another part of it.
function drawOutOfSight(unseen, turn) {
	const { shown, canvas } = unseen
	Object.assign(view, { color: 'holder', axis: 'event' })
	Object.assign(unseen, { lives: shown.lives, bands: unseen.bands ?? new Bands(shown.lives, shown.palette, 'color'), pictured: false })
	unseen.bands.setLight(null)
	unseen.forget()
	Object.assign(view, { low: turn % 3 ? 0 : unseen.top / 4, high: unseen.top / (1 + turn % 5), from: unseen.begin, to: unseen.finish - turn * 10.5, moment: shown.lives.events - 1 })
	unseen.drawNow()
	unseen.painting.drawShape(canvas.getContext('2d'))
}

// The blocks of a recording twice, so that many of them live at once, and some for a moment: better code that was made for a few is given up where it
// meets many.
function crowd({ lives, curve, colors }) {
	const few = lives.birth.length, n = 2 * few, twice = column => { const both = new column.constructor(n); both.set(column); both.set(column, few); return both }
	const many = Object.fromEntries(Object.entries(lives).filter(([, c]) => ArrayBuffer.isView(c)).map(([name, c]) => [name, twice(c)]))
	const sums = new Float64Array(3 * n), alive = new Uint32Array(n)
	let events = 0, sum = 0, born = 0, gone = 0
	const free = (i, waits) => {
		many.freed[i] = events
		if (waits) sums[events++] = sum
		many.death[i] = events
		sums[events++] = sum -= many.size[i]
	}
	for (let i = 0; i < n; i++) {
		many.birth[i] = events
		many.freed[i] = many.death[i] = -1
		sums[events++] = sum += many.size[i] *= i % 50 ? 1 : 40
		if (i % 3) alive[born++] = i
		else free(i, false)
		if (born - gone > ALIVE) free(alive[gone++], i % 2 === 0)
	}
	const allocated = sums.subarray(0, events)
	return { lives: many, curve: { ...curve, time: allocated.map((_, e) => e), allocated, reserved: allocated }, colors: { ...colors, of: twice(colors.of) } }
}
