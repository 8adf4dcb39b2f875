// What a point of a picture says.
// at: {event, life, merged}; column: {passed, bytes} or null; near: annotations at this place.
function tipOf(shown, at, column, near = []) {
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
	for (const a of near.slice(0, 3)) rows.push(element('div', { class: 'remark' }, `${a.name} (${a.stage === 'END' ? 'ends' : 'begins'})`))
	return rows
}

const category = (shown, life) => (shown.outline.categories[shown.lives.category[life]] || 'unknown').replaceAll('_', ' ')

function lifeText(lives, i) {
	const born = lives.birth[i] < 0 ? 'before the recording' : 'event ' + lives.birth[i], gone = lives.death[i] < 0 ? 'never freed' : 'to ' + lives.death[i]
	const time = lives.timed && lives.birth[i] >= 0 && lives.death[i] >= 0 ? ', ' + durationText(lives.curve.time.at(lives.death[i]) - lives.curve.time.at(lives.birth[i])) : ''
	return born + ' ' + gone + time
}

// Of a long stack what a tip has room for: from the holder's frame on, for those inside it are the allocator's and the library's.
const MOST_FRAMES = 5
function framesToTell(stack, where) {
	const at = stack.length > MOST_FRAMES ? stack.findIndex(f => frameText(f) === where) : 0
	return stack.slice(Math.max(0, Math.min(at, stack.length - MOST_FRAMES)), Math.max(0, at) + MOST_FRAMES)
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
			tip.append(element('ol', { class: 'stack' }, frames.map(f => element('li', null, f))), left ? element('div', { class: 'remark' }, `and ${plural(left, 'frame')} more: a click tells all`) : '')
			placed()
		} catch { /* a tip that cannot tell the stack has told the rest */ }
	}, 120)
}

// A tip beside a point of a canvas, inside the window.
function placeTip(tip, canvas, p) {
	const host = tip.offsetParent.getBoundingClientRect(), at = canvas.getBoundingClientRect()
	const x = at.left + p.x - host.left, w = tip.offsetWidth, h = tip.offsetHeight
	tip.style.left = Math.max(0, x + 14 + w > host.width ? x - w - 14 : x + 14) + 'px'
	const y = at.top + p.y - host.top + 14
	tip.style.top = (at.top + p.y + 14 + h > window.innerHeight ? y - h - 28 : y) + 'px'
}
