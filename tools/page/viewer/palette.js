// Colours: what the analyzer's palette says (those of the command's pictures), as pixels and as canvas patterns.
const TILES = {
	hatched: [0x11, 0x22, 0x44, 0x88, 0x11, 0x22, 0x44, 0x88],
	falling: [0x88, 0x44, 0x22, 0x11, 0x88, 0x44, 0x22, 0x11],
	dotted: [0x00, 0x66, 0x66, 0x00, 0x00, 0x66, 0x66, 0x00],
	checked: [0xcc, 0xcc, 0x33, 0x33, 0xcc, 0xcc, 0x33, 0x33],
}
const SCALE = ['#440154', '#414487', '#2a788e', '#22a884', '#7ad151', '#fde725']
const SHADES = 4	// steps of lightness that tell neighbours of one class apart
const EDGE = 4, FADED = 8, LOOKS = 16	// looks of a class: a shade or its edge, plain or faded

const rgbOf = text => [1, 3, 5].map(i => parseInt(text.slice(i, i + 2), 16))
const toward = (rgb, other, share) => rgb.map((v, i) => Math.round(v + (other[i] - v) * share))
const pixel = ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0
const luminance = ([r, g, b]) => 0.3 * r + 0.59 * g + 0.11 * b
const css = ([r, g, b]) => `rgb(${r} ${g} ${b})`

// On dark paper greys step back, what is free most; of those with a pattern, which stand for what nobody is named for, the bluish stays light, and is
// bluer, with dark lines, the other is dark with light dots. The darkest colours are lifted; the others are the same everywhere.
function onPaper(c, dark) {
	const ink = c.ink || c.rgb
	if (!dark) return { shown: c.rgb, shownInk: ink }
	const rgb = rgbOf(c.rgb), grey = Math.max(...rgb) - Math.min(...rgb) < 24
	if (grey && c.pattern && c.pattern !== 'plain' && luminance(rgb) < 220) {
		const bluish = rgb[2] - rgb[0] > 8
		return { shown: hex(bluish ? toward(rgb, [40, 84, 126], 0.55) : toward(rgb, [20, 23, 27], 0.74)), shownInk: hex(bluish ? toward(rgbOf(ink), [14, 28, 44], 0.6) : toward(rgbOf(ink), [200, 204, 208], 0.25)) }
	}
	if (grey) return { shown: hex(toward(rgb, [20, 23, 27], luminance(rgb) > 220 ? 0.86 : 0.6)), shownInk: hex(toward(rgbOf(ink), [200, 204, 208], 0.35)) }
	return { shown: luminance(rgb) < 70 ? hex(toward(rgb, [255, 255, 255], 0.22)) : c.rgb, shownInk: ink }
}
const hex = rgb => '#' + rgb.map(v => v.toString(16).padStart(2, '0')).join('')

// classes: [{class, name, label, rgb, ink, pattern}]; of: Uint8Array, the class of each life.
class Palette {
	constructor(by, answer) {
		this.by = by
		this.classes = answer.classes
		this.of = answer.of
		this.remark = answer.remark || ''
		this.byClass = new Map(answer.classes.map(c => [c.class, c]))
		const number = name => answer.classes.find(c => c.name.startsWith(name))?.class ?? 0
		this.free = number('free (')
		this.pending = number('freed, waiting')
		this.makePixels()
	}
	// pixels: by class, shade and LIFTED or FADED (what a search leaves unlit); inks and tiles by class.
	makePixels() {
		const paper = rgbOf(styled('paper')), dark = luminance(paper) < 100
		this.pixels = new Uint32Array(256 * LOOKS)
		this.inks = new Uint32Array(256)
		this.fadedInks = new Uint32Array(256)
		this.tiles = new Array(256).fill(null)
		for (const c of this.classes) {
			Object.assign(c, onPaper(c, dark))
			const rgb = rgbOf(c.shown), ink = rgbOf(c.shownInk)
			for (let s = 0; s < SHADES; s++) {
				const shaded = toward(rgb, s < 2 ? [255, 255, 255] : [0, 0, 0], [0, 0.13, 0.1, 0.2][s])
				this.pixels[c.class * LOOKS + s] = pixel(shaded)
				this.pixels[c.class * LOOKS + FADED + s] = pixel(toward(shaded, paper, 0.8))
			}
			this.pixels[c.class * LOOKS + EDGE] = pixel(toward(rgb, [0, 0, 0], 0.35))
			this.pixels[c.class * LOOKS + FADED + EDGE] = pixel(toward(rgb, paper, 0.75))
			this.inks[c.class] = pixel(ink)
			this.fadedInks[c.class] = pixel(toward(ink, paper, 0.8))
			this.tiles[c.class] = c.pattern && c.pattern !== 'plain' ? TILES[c.pattern] || null : null
		}
	}
	// The colour at a pixel: patterns share one grid, so that neighbouring pieces join.
	at(number, look, x, y) {
		const tile = this.tiles[number]
		if (tile && tile[y & 7] >> (7 - (x & 7)) & 1) return look >= FADED ? this.fadedInks[number] : this.inks[number]
		return this.pixels[number * LOOKS + look]
	}
	// A small picture of a class for legends.
	swatch(c) {
		const canvas = element('canvas', { width: 16, height: 16, class: 'swatch', 'aria-hidden': 'true' })
		const image = new ImageData(16, 16), all = new Uint32Array(image.data.buffer)
		for (let y = 0; y < 16; y++) for (let x = 0; x < 16; x++) all[16 * y + x] = this.at(c.class, 0, x, y)
		canvas.getContext('2d').putImageData(image, 0, 0)
		return canvas
	}
}

// Which of the shades a life has: neighbours by birth differ.
const shadeOf = life => Math.imul(life, 0x9e3779b1) >>> 30

// Colours by what the analyzer's palette does not know: the step or the pool of a block. of: class by life; own: [name, rgb, pattern],
// the classes from 4 on.
function ownPalette(by, of, own, common) {
	const classes = common.filter(c => c.class < 4).concat(own.map(([name, rgb, pattern = 'plain'], i) => ({ class: 4 + i, name, label: name, rgb, ink: '#6b6b6b', pattern })))
	return new Palette(by, { classes, of })
}

function alongScale(share) {
	const at = share * (SCALE.length - 1), i = Math.min(SCALE.length - 2, Math.floor(at))
	return hex(toward(rgbOf(SCALE[i]), rgbOf(SCALE[i + 1]), at - i))
}
