/* Opcodes of pickle protocol 4. */
#include "analyzer/export/pickle_write.h"

#include <errno.h>
#include <string.h>

static void hand_on(gs_pickler *p, const void *data, size_t n)
{
	if (p->status || !n)
		return;
	errno = 0;
	p->status = p->sink(p->arg, data, n);
	p->reason = p->status ? errno : 0;
}

static void flush(gs_pickler *p)
{
	hand_on(p, p->buf, p->n);
	p->n = 0;
}

void gs_pickler_raw(gs_pickler *p, const void *data, size_t n)
{
	if (n > sizeof p->buf - p->n)
		flush(p);
	if (n > sizeof p->buf) {
		hand_on(p, data, n);
		return;
	}
	memcpy(p->buf + p->n, data, n);
	p->n += n;
}

/* An opcode and n little-endian bytes of its argument. */
static void opcode(gs_pickler *p, unsigned char op, uint64_t arg, size_t n)
{
	unsigned char b[9] = {op};
	for (size_t i = 0; i < n; i++)
		b[1 + i] = (unsigned char)(arg >> (8 * i));
	gs_pickler_raw(p, b, 1 + n);
}

void gs_pickler_init(gs_pickler *p, gs_sink sink, void *arg)
{
	p->sink = sink;
	p->arg = arg;
	p->status = GS_OK;
	p->reason = 0;
	p->memo = 0;
	p->n = 0;
	opcode(p, 0x80, 4, 1);
}

void gs_pickler_integer(gs_pickler *p, int64_t i)
{
	if (i >= 0 && i < 256)
		opcode(p, 'K', (uint64_t)i, 1);
	else if (i >= 0 && i < 65536)
		opcode(p, 'M', (uint64_t)i, 2);
	else if (i >= INT32_MIN && i <= INT32_MAX)
		opcode(p, 'J', (uint64_t)i, 4);
	else {
		opcode(p, 0x8a, 8, 1);
		unsigned char b[8];
		for (int k = 0; k < 8; k++)
			b[k] = (unsigned char)((uint64_t)i >> (8 * k));
		gs_pickler_raw(p, b, 8);
	}
}

void gs_pickler_unsigned(gs_pickler *p, uint64_t u)
{
	unsigned char b[9] = {0};
	if (u <= INT64_MAX) {
		gs_pickler_integer(p, (int64_t)u);
		return;
	}
	for (int k = 0; k < 8; k++)
		b[k] = (unsigned char)(u >> (8 * k));
	opcode(p, 0x8a, 9, 1);
	gs_pickler_raw(p, b, 9);
}

void gs_pickler_real(gs_pickler *p, double f)
{
	uint64_t bits, big = 0;
	memcpy(&bits, &f, 8);
	for (int k = 0; k < 8; k++)
		big |= (bits >> (8 * k) & 255) << (56 - 8 * k);
	opcode(p, 'G', big, 8);
}

void gs_pickler_boolean(gs_pickler *p, bool b) { opcode(p, b ? 0x88 : 0x89, 0, 0); }
void gs_pickler_none(gs_pickler *p) { opcode(p, 'N', 0, 0); }

/* Length of the UTF-8 sequence at text, 0 if there is none (also for surrogates and overlong ones,
 * which Python refuses). */
static size_t sequence(const unsigned char *t, size_t n)
{
	size_t want = t[0] < 0x80         ? 1
		: t[0] >= 0xc2 && t[0] < 0xe0 ? 2
		: t[0] >= 0xe0 && t[0] < 0xf0 ? 3
		: t[0] >= 0xf0 && t[0] < 0xf5 ? 4
									  : 0;
	if (!want || want > n)
		return 0;
	for (size_t i = 1; i < want; i++)
		if ((t[i] & 0xc0) != 0x80)
			return 0;
	if ((t[0] == 0xe0 && t[1] < 0xa0) || (t[0] == 0xed && t[1] > 0x9f) ||
		(t[0] == 0xf0 && t[1] < 0x90) || (t[0] == 0xf4 && t[1] > 0x8f))
		return 0;
	return want;
}

void gs_pickler_text(gs_pickler *p, const char *text, size_t n)
{
	const unsigned char *t = (const unsigned char *)text;
	size_t length = 0;
	bool plain = true;
	for (size_t i = 0, k; i < n; i += k ? k : 1) {
		k = sequence(t + i, n - i);
		length += k ? k : 3;
		plain = plain && k;
	}
	opcode(p, length < UINT32_MAX ? 'X' : 0x8d, length, length < UINT32_MAX ? 4 : 8);
	if (plain) {
		gs_pickler_raw(p, text, n);
		return;
	}
	for (size_t i = 0, k; i < n; i += k ? k : 1) {
		k = sequence(t + i, n - i);
		gs_pickler_raw(p, k ? (const char *)t + i : "\xef\xbf\xbd", k ? k : 3);
	}
}

void gs_pickler_pair(gs_pickler *p, uint64_t a, uint64_t b)
{
	gs_pickler_unsigned(p, a);
	gs_pickler_unsigned(p, b);
	opcode(p, 0x86, 0, 0);
}

void gs_pickler_dict(gs_pickler *p) { gs_pickler_raw(p, "}(", 2); }
void gs_pickler_dict_end(gs_pickler *p) { opcode(p, 'u', 0, 0); }
void gs_pickler_list(gs_pickler *p) { gs_pickler_raw(p, "](", 2); }
void gs_pickler_list_end(gs_pickler *p) { opcode(p, 'e', 0, 0); }

uint32_t gs_pickler_put(gs_pickler *p)
{
	opcode(p, p->memo < 256 ? 'q' : 'r', p->memo, p->memo < 256 ? 1 : 4);
	return ++p->memo;
}

void gs_pickler_get(gs_pickler *p, uint32_t number)
{
	opcode(p, number - 1 < 256 ? 'h' : 'j', number - 1, number - 1 < 256 ? 1 : 4);
}

gs_status gs_pickler_finish(gs_pickler *p, gs_error *err)
{
	opcode(p, '.', 0, 0);
	flush(p);
	if (!p->status)
		return GS_OK;
	if (p->status == GS_NO_MEMORY)
		return gs_fail(err, p->status, "out of memory");
	if (p->reason)
		return gs_fail(err, p->status, "%s", strerror(p->reason));
	return gs_fail(err, p->status, "cannot write");
}
