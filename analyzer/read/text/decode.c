/* Tries what a character may begin; a backslash, '&' or '<' that begins nothing known stays what it
 * is. */
#include "analyzer/read/text/decode.h"

#include <string.h>

static int hex(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The ASCII character that stands for a code point, 0 for one that vanishes, -1 where there is
 * none. */
static int is_printable(uint32_t c)
{
	if (c == 0xa0 || (c >= 0x2000 && c <= 0x200a) || c == 0x202f || c == 0x3000 ||
		(c >= 0x2500 && c <= 0x257f))
		return ' ';
	if ((c >= 0x200b && c <= 0x200f) || c == 0x2060 || c == 0xfeff)
		return 0;
	if (c == 0x2018 || c == 0x2019)
		return '\'';
	if (c == 0x201c || c == 0x201d)
		return '"';
	if (c == 0x3002) /* 。 */
		return '.';
	if (c >= 0xff01 && c <= 0xff5e)
		return (int)(c - 0xfee0);
	if (c == '\n' || c == '\r')
		return '\n';
	if (c < 0x80)
		return c < ' ' || c > '~' ? ' ' : (int)c;
	return -1;
}

static size_t give_utf8(uint32_t c, char *out)
{
	int ascii = is_printable(c);
	if (ascii >= 0) {
		*out = (char)ascii;
		return ascii > 0;
	}
	if (c >= 0xd800 && c <= 0xdfff) { /* half a pair */
		*out = '?';
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 63));
		return 2;
	}
	out[0] = (char)(0xe0 | (c >> 12 & 15));
	out[1] = (char)(0x80 | (c >> 6 & 63));
	out[2] = (char)(0x80 | (c & 63));
	return 3;
}

/* The length of a colour that begins behind an escape character (`[` … letter), 0 where there is
 * none. */
static size_t colour(const unsigned char *p, size_t n)
{
	size_t i;
	if (n < 2 || p[0] != '[')
		return 0;
	for (i = 1; i < n && i < 24 && (p[i] < 0x40 || p[i] > 0x7e); i++)
		;
	return i < n ? i + 1 : n;
}

static bool starts(const unsigned char *p, size_t n, const char *word, size_t *length)
{
	*length = strlen(word);
	return n >= *length && !memcmp(p, word, *length);
}

/* &#160; or &#xa0; */
static size_t numbered_entity(const unsigned char *p, size_t n, uint32_t *c)
{
	size_t i = 2;
	bool x = n > 3 && (p[2] | 32) == 'x';
	uint32_t v = 0;
	if (n < 4 || p[1] != '#')
		return 0;
	for (i += x; i < n && i < 10 && p[i] != ';'; i++) {
		int digit = hex(p[i]);
		if (digit < 0 || (!x && digit > 9))
			return 0;
		v = v * (x ? 16 : 10) + (uint32_t)digit;
	}
	*c = v > 0xffff ? '?' : v;
	return i < n && p[i] == ';' && i > 2 + (size_t)x ? i + 1 : 0;
}

/* An HTML entity, or a tag that ends a line; 0 where there is none. */
static size_t entity(const unsigned char *p, size_t n, uint32_t *c)
{
	static const struct {
		const char *word;
		char c;
	} known[] = {
		{"&lt;", '<'},
		{"&gt;", '>'},
		{"&amp;", '&'},
		{"&quot;", '"'},
		{"&apos;", '\''},
		{"&nbsp;", ' '},
		{"<br>", '\n'},
		{"<br/>", '\n'},
		{"<br />", '\n'},
		{"</p>", '\n'},
		{"</div>", '\n'},
	};
	size_t length;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (starts(p, n, known[i].word, &length)) {
			*c = (unsigned char)known[i].c;
			return length;
		}
	return *p == '&' ? numbered_entity(p, n, c) : 0;
}

/* An escape character written out, with the colour behind it: \x1b[31m, \033[31m, \u001b[31m; 0
 * where there is none. */
static size_t written_colour(const unsigned char *p, size_t n)
{
	static const char *const words[] = {
		"\\x1b", "\\x1B", "\\033", "\\u001b", "\\u001B", "\\e", "#033"};
	size_t length;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t more = starts(p, n, words[i], &length) ? colour(p + length, n - length) : 0;
		if (more)
			return length + more;
	}
	return 0;
}

/* What a backslash begins, as in JSON and in the repr of Python. A backslash of a path stays. */
static size_t single_escape(const unsigned char *p, size_t n, uint32_t *c)
{
	if (n < 2)
		return 0;
	switch (p[1]) {
	case 'n':
	case 'r': *c = '\n'; return 2;
	case 't': *c = ' '; return 2;
	case '"':
	case '\'':
	case '/': *c = p[1]; return 2;
	case 'u':
		*c = 0;
		for (size_t i = 2; i < 6; i++) {
			int digit = i < n ? hex(p[i]) : -1;
			if (digit < 0)
				return 0;
			*c = *c << 4 | (uint32_t)digit;
		}
		return 6;
	}
	return 0;
}

/* The same where JSON was quoted in JSON: its backslashes are doubled. */
static size_t escape(const unsigned char *p, size_t n, uint32_t *c)
{
	size_t more = 0;
	while (more < 7 && more + 2 < n && p[more + 1] == '\\')
		more++;
	size_t used = single_escape(p + more, n - more, c);
	return used ? more + used : 0;
}

/* Length of the sequence of UTF-8 at p and what it encodes; 0 where it is none, or more than three
 * bytes long. */
static size_t utf8(const unsigned char *p, size_t n, uint32_t *c)
{
	size_t length = *p >= 0xc2 && *p < 0xe0 ? 2 : *p >= 0xe0 && *p < 0xf0 ? 3 : 0;
	if (!length || n < length)
		return 0;
	*c = *p & (length == 2 ? 31u : 15u);
	for (size_t i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (p[i] & 63u);
	}
	return length;
}

static size_t decode(gs_text_decoder *d, const unsigned char *p, size_t n, char *out, size_t *gave)
{
	size_t used = 0;
	uint32_t c = 0;
	bool after_return = d->carriage;
	d->carriage = *p == '\r';
	*out = (char)*p;
	*gave = 1;
	switch (*p) {
	case '\n': *gave = !after_return; return 1;
	case '\r': *out = '\n'; return 1;
	case 0x1b: *gave = 0; return 1 + colour(p + 1, n - 1);
	case 0:
	case '\b': *gave = 0; return 1;
	case '#': /* as system logs write it */
		used = written_colour(p, n);
		*gave = !used;
		return used ? used : 1;
	case '[': /* a colour whose escape character got lost */
		used = n > 2 && p[1] >= '0' && p[1] <= '9' ? colour(p, n) : 0;
		if (used && used < 12 && p[used - 1] == 'm' && !memchr(p, ':', used)) {
			*gave = 0;
			return used;
		}
		return 1;
	case '&':
	case '<': used = entity(p, n, &c); break;
	case '\\':
		used = written_colour(p, n);
		if (used) {
			*gave = 0;
			return used;
		}
		used = escape(p, n, &c);
		break;
	default:
		if (*p >= 0x80 && utf8(p, n, &c) && is_printable(c) >= 0)
			used = utf8(p, n, &c);
	}
	if (!used)
		return 1;
	*gave = give_utf8(c, out);
	return used;
}

static size_t decode_wide(
	gs_text_decoder *d, const unsigned char *p, size_t n, char *out, size_t *gave)
{
	unsigned char narrow[GS_DECODE_LOOK / 2];
	size_t units = 0;
	uint32_t c = '?';
	for (; units < sizeof narrow && 2 * units + 1 < n; units++) {
		const unsigned char *u = p + 2 * units;
		uint32_t unit = d->wide == 1 ? (uint32_t)(u[0] | u[1] << 8) : (uint32_t)(u[1] | u[0] << 8);
		if (!units)
			c = unit;
		if (unit > 0x7f)
			break;
		narrow[units] = (unsigned char)unit;
	}
	if (units)
		return 2 * decode(d, narrow, units, out, gave);
	d->carriage = false;
	*gave = give_utf8(c, out);
	return n < 2 ? 1 : 2;
}

size_t gs_text_decode(
	gs_text_decoder *d, const unsigned char *p, size_t n, char out[GS_DECODE_GIVES], size_t *gave)
{
	return d->wide ? decode_wide(d, p, n, out, gave) : decode(d, p, n, out, gave);
}
