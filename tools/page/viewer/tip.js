// What a point of a picture says.
// at: {event, life, merged}; column: {passed, bytes} or null; near: annotations at this place; inside: names of those that the event is in.
function tipOf(shown, at, column, near = [], inside = []) {
	const { lives, palette } = shown, curve = lives.curve, e = at.event
	const rows = []
	if (at.life >= 0) {
		const i = at.life, c = palette.byClass.get(palette.of[i]), holder = shown.device.holders[lives.holder[i]]
		rows.push(element('b', null, sizeText(lives.size[i])), ' ' + (holder ? placeText(holder) : ''))
		rows.push(element('div', null, category(shown, i) + (lives.pendingAt(i, e) ? ', freed, waiting for another stream' : '') + (c && palette.by !== 'category' && palette.by !== 'holder' ? ', ' + c.name : '')))
		rows.push(element('div', null, lifeText(lives, i)))
		if (at.merged > 1) rows.push(element('div', null, `one of ${countText(at.merged)} blocks in this pixel`))
	}
	if (e >= 0) rows.push(element('div', { class: 'remark' }, `event ${e}` + (lives.timed ? ', ' + durationText(curve.time.at(e) - curve.time.at(0)) : '') + `: ${inUseText(curve.allocated.at(e), at.held - curve.allocated.at(e))}, ${sizeText(curve.reserved.at(e))} reserved`))
	if (column) rows.push(element('div', { class: 'remark' }, `in this column also ${plural(column.passed, 'block')} born and gone (${sizeText(column.bytes)})`))
	if (inside.length) rows.push(element('div', { class: 'remark' }, 'in ' + inside.join(', in ')))
	for (const a of near.filter(a => !inside.includes(a.name)).slice(0, 3)) rows.push(element('div', { class: 'remark' }, `${a.name} (${a.stage === 'END' ? 'ends' : 'begins'})`))
	return rows
}

// The phases that an event is in, outermost first: begun, and not ended before it.
const MOST_ANNOTATIONS = 20000	// that are looked through while a pointer moves
function phasesAt(annotations, event) {
	const open = []
	if (annotations.length > MOST_ANNOTATIONS) return open
	for (const a of annotations) {
		if (a.idx === null || (a.stage === 'START' ? a.idx > event : a.idx >= event)) continue
		if (a.stage === 'START') open.push(a.name)
		else if (open.includes(a.name)) open.splice(open.lastIndexOf(a.name), 1)
	}
	return open.slice(0, 4)
}

const category = (shown, life) => (shown.outline.categories[shown.lives.category[life]] || 'unknown').replaceAll('_', ' ')

function lifeText(lives, i) {
	const born = lives.birth[i] < 0 ? 'before the recording' : 'at event ' + lives.birth[i], ends = endsOf(lives.freed[i], lives.death[i])
	const time = lives.timed && lives.birth[i] >= 0 && lives.death[i] >= 0 ? ', ' + durationText(lives.curve.time.at(lives.death[i]) - lives.curve.time.at(lives.birth[i])) : ''
	return `born ${born}, ` + (ends.map(([word, event]) => word + event).join(', ') || 'never freed') + time
}

// How a block ends: the words and events of it. PyTorch frees in two steps, often of two events: only after the second its bytes are free.
function endsOf(freed, death) {
	if (freed < 0 && death < 0) return []
	if (freed < 0 || freed === death) return [['freed at event ', death]]
	return [['asked to be freed at event ', freed], death < 0 ? ['not gone since', ''] : ['gone at event ', death]]
}

// Where a long stack is told from: the holder's frame, for those inside it are the allocator's and the library's. A tip has room for some of it, the
// card for all, with what lies inside the holder folded. Numbers count from the innermost in both.
const MOST_FRAMES = 5
function firstFrame(stack, where) {
	return stack.length > MOST_FRAMES ? Math.max(0, stack.findIndex(f => frameText(f) === where)) : 0
}
const framesToTell = (stack, where) => stack.slice(firstFrame(stack, where)).slice(0, MOST_FRAMES)

const stackList = (frames, from, look = 'stack') => element('ol', { class: look, start: String(from + 1) }, frames.map(f => element('li', null, f)))

function wholeStack(stack, where) {
	const from = firstFrame(stack, where)
	return [from ? element('details', { class: 'beside' }, element('summary', null, `${plural(from, 'frame')} further inside`), stackList(stack.slice(0, from), 0, 'inside')) : null, stackList(stack.slice(from), from)]
}

// The stack of a block comes after a moment of rest, into the tip that still speaks of it.
const told = { life: -1, timer: 0 }
function tellStack(shown, life, tip, placed) {
	clearTimeout(told.timer)
	told.life = life
	if (life < 0) return
	told.timer = setTimeout(async () => {
		try {
			const b = await shown.ask('life', { device: shown.number, life })
			if (told.life !== life || tip.hidden || !b?.stack?.length) return
			const frames = framesToTell(b.stack, b.where), left = b.stack.length - frames.length
			tip.append(stackList(frames, firstFrame(b.stack, b.where)), left ? element('div', { class: 'remark' }, `and ${plural(left, 'frame')} more: a click tells all`) : '')
			placed()
		} catch { /* a tip that cannot tell the stack has told the rest */ }
	}, 120)
}

// What is clicked is told elsewhere: the tip goes, and comes with the next movement (what moves under a pointer that rests is none).
let clickedAt = null
function endTip(tip, e) {
	clickedAt = [e.clientX, e.clientY]
	told.life = -1
	tip.hidden = true
}
function restsSince(e) {
	if (clickedAt && Math.hypot(e.clientX - clickedAt[0], e.clientY - clickedAt[1]) < 3) return true
	clickedAt = null
	return false
}

// A tip below an element (above it where there is no room), inside the window.
function placeBelow(tip, e) {
	const host = tip.offsetParent.getBoundingClientRect(), at = e.getBoundingClientRect(), below = at.bottom + 6 + tip.offsetHeight <= window.innerHeight
	tip.style.left = Math.max(0, Math.min(at.left - host.left, host.width - tip.offsetWidth)) + 'px'
	tip.style.top = (below ? at.bottom + 6 : at.top - 6 - tip.offsetHeight) - host.top + 'px'
}

// A tip beside a point of a canvas, inside the window.
function placeTip(tip, canvas, p) {
	const host = tip.offsetParent.getBoundingClientRect(), at = canvas.getBoundingClientRect()
	const x = at.left + p.x - host.left, w = tip.offsetWidth, h = tip.offsetHeight
	tip.style.left = Math.max(0, x + 14 + w > host.width ? x - w - 14 : x + 14) + 'px'
	const y = at.top + p.y - host.top + 14
	tip.style.top = (at.top + p.y + 14 + h > window.innerHeight ? y - h - 28 : y) + 'px'
}
