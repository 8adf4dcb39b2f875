// The bytes of a recording, piece by piece: a worker reads those of a file; those that stand in the page come from it, while the browser still parses
// them (feed.js). A port brings {piece}, a Uint8Array, empty at the end, null where there is none to be had.
const PIECE_BYTES = 1 << 20

// A blob's: next() is a promise of a piece, empty at the end, which is good until the next but one is asked for. Where the browser can fill memory that
// it is given, it fills two pieces in turn.
function piecesIn(blob) {
	const rooms = [0, 1].map(() => new ArrayBuffer(PIECE_BYTES)), stream = blob.stream()
	let reader, fills = true, turn = 0
	try { reader = stream.getReader({ mode: 'byob' }) } catch { reader = stream.getReader(); fills = false }
	return {
		async next() {
			const mine = turn = 1 - turn, { value, done } = await (fills ? reader.read(new Uint8Array(rooms[mine])) : reader.read())
			if (fills && value) rooms[mine] = value.buffer
			return done ? new Uint8Array(0) : value
		},
	}
}

// The same of what comes by a port.
function piecesOf(port) {
	const come = [], asked = []
	const give = ({ resolve, reject }, piece) => piece ? resolve(piece) : reject(new Error('reading failed'))
	let last	// behind it comes none; it is the answer however often is asked
	port.onmessage = ({ data: { piece } }) => {
		if (!piece?.length) last = piece
		if (asked.length) give(asked.shift(), piece)
		else come.push(piece)
	}
	return { next: () => new Promise((resolve, reject) => come.length ? give({ resolve, reject }, come.shift()) : last !== undefined ? give({ resolve, reject }, last) : asked.push({ resolve, reject })) }
}
