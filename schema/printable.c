/* Text made harmless for a terminal. */
#include "schema/printable.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

size_t gs_utf8_length(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;
	if (!n)
		return 0;
	if (u[0] < 0x80)
		return 1;
	size_t len = u[0] >= 0xf0 && u[0] <= 0xf4 ? 4
		: u[0] >= 0xe0 && u[0] < 0xf0         ? 3
		: u[0] >= 0xc2 && u[0] < 0xe0         ? 2
											  : 0;
	if (!len || len > n)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((u[i] & 0xc0) != 0x80)
			return 0;
	if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] >= 0xa0) ||
		(u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] >= 0x90))
		return 0;
	return len;
}

uint32_t gs_utf8_decode(const char *p, size_t len)
{
	const unsigned char *u = (const unsigned char *)p;
	uint32_t c = len == 1 ? u[0] : u[0] & (0xffu >> (len + 1));
	for (size_t i = 1; i < len; i++)
		c = c << 6 | (u[i] & 0x3f);
	return c;
}

size_t gs_utf8_width(const char *p, size_t n)
{
	size_t width = 0;
	for (size_t i = 0; i < n;) {
		size_t len = gs_utf8_length(p + i, n - i);
		uint32_t c = len ? gs_utf8_decode(p + i, len) : 0xfffd;
		i += len ? len : 1;
		if ((c >= 0x300 && c < 0x370) || c == 0x200d || (c >= 0xfe00 && c < 0xfe10))
			continue;
		width += (c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0) ||
				(c >= 0xac00 && c < 0xd7a4) || (c >= 0xf900 && c < 0xfb00) ||
				(c >= 0xfe30 && c < 0xfe70) || (c >= 0xff00 && c < 0xff61) ||
				(c >= 0x1f300 && c < 0x1f650) || (c >= 0x20000 && c < 0x30000)
			? 2
			: 1;
	}
	return width;
}

int gs_utf8_steers(const char *p, size_t len)
{
	uint32_t c = gs_utf8_decode(p, len);
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{0, 0x1f},          /* controls */
		{0x7f, 0x9f},       /* and the second set of them */
		{0x61c, 0x61c},     /* marks of direction */
		{0x200b, 0x200b},   /* a space that is none */
		{0x200e, 0x200f},   /* marks of direction */
		{0x2028, 0x202e},   /* ends of lines and paragraphs; embeddings */
		{0x2060, 0x206f},   /* invisible signs, isolates */
		{0xfeff, 0xfeff},   /* byte order mark */
		{0xfff9, 0xfffb},   /* annotations */
		{0xe0000, 0xe007f}, /* invisible letters */
	};
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return 1;
	return 0;
}

char *gs_printable(char *buf, size_t cap, const char *text)
{
	size_t n = strlen(text), at = 0;
	for (size_t i = 0; i < n;) {
		size_t len = gs_utf8_length(text + i, n - i);
		if (text[i] == '\t' && at + 1 < cap) {
			buf[at++] = ' ';
			i++;
		} else if (len && !gs_utf8_steers(text + i, len) && at + len < cap) {
			memcpy(buf + at, text + i, len);
			at += len;
			i += len;
		} else if ((!len || gs_utf8_steers(text + i, len)) && at + 4 * (len ? len : 1) < cap) {
			for (size_t end = i + (len ? len : 1); i < end; i++)
				at += (size_t)sprintf(buf + at, "\\x%02x", (unsigned char)text[i]);
		} else
			break;
	}
	if (cap)
		buf[at] = 0;
	return buf;
}
