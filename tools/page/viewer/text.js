// Numbers as people read them: sizes as the command writes them, moments, counts.
const UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB']

function sizeText(bytes) {
	if (bytes === null || bytes === undefined || Number.isNaN(bytes)) return 'unknown'
	if (bytes < 0) return '−' + sizeText(-bytes)
	if (bytes < 1024) return Math.round(bytes) + ' B'
	let value = bytes / 1024, unit = 0
	for (; value >= 1023.5 && unit < 5; unit++) value /= 1024
	const whole = unit < 2 && bytes % 2 ** (10 * (unit + 1)) === 0
	return fixedText(value, whole || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2) + ' ' + UNITS[unit]
}

// As C prints it: what lies in the middle goes to the even digit (8.125 is 8.12), where toFixed goes up.
function fixedText(value, digits) {
	const scaled = value * 10 ** digits, below = Math.floor(scaled)
	return scaled - below === 0.5 && below % 2 === 0 ? (below / 10 ** digits).toFixed(digits) : value.toFixed(digits)
}

// Bytes of a text such as 10MiB; NaN for what is none.
function bytesOfText(text) {
	const [, digits, unit] = /^(\d+(?:\.\d+)?)\s*([KMGT]?)(?:iB|B)?$/i.exec(text) || []
	return digits ? Number(digits) * 1024 ** ' KMGT'.indexOf((unit || ' ').toUpperCase()) : NaN
}

// A size as it may be typed, to the byte.
function exactSize(bytes) {
	for (const [unit, name] of [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']]) if (bytes % unit === 0) return bytes / unit + name
	return String(bytes)
}

// A setting or a list of settings breaks behind its signs rather than inside a word.
const breakable = text => text.split(/(?<=[=,](?=\S))/).flatMap((piece, i) => i ? [element('wbr'), piece] : [piece])

const addressText = a => a === null || Number.isNaN(a) ? 'unknown' : '0x' + (a < 0 ? BigInt.asUintN(64, BigInt(a)) : BigInt(a)).toString(16)
const countText = n => n === null || n === undefined ? 'unknown' : n.toLocaleString('en').replaceAll(',', ' ')
const plural = (n, one, more) => countText(n) + ' ' + (n === 1 ? one : more || one + 's')

// A length of time in microseconds.
function durationText(us) {
	if (!(us >= 0)) return 'unknown'
	if (us < 1000) return Math.round(us) + ' µs'
	if (us < 1e6) return digits(us / 1e3) + ' ms'
	if (us < 120e6) return digits(us / 1e6) + ' s'
	if (us < 7200e6) return digits(us / 60e6) + ' min'
	return digits(us / 3600e6) + ' h'
}
const digits = v => v >= 99.95 ? v.toFixed(0) : v >= 9.995 ? v.toFixed(1) : v.toFixed(2)

// A moment of the clock, UTC.
function clockText(us) {
	if (!Number.isFinite(us)) return ''
	const d = new Date(us / 1000)
	return Number.isNaN(d.getTime()) ? '' : d.toISOString().replace('T', ' ').replace('Z', ' UTC')
}

// place ← caller, as the command writes a holder.
const placeText = row => row.where + (row.called_by ? ' ← ' + row.called_by : '')

// A pool by its id: all that belongs to no CUDA graph and no MemPool is in the default one.
const poolText = id => String(id) === '0,0' ? 'default pool (0,0)' : 'pool ' + id
const thePool = id => poolText(id).replace(/^default/, 'the default')

// What is in use, as the command says it: blocks whose free waits for another stream are in use until then.
function inUseText(allocated, waits) {
	const all = sizeText(allocated + (waits || 0)) + ' in use'
	return !(waits > 0) ? all : allocated > 0 ? `${all} (${sizeText(waits)} of it waiting to be freed)` : all + ' (all waiting to be freed)'
}

// Round figures for an axis: steps of 1, 2 or 5 that make about n of them; of bytes, where figures of two units stand on one axis, powers
// of two.
function axisStep(span, n, bytes, most = span) {
	if (!(span > 0)) return 1
	const rough = span / n, ten = v => { const power = 10 ** Math.floor(Math.log10(v)); return [1, 2, 5, 10].find(k => k * power >= v * (1 - 1e-9)) * power }
	if (!bytes || rough < 1) return ten(rough)
	const unit = 1024 ** Math.floor(Math.log(rough) / Math.log(1024))
	return most < 1024 * unit ? Math.max(1, ten(rough / unit)) * unit : 2 ** Math.ceil(Math.log2(rough))
}
