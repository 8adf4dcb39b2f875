/* gzip by zlib and zstd by its library, with the bounds that keep bombs out. */
#include "analyzer/read/open/unpack.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "analyzer/model/memory.h"

enum { FREE_MIB = 64, MOST_RATIO = 1000 };
static const uint64_t most_bytes = 1ull << 40;

struct gs_unpack {
	gs_packing packing;
	z_stream gz;
	bool gz_open;
	ZSTD_DStream *zstd;
	bool between;  /* a whole member or frame has just ended */
	uint32_t bits; /* base64: those not yet out */
	int nbits;
	uint64_t in, out;
};

gs_packing gs_packing_of(const unsigned char *head, size_t n)
{
	if (n >= 3 && head[0] == 0x1f && head[1] == 0x8b && head[2] == 8)
		return GS_PACKING_GZIP;
	if (n < 4)
		return GS_PACKING_NONE;
	if (!memcmp(head, "\x28\xb5\x2f\xfd", 4) ||
		((head[0] & 0xf0) == 0x50 && !memcmp(head + 1, "\x2a\x4d\x18", 3)))
		return GS_PACKING_ZSTD;
	return GS_PACKING_NONE;
}

void gs_unpack_free(gs_unpack *u)
{
	if (!u)
		return;
	if (u->gz_open)
		inflateEnd(&u->gz);
	ZSTD_freeDStream(u->zstd);
	gs_memory_give(u);
}

gs_status gs_unpack_new(gs_packing packing, uint64_t file_size, gs_unpack **out, gs_error *err)
{
	gs_unpack *u = gs_memory_zeroed(1, sizeof *u);
	if (!u)
		return gs_fail(err, GS_NO_MEMORY, "no memory to unpack");
	u->packing = packing;
	if (packing == GS_PACKING_GZIP) {
		u->gz_open = inflateInit2(&u->gz, 15 + 16) == Z_OK;
	} else if (packing == GS_PACKING_ZSTD && (u->zstd = ZSTD_createDStream())) {
		int log = 24; /* 16 MiB, and more for files that are big themselves */
		while (log < 30 && (1ull << (log + 1)) <= (16ull << 20) + 2 * file_size)
			log++;
		ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, log);
	}
	if (packing != GS_PACKING_BASE64 && !u->gz_open && !u->zstd) {
		gs_unpack_free(u);
		return gs_fail(err, GS_NO_MEMORY, "no memory to unpack");
	}
	*out = u;
	return GS_OK;
}

gs_packing gs_unpack_packing(const gs_unpack *u) { return u->packing; }
size_t gs_unpack_held(const gs_unpack *u) { return u->zstd ? ZSTD_sizeof_DStream(u->zstd) : 0; }

static gs_status step_gzip(gs_unpack *u, const unsigned char *in, size_t have, size_t *used,
	unsigned char *out, size_t room, size_t *made, uint64_t at, gs_error *err)
{
	if (u->between) { /* another member, or padding */
		if (!have || in[0] != 0x1f)
			return GS_END;
		inflateReset(&u->gz);
		u->between = false;
	}
	u->gz.next_in = (unsigned char *)(uintptr_t)in;
	u->gz.avail_in = have > 1u << 30 ? 1u << 30 : (unsigned)have;
	u->gz.next_out = out;
	u->gz.avail_out = room > 1u << 30 ? 1u << 30 : (unsigned)room;
	unsigned before_in = u->gz.avail_in, before_out = u->gz.avail_out;
	int rc = inflate(&u->gz, Z_NO_FLUSH);
	*used = before_in - u->gz.avail_in;
	*made = before_out - u->gz.avail_out;
	if (rc == Z_STREAM_END)
		u->between = true;
	else if (rc != Z_OK && rc != Z_BUF_ERROR)
		return gs_fail(err, GS_FORMAT, "damaged gzip data at byte %llu of the packed file",
			(unsigned long long)(at + *used));
	if (!have && !*made && !u->between)
		return gs_fail(err, GS_TRUNCATED,
			"the gzip data ends early at byte %llu of the packed file", (unsigned long long)at);
	return GS_OK;
}

static gs_status step_zstd(gs_unpack *u, const unsigned char *in, size_t have, size_t *used,
	unsigned char *out, size_t room, size_t *made, uint64_t at, gs_error *err)
{
	if (u->between && (!have || in[0] == 0)) /* the end, or padding */
		return GS_END;
	ZSTD_inBuffer i = {in, have, 0};
	ZSTD_outBuffer o = {out, room, 0};
	size_t rc = ZSTD_decompressStream(u->zstd, &o, &i);
	*used = i.pos;
	*made = o.pos;
	if (ZSTD_isError(rc) && ZSTD_getErrorCode(rc) == ZSTD_error_frameParameter_windowTooLarge)
		return gs_fail(err, GS_LIMIT,
			"packed with a larger window than such a file needs, at byte %llu: unpack it first (zstd -d --long=31)",
			(unsigned long long)at);
	if (ZSTD_isError(rc))
		return gs_fail(err, GS_FORMAT, "damaged zstd data (%s) at byte %llu of the packed file",
			ZSTD_getErrorName(rc), (unsigned long long)(at + *used));
	u->between = rc == 0;
	if (!have && !*made && rc)
		return gs_fail(err, GS_TRUNCATED,
			"the zstd data ends early at byte %llu of the packed file", (unsigned long long)at);
	return GS_OK;
}

static int base64_digit(unsigned char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static gs_status step_base64(gs_unpack *u, const unsigned char *in, size_t have, size_t *used,
	unsigned char *out, size_t room, size_t *made, uint64_t at, gs_error *err)
{
	if (!have)
		return gs_fail(err, GS_TRUNCATED, "the base64 data ends early at byte %llu of the page",
			(unsigned long long)at);
	for (*used = *made = 0; *used < have && *made < room; ++*used) {
		unsigned char c = in[*used];
		int digit = base64_digit(c);
		if (c == '"' || c == '\'' || c == '`' || c == '<')
			return GS_END;
		if (c == '=' || c == '\n' || c == '\r' || c == ' ' || c == '\\')
			continue;
		if (digit < 0)
			return gs_fail(err, GS_FORMAT, "damaged base64 at byte %llu of the page",
				(unsigned long long)(at + *used));
		u->bits = u->bits << 6 | (uint32_t)digit;
		u->nbits += 6;
		if (u->nbits >= 8) {
			u->nbits -= 8;
			out[(*made)++] = (unsigned char)(u->bits >> u->nbits);
		}
	}
	return GS_OK;
}

gs_status gs_unpack_step(gs_unpack *u, const unsigned char *in, size_t have, size_t *used,
	unsigned char *out, size_t room, size_t *made, uint64_t at, gs_error *err)
{
	gs_status status = (u->packing == GS_PACKING_GZIP ? step_gzip
			: u->packing == GS_PACKING_ZSTD
			? step_zstd
			: step_base64)(u, in, have, used, out, room, made, at, err);
	u->in += *used;
	u->out += *made;
	if (!status && u->out > (uint64_t)FREE_MIB << 20 &&
		(u->out > most_bytes || u->out / MOST_RATIO > u->in))
		return gs_fail(err, GS_LIMIT,
			"unpacks to more than %d times its size (%llu bytes from the first %llu)", MOST_RATIO,
			(unsigned long long)u->out, (unsigned long long)(at + *used));
	return status;
}
