/* Decodes and squeezes text piece by piece. A physical line longer than the window is squeezed in
 * parts; only its first part is looked at for a prefix. */
#include "analyzer/read/text/window.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/memory.h"
#include "analyzer/read/text/ascii.h"
#include "analyzer/read/text/prefix.h"

enum {
	WINDOW = 262144, /* decoded characters held */
	HELD = WINDOW + GS_DECODE_GIVES,
	LONG_LINE = 40,    /* columns from which a line may be one that was wrapped */
	PREFIX_LOOK = 512, /* characters in which a prefix is looked for */
	NEAR_LINES = 8,    /* lines before and behind in which longer ones are looked for */
	LOST_COLUMNS = 3   /* by which decoding may have made a line shorter (`C:\\temp`) */
};

gs_status gs_text_open(gs_text *t, gs_source *source, gs_error *err)
{
	size_t shift;
	*t = (gs_text)GS_TEXT_INIT;
	t->source = source;
	t->text = gs_memory_take(HELD + 1);
	t->s = gs_memory_take(HELD + 1);
	t->gap = gs_memory_take(HELD);
	t->at = gs_memory_take(HELD * sizeof *t->at);
	t->line = 1;
	t->next_gap = GS_GAP_LINE;
	t->counted = gs_memory_zeroed(1, sizeof *t->counted);
	if (!t->text || !t->s || !t->gap || !t->at || !t->counted)
		return gs_fail(err, GS_NO_MEMORY, "no memory for a window of %d KiB", WINDOW / 1024);
	return gs_text_next(t, 0, &shift, err);
}

void gs_text_release(gs_text *t)
{
	gs_memory_give(t->text);
	gs_memory_give(t->s);
	gs_memory_give(t->gap);
	gs_memory_give(t->at);
	gs_memory_give(t->counted);
	*t = (gs_text)GS_TEXT_INIT;
}

/* --- decoding --- */

static void byte_order(gs_text *t)
{
	const unsigned char *p;
	size_t n = gs_source_peek(t->source, 3, &p);
	t->begun = true;
	if (n >= 3 && p[0] == 0xef && p[1] == 0xbb && p[2] == 0xbf) {
		gs_source_skip(t->source, 3);
	} else if (n >= 2 && ((p[0] == 0xff && p[1] == 0xfe) || (p[0] == 0xfe && p[1] == 0xff))) {
		t->decoder.wide = p[0] == 0xff ? 1 : 2;
		gs_source_skip(t->source, 2);
	}
}

/* Fills text up to the size of the window or the end of the input. */
static void fill_window(gs_text *t)
{
	if (!t->begun)
		byte_order(t);
	while (t->ntext < WINDOW && !t->end) {
		const unsigned char *p;
		size_t n = gs_source_peek(t->source, 4096, &p), used = 0;
		bool last = n < 4096;
		while (used < n && t->ntext < WINDOW && (last || n - used >= GS_DECODE_LOOK)) {
			size_t gave;
			used += gs_text_decode(&t->decoder, p + used, n - used, t->text + t->ntext, &gave);
			t->ntext += gave;
		}
		gs_source_skip(t->source, used);
		if (last && used == n)
			t->end = true;
	}
}

/* --- squeezing --- */

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

static bool word(char c)
{
	return gs_ascii_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Whether the two asterisks at i in [from, to) are Markdown's and interrupt a sentence: **26.00
 * MiB** (no power, no pointer, no rule). */
static bool emphasis(const char *text, size_t i, size_t from, size_t to)
{
	char before = i > from ? text[i - 1] : ' ', after = i + 2 < to ? text[i + 2] : ' ';
	if (before == '*' || after == '*')
		return false;
	if (blank(before) || before == '(')
		return gs_ascii_digit(after);
	return !word(after);
}

/* Where the text of a line ends, without the position in a source file that a logger puts at its
 * right edge (` trainer.py:120`): only where the next line goes on below the text. */
static size_t without_column(const gs_text *t, size_t from, size_t to)
{
	size_t i = to, n;
	if (to > from + LONG_LINE && t->text[to - 1] == '=') /* a line that a mail program broke */
		return to - 1;
	while (i > from && blank(t->text[i - 1]))
		i--;
	for (n = 0; i > from && gs_ascii_digit(t->text[i - 1]); n++)
		i--;
	if (!n || i < from + 5 || memcmp(t->text + i - 4, ".py:", 4))
		return to;
	for (i -= 4, n = 0; i > from && word(t->text[i - 1]); n++)
		i--;
	if (!n || i < from + 2 || !blank(t->text[i - 1]))
		return to;
	for (size_t k = 1; k <= 6; k++)
		if (to + k >= t->ntext || !blank(t->text[to + k]))
			return to;
	return i;
}

static void put_characters(gs_text *t, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		char c = t->text[i];
		t->width++;
		if (c == '*' && i + 1 < to && t->text[i + 1] == '*' && emphasis(t->text, i, from, to)) {
			t->width++;
			i++;
			continue;
		}
		if (blank(c)) {
			if (t->next_gap == GS_GAP_NONE)
				t->next_gap = GS_GAP_BLANK;
			continue;
		}
		t->s[t->n] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
		t->gap[t->n] = t->next_gap;
		t->at[t->n++] = (uint32_t)i;
		t->next_gap = GS_GAP_NONE;
	}
}

/* The gap that the end of the current line makes; an empty line makes the hard one stay. */
static void end_line(gs_text *t, bool empty)
{
	if (empty || t->width < LONG_LINE || t->next_gap == GS_GAP_LINE)
		t->next_gap = GS_GAP_LINE;
	else
		t->next_gap = GS_GAP_WRAP;
	t->width = 0;
}

/* "242: ", a number that the line before begins with as well: the output of one of many tests. Its
 * length, 0 where there is none. */
static size_t numbered(const gs_text *t, size_t from, size_t to)
{
	size_t n = 0, before = from;
	while (from + n < to && n < 8 && t->text[from + n] >= '0' && t->text[from + n] <= '9')
		n++;
	if (!n || from + n + 1 >= to || t->text[from + n] != ':' || t->text[from + n + 1] != ' ' ||
		!from)
		return 0;
	for (before--; before > 0 && t->text[before - 1] != '\n';)
		before--;
	return from - before > n + 2 && !memcmp(t->text + before, t->text + from, n + 2) ? n + 2 : 0;
}

/* Characters of UTF-8 in [from, to). */
static size_t columns(const gs_text *t, size_t from, size_t to)
{
	size_t n = 0;
	for (size_t i = from; i < to; i++)
		n += (t->text[i] & 0xc0) != 0x80;
	return n;
}

/* Whether a line near the one that ends just before next is longer than it: then no terminal's
 * width ended it. */
static bool longer_near(const gs_text *t, size_t next)
{
	size_t end = next - 1, from = end;
	while (from && t->text[from - 1] != '\n')
		from--;
	size_t width = columns(t, from, end) + LOST_COLUMNS;
	for (size_t k = 0, i = from; k < NEAR_LINES && i; k++) {
		size_t last = --i;
		while (i && t->text[i - 1] != '\n')
			i--;
		if (columns(t, i, last) > width)
			return true;
	}
	for (size_t k = 0, i = next; k < NEAR_LINES && i < t->ntext; k++) {
		const char *newline = memchr(t->text + i, '\n', t->ntext - i);
		size_t stop = newline ? (size_t)(newline - t->text) : t->ntext;
		if (columns(t, i, stop) > width)
			return true;
		i = stop + 1;
	}
	return false;
}

static bool of_number(char c)
{
	return (c >= '0' && c <= '9') || c == '.' || c == ',' || ((c | 32) >= 'a' && (c | 32) <= 'f');
}

/* Length of the first word of a line where it is a mark that each line of a wrapped text may bear:
 * `#`, `E`, `node7:` or `3:`. */
static size_t line_mark(const gs_text *t, size_t from, size_t to, size_t *begin)
{
	static const char *const marks[] = {"#", "*", "-", "//", "E", "##"};
	size_t i = from, n = 0;
	while (i < to && blank(t->text[i]))
		i++;
	while (i + n < to && n < 24 && !blank(t->text[i + n]))
		n++;
	*begin = i;
	if (!n || i + n >= to || n == 24)
		return 0;
	for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
		if (strlen(marks[k]) == n && !memcmp(t->text + i, marks[k], n))
			return n;
	bool error = n > 6 &&
		(!memcmp(t->text + i + n - 6, "Error:", 6) ||
			(n > 9 && !memcmp(t->text + i + n - 10, "Exception:", 10)));
	return t->text[i + n - 1] == ':' && !error ? n : 0;
}

/* Where the text of a line begins, behind the mark that the line before it bears as well. */
static size_t behind_mark(const gs_text *t, size_t from, size_t to)
{
	size_t begin, n = line_mark(t, from, to, &begin), before = from, other;
	if (!n || from < 2)
		return from;
	for (before--; before > 0 && t->text[before - 1] != '\n'; before--)
		;
	if (line_mark(t, before, from - 1, &other) != n || memcmp(t->text + begin, t->text + other, n))
		return from;
	return begin + n;
}

/* Behind a bar that continues the margin of the line before: `12:34:56 | text` goes on as
 * `         | more of it`. */
static size_t behind_bar(gs_text *t, size_t from, size_t to)
{
	size_t bar = from, line = from, i = 0;
	while (bar < to && t->text[bar] == ' ')
		bar++;
	size_t column = bar - from, before = t->bar;
	t->bar = 0;
	if (column < 2 || bar + 1 >= to || t->text[bar] != '|' || t->text[bar + 1] != ' ' || from < 2)
		return from;
	for (line--; line > 0 && t->text[line - 1] != '\n';)
		line--;
	if (line + column >= from - 1 || t->text[line + column] != '|')
		return from;
	while (i < column && t->text[line + i] == ' ')
		i++;
	if (i == column && before != column)
		return from; /* a table whose lines all begin with a bar */
	t->bar = column;
	return bar + 1;
}

static void squeeze_line(gs_text *t, size_t from, size_t to)
{
	bool stamped = false;
	size_t prefix = 0, begin = from, number = t->open ? 0 : numbered(t, from, to);
	if (number) {
		t->next_gap = GS_GAP_LINE;
		from += number;
	}
	size_t bar = t->open ? from : behind_bar(t, from, to);
	if (bar > from) {
		t->width += bar - from;
		from = bar;
	} else if (!t->open && !number) {
		size_t text = behind_mark(t, from, to);
		t->width += text - from;
		from = text;
	}
	if (!t->open) {
		size_t look = to - from < PREFIX_LOOK ? to - from : PREFIX_LOOK,
			   margin = gs_text_margin_length(&t->margin, t->text + from, look);
		prefix = margin + gs_text_prefix(t->text + from + margin, look - margin, &stamped);
		if (stamped || gs_text_is_progress(t->text + from + margin, look - margin))
			t->next_gap = GS_GAP_LINE;
		if (t->next_gap == GS_GAP_WRAP && t->n && begin && prefix < look &&
			of_number(t->s[t->n - 1]) && of_number(t->text[from + prefix]) && longer_near(t, begin))
			t->next_gap = GS_GAP_FOLD;
	}
	size_t end = without_column(t, from + prefix, to);
	put_characters(t, from + prefix, end);
	t->width += prefix + to - end;
}

static void squeeze(gs_text *t)
{
	while (t->done < t->ntext) {
		const char *line = t->text + t->done, *newline = memchr(line, '\n', t->ntext - t->done);
		if (!newline && !t->end && t->ntext < WINDOW)
			break;
		if (!newline && !t->end && t->ntext - t->done < PREFIX_LOOK)
			break; /* the next window shows more of it */
		size_t before = t->n, to = newline ? (size_t)(newline - t->text) : t->ntext;
		squeeze_line(t, t->done, to);
		t->open = !newline;
		t->done = to;
		if (newline) {
			end_line(t, t->n == before);
			t->done++;
		}
	}
	t->s[t->n] = 0;
}

static void drop(gs_text *t, size_t from)
{
	size_t cut = from < t->n ? t->at[from] : t->done;
	for (const char *p = t->text, *q; (q = memchr(p, '\n', (size_t)(t->text + cut - p))); p = q + 1)
		t->line++;
	memmove(t->text, t->text + cut, t->ntext - cut);
	t->ntext -= cut;
	t->done -= cut;
	size_t left = from < t->n ? t->n - from : 0;
	t->base += t->n - left;
	memmove(t->s, t->s + t->n - left, left);
	memmove(t->gap, t->gap + t->n - left, left);
	memmove(t->at, t->at + t->n - left, left * sizeof *t->at);
	for (size_t i = 0; i < left; i++)
		t->at[i] -= (uint32_t)cut;
	t->n = left;
}

gs_status gs_text_next(gs_text *t, size_t from, size_t *shift, gs_error *err)
{
	size_t keep = from > GS_TEXT_BEHIND ? from - GS_TEXT_BEHIND : 0;
	if (t->ntext >= WINDOW) /* mostly white space: what is behind must make room all the same */
		while (keep < t->n && t->at[keep] < WINDOW / 4)
			keep++;
	drop(t, keep);
	*t->counted = (gs_text_mark){.line = t->line};
	*shift = keep;
	fill_window(t);
	squeeze(t);
	t->ready = t->end || t->n <= GS_TEXT_AHEAD ? t->n : t->n - GS_TEXT_AHEAD;
	return gs_source_status(t->source, err);
}

uint64_t gs_text_line(const gs_text *t, size_t i)
{
	gs_text_mark *m = t->counted;
	size_t to = i < t->n ? t->at[i] : t->ntext;
	if (to < m->at) {
		m->at = 0;
		m->line = t->line;
	}
	for (; m->at < to; m->at++)
		m->line += t->text[m->at] == '\n';
	return m->line;
}

size_t gs_text_line_start(const gs_text *t, size_t i)
{
	gs_text_mark *m = t->counted;
	size_t to = i < t->n ? t->at[i] : t->ntext, at = to;
	if (to >= m->start && to <= m->start_to)
		return m->start;
	bool behind = to > m->start_to;
	size_t least = behind ? m->start_to : 0;
	while (at > least && t->text[at - 1] != '\n')
		at--;
	m->start = behind && at == least ? m->start : at;
	m->start_to = to;
	return m->start;
}
