/* What every implementation of the drawing interface shares: frames, cutting text to a width,
 * UTF-8. */
#include "analyzer/draw/draw.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_TEXT = 512 };
static const char ellipsis[] = "…";

void gs_draw_frame(gs_draw *d, int x, int y, int w, int h, int thick, uint32_t rgb)
{
	if (2 * thick >= w || 2 * thick >= h) {
		gs_draw_rect(d, x, y, w, h, rgb);
		return;
	}
	gs_draw_rect(d, x, y, w, thick, rgb);
	gs_draw_rect(d, x, y + h - thick, w, thick, rgb);
	gs_draw_rect(d, x, y + thick, thick, h - 2 * thick, rgb);
	gs_draw_rect(d, x + w - thick, y + thick, thick, h - 2 * thick, rgb);
}

static const uint8_t tiles[GS_PATTERNS][8] = {
	[GS_HATCHED] = {0x11, 0x22, 0x44, 0x88, 0x11, 0x22, 0x44, 0x88},
	[GS_FALLING] = {0x88, 0x44, 0x22, 0x11, 0x88, 0x44, 0x22, 0x11},
	[GS_DOTTED] = {0x00, 0x66, 0x66, 0x00, 0x00, 0x66, 0x66, 0x00},
	[GS_CHECKED] = {0xcc, 0xcc, 0x33, 0x33, 0xcc, 0xcc, 0x33, 0x33},
};

bool gs_pattern_inked(gs_pattern pattern, int x, int y)
{
	return tiles[pattern][y & 7] >> (7 - (x & 7)) & 1;
}

enum { DASH = 6, DASH_GAP = 4 };

void gs_draw_dashes(gs_draw *d, int x, int y, int length, bool down, int thick, uint32_t rgb)
{
	for (int at = 0; at < length; at += DASH + DASH_GAP) {
		int n = length - at < DASH ? length - at : DASH;
		gs_draw_rect(
			d, down ? x : x + at, down ? y + at : y, down ? thick : n, down ? n : thick, rgb);
	}
}

uint32_t gs_draw_contrast(uint32_t rgb)
{
	unsigned r = rgb >> 16 & 255, g = rgb >> 8 & 255, b = rgb & 255;
	/* relative luminance, with 2 for sRGB's exponent of 2.4 */
	double light = (r * r * 0.2126 + g * g * 0.7152 + b * b * 0.0722) / (255.0 * 255.0);

	return light > 0.19 ? 0x111111 : 0xffffff;
}

uint32_t gs_draw_next_char(const char **text)
{
	const unsigned char *s = (const unsigned char *)*text;
	uint32_t c = *s;
	int more = c >= 0xf0 && c < 0xf5 ? 3
		: c >= 0xe0 && c < 0xf0      ? 2
		: c >= 0xc2 && c < 0xe0      ? 1
									 : 0;

	if (!c)
		return 0;
	*text += 1;
	if (c < 0x80)
		return c < 0x20 || c == 0x7f ? '?' : c;
	if (!more)
		return '?';
	c &= 0x3fu >> more;
	for (int i = 1; i <= more; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return '?';
		c = c << 6 | (s[i] & 0x3f);
	}
	*text += more;
	return c < 0xa0 || c > 0x10ffff || (c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202e)
		? '?'
		: c;
}

/* The longest start of text that fits max_w together with an ellipsis, in buf. */
static int cut(gs_draw *d, int px, int max_w, const char *text, char buf[LONGEST_TEXT])
{
	size_t low = 0, high = strlen(text);
	int w;

	if (high > LONGEST_TEXT - sizeof ellipsis)
		high = LONGEST_TEXT - sizeof ellipsis;
	while (low < high) {
		size_t middle = (low + high + 1) / 2;
		memcpy(buf, text, middle);
		memcpy(buf + middle, ellipsis, sizeof ellipsis);
		if (d->ops->measure(d, px, buf) <= max_w)
			low = middle;
		else
			high = middle - 1;
	}
	while (low && ((unsigned char)text[low] & 0xc0) == 0x80)
		low--;
	memcpy(buf, text, low);
	memcpy(buf + low, ellipsis, sizeof ellipsis);
	w = d->ops->measure(d, px, buf);
	return w;
}

static int fit(gs_draw *d, int px, int max_w, const char **text, char buf[LONGEST_TEXT])
{
	int w;

	if (strlen(*text) < LONGEST_TEXT) {
		w = d->ops->measure(d, px, *text);
		if (w <= max_w)
			return w;
	}
	w = cut(d, px, max_w, *text, buf);
	*text = buf;
	return w;
}

int gs_draw_text(gs_draw *d, int x, int y, int px, uint32_t rgb, int max_w, const char *text)
{
	char buf[LONGEST_TEXT];
	int w = fit(d, px, max_w, &text, buf);

	d->ops->text(d, x, y, px, rgb, text);
	return w;
}

void gs_draw_text_right(gs_draw *d, int x, int y, int px, uint32_t rgb, int max_w, const char *text)
{
	char buf[LONGEST_TEXT];
	int w = fit(d, px, max_w, &text, buf);

	d->ops->text(d, x - w, y, px, rgb, text);
}

/* The end of the longest start of text that fits max_w, broken at a blank where there is one. */
static size_t line_end(gs_draw *d, int px, int max_w, const char *text)
{
	char buf[LONGEST_TEXT];
	size_t n = 0, fits = 0, length = strlen(text);

	while (n < length && n < LONGEST_TEXT - 1) {
		size_t word = n + strspn(text + n, " ");
		word += strcspn(text + word, " ");
		if (word > LONGEST_TEXT - 1)
			break;
		memcpy(buf, text, word);
		buf[word] = 0;
		if (d->ops->measure(d, px, buf) > max_w)
			break;
		fits = n = word;
	}
	return fits;
}

int gs_draw_lines(gs_draw *d, int x, int y, int px, int pitch, uint32_t rgb, int max_w, int most,
	bool draw, const char *text)
{
	char buf[LONGEST_TEXT];
	int lines = 0;

	while (*text && lines < most) {
		size_t n = line_end(d, px, max_w, text);
		bool last = lines + 1 == most || !n || !text[n];
		snprintf(buf, sizeof buf, "%.*s", last ? LONGEST_TEXT - 1 : (int)n, text);
		if (draw)
			gs_draw_text(d, x, y + lines * pitch, px, rgb, max_w, buf);
		lines++;
		if (last)
			break;
		text += n + strspn(text + n, " ");
	}
	return lines;
}
