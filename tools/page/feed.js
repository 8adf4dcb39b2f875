// What the page itself holds, as bytes for a worker: the page's end of pieces.js.
function bytesOf(base64) {
	base64 = base64.trim()
	if (base64.length % 4 === 1) base64 = base64.slice(0, -1)	// cut there: a letter alone is no byte
	if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64)
	const raw = atob(base64), bytes = new Uint8Array(raw.length)
	for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i)
	return bytes
}

const LOOKS_MS = 8

// Sends by a port the bytes of an element with base64 in it as far as the browser has parsed that, until there are all. A promise of them as a Blob.
async function feedText(element, port) {
	const parts = []
	const send = piece => {
		parts.push(new Blob([piece]))
		port.postMessage({ piece }, [piece.buffer])
	}
	try {
		for (let at = 0, looks = 0, whole = false; !whole; looks++) {
			if (looks) await new Promise(done => setTimeout(done, LOOKS_MS))
			whole = element.nextSibling !== null || document.readyState !== 'loading'
			const text = element.textContent, end = whole ? text.length : text.length - text.length % 4	// four letters are three bytes
			if (end > at) {
				const piece = bytesOf(text.slice(at, end))
				if (!whole && piece.length !== (end - at) / 4 * 3) throw new Error('blanks between the letters')	// which are read all at once then
				send(piece)
			}
			at = end
		}
		send(new Uint8Array(0))
	} catch (e) {
		port.postMessage({ piece: null })
		throw e
	}
	return new Blob(parts)
}
