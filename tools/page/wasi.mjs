// The module with the little of WASI that it asks for: files are byte arrays, given by name. No other file, clock apart nothing of the
// system is seen. Runs in Node and in browsers.
const OK = 0, BADF = 8, INVAL = 28, NOENT = 44, NOSYS = 52

export async function load(bytes) {
	const module = await WebAssembly.compile(bytes)
	return () => new Analyzer(module)
}

class Analyzer {
	constructor(module) {
		this.files = new Map()	// name: Uint8Array
		this.open = new Map()	// descriptor: {bytes, at}
		this.free = 4
		const wasi = new Proxy(this.imports(), { get: (all, name) => all[name] ?? (() => NOSYS) })
		this.instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi })
		this.exports = this.instance.exports
		this.exports._initialize?.()
	}
	get view() { return new DataView(this.exports.memory.buffer) }
	bytes(at, n) { return new Uint8Array(this.exports.memory.buffer, at, n) }
	text(at) {
		const all = new Uint8Array(this.exports.memory.buffer)
		return new TextDecoder().decode(all.subarray(at, all.indexOf(0, at)))
	}
	// f(text, …) for exports that take texts and return one.
	ask(name, ...texts) {
		const given = texts.map(t => {
			const bytes = new TextEncoder().encode(t), at = this.exports.gpusnap_page_alloc(bytes.length + 1)
			this.bytes(at, bytes.length).set(bytes)
			this.view.setUint8(at + bytes.length, 0)
			return at
		})
		const at = this.exports['gpusnap_page_' + name](...given)
		given.forEach(p => this.exports.gpusnap_page_free(p))
		if (!at) throw new Error('out of memory')
		const text = this.text(at)
		if (name !== 'version') this.exports.gpusnap_page_free(at)
		return text
	}
	diagnose(file, state = '') { return this.ask('diagnose', '/' + file, state) }
	query(file, question, state = '') { return this.ask('query', '/' + file, state, question) }
	version() { return this.ask('version') }

	name(at, n) { return new TextDecoder().decode(this.bytes(at, n).slice()).replace(/^\/+/, '') }
	stat(to, bytes) {
		this.bytes(to, 64).fill(0)
		this.view.setUint8(to + 16, bytes ? 4 : 3)	// a file, or the one folder
		this.view.setBigUint64(to + 24, 1n, true)
		this.view.setBigUint64(to + 32, BigInt(bytes?.length ?? 0), true)
		return OK
	}
	imports() {
		return {
			environ_sizes_get: (n, size) => { this.view.setUint32(n, 0, true); this.view.setUint32(size, 0, true); return OK },
			environ_get: () => OK,
			clock_time_get: (id, precision, to) => { this.view.setBigUint64(to, BigInt(Math.round(Date.now() * 1e6)), true); return OK },
			clock_res_get: (id, to) => { this.view.setBigUint64(to, 1000000n, true); return OK },
			random_get: (to, n) => { globalThis.crypto.getRandomValues(this.bytes(to, n)); return OK },
			proc_exit: status => { throw new Error('the module ended with ' + status) },
			sched_yield: () => OK,
			fd_prestat_get: (fd, to) => {
				if (fd !== 3) return BADF
				this.view.setUint8(to, 0); this.view.setUint32(to + 4, 1, true); return OK
			},
			fd_prestat_dir_name: (fd, to) => { this.view.setUint8(to, 47); return OK },
			fd_fdstat_get: (fd, to) => {
				if (fd > 3 && !this.open.has(fd)) return BADF
				this.bytes(to, 24).fill(0)
				this.view.setUint8(to, fd === 3 ? 3 : fd > 3 ? 4 : 2)
				this.view.setBigUint64(to + 8, fd > 3 ? 0x26n : ~0n & 0xffffffffn, true)	// read, seek, tell
				this.view.setBigUint64(to + 16, 0xffffffffn, true)
				return OK
			},
			fd_fdstat_set_flags: () => OK,
			fd_filestat_get: (fd, to) => this.open.has(fd) ? this.stat(to, this.open.get(fd).bytes) : fd <= 3 ? this.stat(to) : BADF,
			path_filestat_get: (fd, flags, at, n, to) => {
				const name = this.name(at, n)
				return name === '' || name === '.' ? this.stat(to) : this.files.has(name) ? this.stat(to, this.files.get(name)) : NOENT
			},
			path_open: (fd, look, at, n, flags, rights, inheriting, descriptor, to) => {
				const bytes = this.files.get(this.name(at, n))
				if (!bytes || flags & ~2) return bytes ? INVAL : NOENT
				this.open.set(this.free, { bytes, at: 0 })
				this.view.setUint32(to, this.free++, true)
				return OK
			},
			fd_close: fd => this.open.delete(fd) ? OK : fd <= 3 ? OK : BADF,
			fd_seek: (fd, offset, whence, to) => {
				const f = this.open.get(fd)
				if (!f) return BADF
				const at = Number(offset) + (whence === 1 ? f.at : whence === 2 ? f.bytes.length : 0)
				if (at < 0) return INVAL
				this.view.setBigUint64(to, BigInt(f.at = at), true)
				return OK
			},
			fd_tell: (fd, to) => this.open.has(fd) ? (this.view.setBigUint64(to, BigInt(this.open.get(fd).at), true), OK) : BADF,
			fd_read: (fd, iovs, n, to) => this.read(fd, iovs, n, to, null),
			fd_pread: (fd, iovs, n, offset, to) => this.read(fd, iovs, n, to, Number(offset)),
			fd_write: (fd, iovs, n, to) => {
				if (fd !== 1 && fd !== 2) return BADF
				let all = 0
				for (let i = 0; i < n; i++) all += this.view.getUint32(iovs + 8 * i + 4, true)
				this.view.setUint32(to, all, true)
				return OK
			},
		}
	}
	read(fd, iovs, n, to, offset) {
		const f = this.open.get(fd)
		if (!f) return BADF
		let at = offset ?? f.at, all = 0
		for (let i = 0; i < n; i++) {
			const target = this.view.getUint32(iovs + 8 * i, true), room = this.view.getUint32(iovs + 8 * i + 4, true)
			const part = f.bytes.subarray(at, at + room)
			this.bytes(target, part.length).set(part)
			at += part.length
			all += part.length
		}
		if (offset === null) f.at = at
		this.view.setUint32(to, all, true)
		return OK
	}
}
