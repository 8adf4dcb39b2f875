// The little of a system that the module asks for: one folder of files that are given by name, a clock, random numbers. Nothing else of the
// machine is seen. Runs in browsers' workers and in Node. A file is {size, read(at, n) → Uint8Array of at most n bytes}.
class Wasi {
	static OK = 0
	static BADF = 8
	static INVAL = 28
	static NOENT = 44
	static NOSYS = 52

	constructor() {
		this.files = new Map()	// by name
		this.open = new Map()	// descriptor: {file, at}
		this.free = 4
	}
	// For WebAssembly's imports. What is not there answers "no such call".
	imports() {
		const calls = Object.fromEntries(Object.getOwnPropertyNames(Wasi.prototype)
			.filter(name => /^[a-z]+_[a-z_]+$/.test(name)).map(name => [name, this[name].bind(this)]))
		return new Proxy(calls, { get: (all, name) => all[name] ?? (() => Wasi.NOSYS) })
	}
	attach(memory) { this.memory = memory }
	get view() { return new DataView(this.memory.buffer) }
	bytes(at, n) { return new Uint8Array(this.memory.buffer, at >>> 0, n) }
	fileName(at, n) { return new TextDecoder().decode(this.bytes(at, n).slice()).replace(/^[./]+/, '') }
	putStat(to, file) {
		this.bytes(to, 64).fill(0)
		this.view.setUint8(to + 16, file ? 4 : 3)	// a file, or the one folder
		this.view.setBigUint64(to + 24, 1n, true)
		this.view.setBigUint64(to + 32, BigInt(file?.size ?? 0), true)
		return Wasi.OK
	}

	environ_sizes_get(n, size) {
		this.view.setUint32(n, 0, true)
		this.view.setUint32(size, 0, true)
		return Wasi.OK
	}
	environ_get() { return Wasi.OK }
	clock_time_get(id, precision, to) {
		this.view.setBigUint64(to, BigInt(Math.round((id ? performance.now() : Date.now()) * 1e6)), true)
		return Wasi.OK
	}
	clock_res_get(id, to) {
		this.view.setBigUint64(to, 1000000n, true)
		return Wasi.OK
	}
	random_get(to, n) {
		for (let i = 0; i < n; i += 65536) crypto.getRandomValues(this.bytes(to + i, Math.min(n - i, 65536)))
		return Wasi.OK
	}
	proc_exit(status) { throw new WebAssembly.RuntimeError('the module ended with ' + status) }
	sched_yield() { return Wasi.OK }
	fd_prestat_get(fd, to) {
		if (fd !== 3) return Wasi.BADF
		this.view.setUint8(to, 0)
		this.view.setUint32(to + 4, 1, true)
		return Wasi.OK
	}
	fd_prestat_dir_name(fd, to) {
		this.view.setUint8(to, 47)
		return Wasi.OK
	}
	fd_fdstat_get(fd, to) {
		if (fd > 3 && !this.open.has(fd)) return Wasi.BADF
		this.bytes(to, 24).fill(0)
		this.view.setUint8(to, fd === 3 ? 3 : fd > 3 ? 4 : 2)
		this.view.setBigUint64(to + 8, fd > 3 ? 0x26n : 0xffffffffn, true)	// read, seek, tell
		this.view.setBigUint64(to + 16, 0xffffffffn, true)
		return Wasi.OK
	}
	fd_fdstat_set_flags() { return Wasi.OK }
	fd_filestat_get(fd, to) {
		if (this.open.has(fd)) return this.putStat(to, this.open.get(fd).file)
		return fd <= 3 ? this.putStat(to) : Wasi.BADF
	}
	path_filestat_get(fd, flags, at, n, to) {
		const name = this.fileName(at, n)
		if (name === '') return this.putStat(to)
		return this.files.has(name) ? this.putStat(to, this.files.get(name)) : Wasi.NOENT
	}
	path_open(fd, look, at, n, flags, rights, inheriting, descriptor, to) {
		const file = this.files.get(this.fileName(at, n))
		if (!file || flags & ~2) return file ? Wasi.INVAL : Wasi.NOENT
		this.open.set(this.free, { file, at: 0 })
		this.view.setUint32(to, this.free++, true)
		return Wasi.OK
	}
	fd_close(fd) { return this.open.delete(fd) || fd <= 3 ? Wasi.OK : Wasi.BADF }
	fd_seek(fd, offset, whence, to) {
		const f = this.open.get(fd)
		if (!f) return Wasi.BADF
		const at = Number(offset) + (whence === 1 ? f.at : whence === 2 ? f.file.size : 0)
		if (at < 0) return Wasi.INVAL
		this.view.setBigUint64(to, BigInt(f.at = at), true)
		return Wasi.OK
	}
	fd_tell(fd, to) {
		if (!this.open.has(fd)) return Wasi.BADF
		this.view.setBigUint64(to, BigInt(this.open.get(fd).at), true)
		return Wasi.OK
	}
	fd_read(fd, iovs, n, to) { return this.readInto(fd, iovs, n, to, null) }
	fd_pread(fd, iovs, n, offset, to) { return this.readInto(fd, iovs, n, to, Number(offset)) }
	readInto(fd, iovs, n, to, offset) {
		const f = this.open.get(fd)
		if (!f) return Wasi.BADF
		let at = offset ?? f.at, all = 0
		for (let i = 0; i < n; i++) {
			const target = this.view.getUint32(iovs + 8 * i, true), room = this.view.getUint32(iovs + 8 * i + 4, true)
			const part = f.file.read(at, room)
			this.bytes(target, part.length).set(part)
			at += part.length
			all += part.length
			if (part.length < room) break
		}
		if (offset === null) f.at = at
		this.view.setUint32(to, all, true)
		return Wasi.OK
	}
	fd_write(fd, iovs, n, to) {	// standard output and error lead nowhere
		if (fd !== 1 && fd !== 2) return Wasi.BADF
		let all = 0
		for (let i = 0; i < n; i++) all += this.view.getUint32(iovs + 8 * i + 4, true)
		this.view.setUint32(to, all, true)
		return Wasi.OK
	}
}
