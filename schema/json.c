/* JSON strings. */
#include "schema/json.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "schema/printable.h"

/* The escape of the character at text (len bytes of UTF-8, 0: none), or 0 where it stands for
 * itself. */
static size_t escape(char out[16], const char *text, size_t len)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	unsigned char c = (unsigned char)text[0];
	const char *known = c ? strchr(from, c) : NULL;
	if (!len)
		return (size_t)sprintf(out, "\\ufffd");
	if (known)
		return (size_t)sprintf(out, "\\%c", to[known - from]);
	if (!gs_utf8_steers(text, len))
		return 0;
	uint32_t code = gs_utf8_decode(text, len);
	return code < 0x10000
		? (size_t)sprintf(out, "\\u%04x", code)
		: (size_t)sprintf(out, "\\u%04x\\u%04x", 0xd800 + (((code - 0x10000) >> 10) & 0x3ff),
			  0xdc00 + (code & 0x3ff));
}

char *gs_json_quote(char *buf, size_t cap, const char *text, size_t n)
{
	size_t at = 0;
	buf[at++] = '"';
	for (size_t i = 0; i < n;) {
		while (i < n && at + 2 < cap && text[i] >= ' ' && text[i] < 0x7f && text[i] != '"' &&
			text[i] != '\\' && text[i] != '<')
			buf[at++] = text[i++];
		if (i == n)
			break;
		char escaped[16];
		size_t len = gs_utf8_length(text + i, n - i), m = escape(escaped, text + i, len);
		if (text[i] == '<' && i + 1 < n && (text[i + 1] == '/' || text[i + 1] == '!'))
			m = (size_t)sprintf(escaped, "\\u003c"); /* ends no script of a page it stands in */
		const char *from = m ? escaped : text + i;
		if (!m)
			m = len;
		if (at + m + 2 > cap)
			break;
		memcpy(buf + at, from, m);
		at += m;
		i += len ? len : 1;
	}
	buf[at++] = '"';
	buf[at] = 0;
	return buf;
}
