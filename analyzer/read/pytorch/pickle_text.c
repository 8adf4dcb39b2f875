/* Numbers and strings as lines of text, as protocol 0 has them. */
#include "analyzer/read/pytorch/pickle_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool gs_pickle_index(const char *text, size_t n, uint64_t *out)
{
	uint64_t x = 0;
	if (!n || n > 18)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!isdigit((unsigned char)text[i]))
			return false;
		x = x * 10 + (uint64_t)(text[i] - '0');
	}
	*out = x;
	return true;
}

static bool integer(const char *text, size_t n, gs_torch_value *out)
{
	bool negative = n && *text == '-';
	uint64_t x = 0;
	*out = (gs_torch_value){.type = GS_V_INT};
	if (n <= negative)
		return false;
	for (size_t i = negative; i < n; i++) {
		if (!isdigit((unsigned char)text[i]))
			return false;
		if (__builtin_mul_overflow(x, 10, &x) ||
			__builtin_add_overflow(x, (uint64_t)(text[i] - '0'), &x))
			out->type = GS_V_OPAQUE;
	}
	if (negative && x > 1ull << 63)
		out->type = GS_V_OPAQUE;
	out->negative = negative && x;
	out->u = negative ? 0 - x : x;
	return true;
}

bool gs_pickle_number(unsigned char op, const char *text, size_t n, gs_torch_value *out)
{
	if (op == 'I' && n == 2 && text[0] == '0' && (text[1] == '0' || text[1] == '1')) {
		*out = (gs_torch_value){.type = GS_V_BOOL, .u = text[1] == '1'};
		return true;
	}
	if (op == 'L' && n && text[n - 1] == 'L')
		n--;
	if (op != 'F')
		return integer(text, n, out);
	char buf[64], *end;
	if (!n || n >= sizeof buf)
		return false;
	memcpy(buf, text, n);
	buf[n] = 0;
	*out = (gs_torch_value){.type = GS_V_FLOAT, .f = strtod(buf, &end)};
	return end == buf + n;
}

/* The hexadecimal number of n digits at text; -1 if it is none. */
static int64_t hex(const char *text, size_t n)
{
	int64_t x = 0;
	for (size_t i = 0; i < n; i++) {
		int c = tolower((unsigned char)text[i]);
		if (!isxdigit(c))
			return -1;
		x = x * 16 + (isdigit(c) ? c - '0' : c - 'a' + 10);
	}
	return x;
}

static size_t utf8(uint32_t c, char *out)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (size_t i = n - 1; i; i--, c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)((n == 2 ? 0xc0 : n == 3 ? 0xe0 : 0xf0) | c);
	return n;
}

size_t gs_pickle_unescape_unicode(const char *text, size_t n, char *out)
{
	size_t length = 0;
	for (size_t i = 0; i < n;) {
		size_t digits = text[i] == '\\' && i + 1 < n ? (text[i + 1] == 'u'          ? 4
															   : text[i + 1] == 'U' ? 8
																					: 0)
													 : 0;
		int64_t c = digits && i + 2 + digits <= n ? hex(text + i + 2, digits) : -1;
		if (c >= 0 && c < 0x110000) {
			length += utf8((uint32_t)c, out + length);
			i += 2 + digits;
		} else {
			length += utf8((unsigned char)text[i++], out + length);
		}
	}
	return length;
}

size_t gs_pickle_unescape_string(const char *text, size_t n, char *out)
{
	static const char from[] = "abfnrtv\\'\"", to[] = "\a\b\f\n\r\t\v\\'\"";
	size_t length = 0;
	if (n >= 2 && (*text == '\'' || *text == '"') && text[n - 1] == *text) {
		text++;
		n -= 2;
	}
	for (size_t i = 0; i < n; i++) {
		if (text[i] != '\\' || i + 1 == n) {
			out[length++] = text[i];
			continue;
		}
		const char *known = strchr(from, text[++i]);
		int64_t c = text[i] == 'x' && i + 2 < n ? hex(text + i + 1, 2) : -1;
		if (c >= 0) {
			out[length++] = (char)c;
			i += 2;
		} else if (known && *known) {
			out[length++] = to[known - from];
		} else {
			out[length++] = '\\';
			out[length++] = text[i];
		}
	}
	return length;
}
