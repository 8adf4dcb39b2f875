/* A margin ends where a record's prefix begins; the record is recognised by its source position. */
#include "analyzer/read/text/margin.h"

#include <string.h>

#include "analyzer/read/text/ascii.h"
#include "analyzer/read/text/prefix.h"

enum { RECORD_LOOK = 320 /* bytes in which a record's source position is looked for */ };

static bool alnum(char c)
{
	return gs_ascii_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static bool blank(char c) { return c == ' ' || c == '\t'; }

/* Where the first source position of a record ends (`file.cc:12]`, `file.cc:12 function]`), or its
 * level (`…07.123456: I `) where the line was wrapped before that; 0 if there is none. */
static size_t record_end(const char *line, size_t n)
{
	const char *end = line + (n < RECORD_LOOK ? n : RECORD_LOOK);
	for (const char *p = line, *at; (at = memmem(p, (size_t)(end - p), ".cc:", 4)); p = at + 4) {
		size_t number = gs_ascii_digits(at + 4, end);
		const char *q = at + 4 + number;
		if (number && q < end && *q == ']')
			return (size_t)(q + 1 - line);
		const char *close = number && q < end && *q == ' ' ? memchr(q, ']', (size_t)(end - q))
														   : NULL;
		if (close && memmem(line, (size_t)(at - line), ":onnxruntime:", 13))
			return (size_t)(close + 1 - line);
	}
	for (const char *p = line, *at; (at = memmem(p, (size_t)(end - p), ": ", 2)); p = at + 2)
		if (at > line && gs_ascii_digit(at[-1]) && at + 3 < end && memchr("IWEF", at[2], 4) &&
			at[3] == ' ')
			return (size_t)(at + 2 - line);
	return 0;
}

/* Digits as one '0' and blanks as one ' '. */
static size_t shape_of(const char *line, size_t n, char *shape)
{
	size_t k = 0;
	for (size_t i = 0; i < n && k < GS_MARGIN_LONGEST; i++) {
		char c = gs_ascii_digit(line[i]) ? '0' : blank(line[i]) ? ' ' : line[i];
		if (!((c == '0' || c == ' ') && k && shape[k - 1] == c))
			shape[k++] = c;
	}
	return k;
}

static void remember_line(gs_text_margin *m, const char *line, size_t n)
{
	char shape[GS_MARGIN_LONGEST];
	size_t k = shape_of(line, n, shape);
	for (size_t i = 0; i < GS_MARGIN_SHAPES; i++)
		if (m->shapes[i].n == k && !memcmp(m->shapes[i].text, shape, k))
			return;
	memcpy(m->shapes[m->next].text, shape, k);
	m->shapes[m->next].n = k;
	m->next = (m->next + 1) % GS_MARGIN_SHAPES;
}

/* Length of the line's head that has the shape, 0 if it has another one. */
static size_t fits(const char *shape, size_t k, const char *line, size_t n)
{
	size_t i = 0;
	for (size_t j = 0; j < k; j++) {
		size_t from = i;
		if (shape[j] == '0')
			while (i < n && gs_ascii_digit(line[i]))
				i++;
		else if (shape[j] == ' ')
			while (i < n && blank(line[i]))
				i++;
		else if (i < n && line[i] == shape[j])
			i++;
		if (i == from)
			return shape[j] == ' ' && j + 1 == k && i == n
				? n
				: 0; /* a blank at the end of a line may be gone */
	}
	return i;
}

static size_t known(const gs_text_margin *m, const char *line, size_t n)
{
	size_t longest = 0;
	for (size_t i = 0; i < GS_MARGIN_SHAPES; i++) {
		size_t length = m->shapes[i].n ? fits(m->shapes[i].text, m->shapes[i].n, line, n) : 0;
		longest = length > longest ? length : longest;
	}
	return longest;
}

/* Whether a record's own stamp begins: a date, `I0102 `, or a level and a source position behind
 * what is no colon. */
static bool stamp_begins(const char *p, const char *end)
{
	if (end - p >= 10 && gs_ascii_digits(p, end) == 4 && (p[4] == '-' || p[4] == '/') &&
		gs_ascii_digits(p + 5, end) == 2)
		return true;
	bool level = end - p >= 6 && memchr("IWEF", *p, 4);
	return level &&
		((gs_ascii_digits(p + 1, end) == 4 && p[5] == ' ') ||
			(p[1] == ' ' && p[-1] == ' ' && p[-2] != ':'));
}

/* A record that has two stamps: the first one is the margin, which a container's log has before
 * every line. */
static size_t two_stamps(gs_text_margin *m, const char *line, size_t n, size_t end)
{
	bool stamped;
	for (size_t i = 8; i < end && i < GS_MARGIN_LONGEST; i++) {
		if (alnum(line[i - 1]) || !stamp_begins(line + i, line + n) ||
			gs_text_prefix(line, i, &stamped) != i || !stamped)
			continue;
		if (gs_text_prefix(line + i, n - i, &stamped) >= end - i && stamped) {
			remember_line(m, line, i);
			return i;
		}
	}
	return 0;
}

size_t gs_text_margin_length(gs_text_margin *m, const char *line, size_t n)
{
	bool stamped;
	size_t end = record_end(line, n);
	if (!end)
		return known(m, line, n);
	if (gs_text_prefix(line, n, &stamped) >= end)
		return two_stamps(m, line, n, end);
	for (size_t i = 1; i < end && i < GS_MARGIN_LONGEST; i++) {
		bool begins = (gs_ascii_digit(line[i]) || memchr("IWEFV[", line[i], 6)) &&
			(!alnum(line[i - 1]) || (line[i - 1] == 'm' && i > 2 && gs_ascii_digit(line[i - 2])));
		if (begins && gs_text_prefix(line + i, n - i, &stamped) >= end - i && stamped) {
			remember_line(m, line, i);
			return i;
		}
	}
	return 0;
}

bool gs_text_is_progress(const char *line, size_t n)
{
	const char *p = line, *end = line + n;
	while (p < end && blank(*p))
		p++;
	size_t number = gs_ascii_digits(p, end);
	p += number;
	if (!number)
		return false;
	if (end - p >= 2 && p[0] == '%' && p[1] == '|')
		return true;
	if (end - p >= 4 && !memcmp(p, "it [", 4))
		return true;
	size_t all = p < end && *p == '/' ? gs_ascii_digits(p + 1, end) : 0;
	return all && end - p >= (ptrdiff_t)all + 3 && p[1 + all] == ' ' && p[2 + all] == '[';
}
