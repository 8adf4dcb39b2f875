/* Sentences for people: putting them together, and laying them out. */
#include "analyzer/model/prose.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "schema/printable.h"
#include "schema/size.h"

#define ARROW "\xe2\x86\x90"
#define ELLIPSIS "\xe2\x80\xa6"

enum { NARROWEST = 60, WIDEST = 100, SET_OFF = 4, KEPT_AT_END = 28 };

void gs_prose_clear(gs_prose *p)
{
	p->n = 0;
	p->text[0] = 0;
}

void gs_say(gs_prose *p, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = vsnprintf(p->text + p->n, sizeof p->text - p->n, format, args);
	va_end(args);
	if (n < 0)
		return;
	if ((size_t)n < sizeof p->text - p->n) {
		p->n += (size_t)n;
		return;
	}
	p->n = sizeof p->text - 1;
	memcpy(p->text + p->n - 3, "...", 3);
}

void gs_say_size(gs_prose *p, int64_t bytes)
{
	char text[32];
	gs_say(p, "%s",
		bytes < 0 ? "an unknown amount" : gs_size_format(text, sizeof text, (uint64_t)bytes));
}

void gs_say_size_beside(gs_prose *p, int64_t bytes, int64_t other)
{
	char text[48];
	if (bytes < 0 || other < 0)
		gs_say_size(p, bytes);
	else
		gs_say(p, "%s", gs_size_format_beside(text, sizeof text, (uint64_t)bytes, (uint64_t)other));
}

void gs_say_count(gs_prose *p, uint64_t n, const char *noun)
{
	gs_say(p, "%llu %s%s", (unsigned long long)n, noun, n == 1 ? "" : "s");
}

/* What would begin an element, a link or an entity on a page. */
static void escape_markdown(gs_prose *p, const char *text)
{
	for (; *text; text++)
		gs_say(p, strchr("\\`*_<>[]|&", *text) ? "\\%c" : "%c", *text);
}

/* Letters beyond ASCII as what stands for them: an arrow, an ellipsis, else a question mark. */
static void replace_letters(char *text)
{
	char *to = text;
	for (const char *at = text; *at;) {
		size_t n = gs_utf8_length(at, strlen(at));
		if (n == 3 && !memcmp(at, ARROW, 3))
			to = mempcpy(to, "<-", 2);
		else if (n == 3 && !memcmp(at, ELLIPSIS, 3))
			to = mempcpy(to, "...", 3);
		else
			*to++ = n == 1 ? *at : '?';
		at += n ? n : 1;
	}
	*to = 0;
}

void gs_say_foreign(gs_prose *p, const gs_voice *voice, const char *text)
{
	char plain[1024];
	gs_printable(plain, sizeof plain, text);
	if (!voice->utf8)
		replace_letters(plain);
	if (voice->markdown)
		escape_markdown(p, plain);
	else
		gs_say(p, "%s", plain);
}

void gs_say_code(gs_prose *p, const gs_voice *voice, const char *text)
{
	char plain[1024];
	gs_printable(plain, sizeof plain, text);
	if (!voice->utf8)
		replace_letters(plain);
	if (!voice->markdown) {
		gs_say(p, "%s", plain);
		return;
	}
	for (char *at = plain; (at = strchr(at, '`'));)
		*at = '\'';
	gs_say(p, "`%s`", plain);
}

void gs_say_between(gs_prose *p, const char *separator)
{
	if (p->n)
		gs_say(p, "%s", separator);
}

const char *gs_voice_ellipsis(const gs_voice *voice) { return voice->utf8 ? ELLIPSIS : "..."; }

/* --- layout --------------------------------------------------------------------------------- */

typedef struct line {
	FILE *out;
	const gs_voice *voice;
	int width, indent;
	int column; /* where the next letter goes */
	bool empty; /* nothing but its indentation stands in it */
	int count;
} line;

static void break_line(line *l)
{
	fprintf(l->out, "\n%*s", l->indent, "");
	l->column = l->indent;
	l->empty = true;
	l->count++;
}

/* The first byte of the last part of a text of n bytes that takes at most that many columns. */
static size_t tail_start(const char *text, size_t n, int columns)
{
	size_t at = n;
	while (at > 0) {
		size_t before = at - 1;
		while (before > 0 && ((unsigned char)text[before] & 0xc0) == 0x80)
			before--;
		if ((int)gs_utf8_width(text + before, n - before) > columns)
			break;
		at = before;
	}
	return at;
}

/* The end of the first part of a text that takes at most that many columns. */
static size_t head_end(const char *text, size_t n, int columns)
{
	size_t at = 0;
	while (at < n) {
		size_t next = at + 1;
		while (next < n && ((unsigned char)text[next] & 0xc0) == 0x80)
			next++;
		if ((int)gs_utf8_width(text, next) > columns)
			break;
		at = next;
	}
	return at;
}

/* A word wider than a whole line: its beginning, an ellipsis, its end. */
static void write_shortened(line *l, const char *word, size_t n, int columns)
{
	const char *ellipsis = gs_voice_ellipsis(l->voice);
	int kept = columns - (int)gs_utf8_width(ellipsis, strlen(ellipsis));
	int end = kept / 2 > KEPT_AT_END ? KEPT_AT_END : kept / 2;
	size_t tail = tail_start(word, n, end), head = head_end(word, n, kept - end);
	fwrite(word, 1, head, l->out);
	fputs(ellipsis, l->out);
	fwrite(word + tail, 1, n - tail, l->out);
	l->column += columns;
}

static void write_word(line *l, const char *word, size_t n)
{
	int columns = (int)gs_utf8_width(word, n), whole = l->width - l->indent;
	if (!l->empty && l->column + 1 + columns > l->width)
		break_line(l);
	else if (l->empty && l->column > l->indent && l->column + columns > l->width &&
		columns <= whole)
		break_line(l);
	if (!l->empty) {
		fputc(' ', l->out);
		l->column++;
	}
	if (columns > l->width - l->column) {
		write_shortened(l, word, n, l->width - l->column);
	} else {
		fwrite(word, 1, n, l->out);
		l->column += columns;
	}
	l->empty = false;
}

/* Whether a text begins with the unit of a size. */
static bool is_unit(const char *text)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "%"};
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		size_t n = strlen(units[i]);
		if (!strncmp(text, units[i], n) && !isalnum((unsigned char)text[n]))
			return true;
	}
	return false;
}

/* Bytes of the word at text; a number and its unit are one. */
static size_t word_length(const char *text)
{
	size_t n = strcspn(text, " ");
	if (n && text[n] && isdigit((unsigned char)text[n - 1]) && is_unit(text + n + 1))
		n += 1 + strcspn(text + n + 1, " ");
	return n;
}

static void write_words(line *l, const char *text)
{
	while (*text) {
		size_t n = word_length(text);
		if (n)
			write_word(l, text, n);
		text += n;
		text += strspn(text, " ");
	}
}

static void write_tail(line *l, const char *tail)
{
	int columns = (int)gs_utf8_width(tail, strlen(tail));
	if (l->column + SET_OFF + columns <= l->width) {
		fprintf(l->out, "%*s", SET_OFF - 1, "");
		l->column += SET_OFF - 1;
	} else if (l->column + 1 + columns > l->width) {
		break_line(l);
	}
	write_words(l, tail);
}

static int width_of(const gs_voice *voice)
{
	int width = voice->width < NARROWEST ? NARROWEST : voice->width;
	return width > WIDEST ? WIDEST : width;
}

int gs_prose_write(
	FILE *out, const gs_voice *voice, int lead, int indent, const char *text, const char *tail)
{
	line l = {out, voice, width_of(voice), indent, lead, true, 1};
	if (voice->markdown) {
		fprintf(out, tail && *tail ? "%s %s\n" : "%s\n", text, tail);
		return 1;
	}
	write_words(&l, text);
	if (tail && *tail)
		write_tail(&l, tail);
	fputc('\n', out);
	return l.count;
}

void gs_prose_one_line(FILE *out, const gs_voice *voice, int indent, const char *text)
{
	line l = {out, voice, width_of(voice), indent, indent, true, 1};
	size_t n = strlen(text);
	int room = l.width - indent;
	fprintf(out, "%*s", indent, "");
	if ((int)gs_utf8_width(text, n) > room)
		write_shortened(&l, text, n, room);
	else
		fputs(text, out);
	fputc('\n', out);
}

int gs_prose_row(
	FILE *out, const gs_voice *voice, const char *label, const gs_prose *text, const char *remark)
{
	if (voice->markdown)
		fprintf(out, *label ? "- **%s**: " : "- %s", label);
	else
		fprintf(out, "%*s%-*s", GS_ROW_MARGIN, "", GS_ROW_LABEL, label);
	return gs_prose_write(
		out, voice, GS_ROW_MARGIN + GS_ROW_LABEL, GS_ROW_MARGIN + GS_ROW_LABEL, text->text, remark);
}
