// What the page does with every recording, done of a small one while nobody waits: the browser makes better code of what was called often. It is
// out of sight, in pieces of a frame's length at most, and ends when a file comes.
const DRAWINGS = 12

// answers: of the small recording, by question (client.js).
async function practiseDrawing(answers) {
	if (!answers) return
	const shown = new Shown('practice', 0), before = { ...view }, canvas = element('canvas', { width: 1200, height: 420 })
	shown.outline = answers.outline
	verdictView(answers.diagnose)
	for (let turn = 0; turn < DRAWINGS; turn++) {
		await new Promise(done => setTimeout(done, 8))
		if (recordings.length) return
		shown.kept.lives = new Lives(answers.lives, answers.curve)
		shown.kept.palettes.set('holder', new Palette('holder', answers.colors))
		drawOutOfSight(shown, canvas, turn)
		Object.assign(view, before)
	}
}

// turn: each looks at another part of it.
function drawOutOfSight(shown, canvas, turn) {
	const unseen = Object.create(Timeline.prototype)
	Object.assign(unseen, { canvas, shown, lives: shown.lives, bands: new Bands(shown.lives, shown.palette, 'color'), overview: { draw() {} }, draw() {}, movedAt: -Infinity })
	unseen.painting = new Painting(unseen)
	unseen.lay(canvas.width, canvas.height, 1)
	Object.assign(view, { color: 'holder', axis: 'event', low: 0, high: unseen.top, from: unseen.begin, to: unseen.finish - turn * 10, moment: shown.lives.events - 1 })
	unseen.drawNow()
	unseen.painting.drawShape(canvas.getContext('2d'))
}
