/* Tables for a terminal and for Markdown: as wide as their content, cut to the width of the terminal. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/emit_inner.h"
#include "schema/plain.h"
#include "schema/size.h"

enum { GAP = 2, NARROWEST = 8, MOST_LINES = 4 };

static void time_text(char *buf, size_t cap, int64_t us)
{
	time_t seconds = (time_t)(us / 1000000);
	struct tm t;
	char text[32];
	if (us < 0 || !gmtime_r(&seconds, &t) || !strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &t))
		snprintf(buf, cap, "%" PRId64, us);
	else
		snprintf(buf, cap, "%s.%06d", text, (int)(us % 1000000));
}

static void number_text(char *buf, size_t cap, int64_t n, gs_unit unit)
{
	if (unit == GS_UNIT_BYTES && n >= 0)
		gs_size_format(buf, cap, (uint64_t)n);
	else if (unit == GS_UNIT_ADDRESS)
		snprintf(buf, cap, "0x%" PRIx64, (uint64_t)n);
	else if (unit == GS_UNIT_TIME)
		time_text(buf, cap, n);
	else if (unit == GS_UNIT_BOOLEAN)
		snprintf(buf, cap, "%s", n ? "yes" : "no");
	else
		snprintf(buf, cap, "%" PRId64, n);
}

/* A text on one line: the lines of a stack are parted by an arrow that points to the caller. */
static char *one_line(const gs_value *v, bool markdown)
{
	size_t room = 4 * v->n + 1;
	char *copy = malloc(v->n + 1), *plain = malloc(room + 16), *out = malloc(5 * room);
	if (copy && plain && out) {
		memcpy(copy, v->text, v->n);
		copy[v->n] = 0;
		size_t at = 0;
		for (char *line = copy, *next; line; line = next) {
			next = strchr(line, '\n');
			if (next)
				*next++ = 0;
			gs_plain(plain, room + 16, line);
			for (char *p = plain; *p; p++) {
				if (markdown && (*p == '|' || *p == '\\' || *p == '<' || *p == '*' || *p == '_' || *p == '`'))
					out[at++] = '\\';
				out[at++] = *p;
			}
			if (next && *next) {
				memcpy(out + at, " ← ", 5);
				at += 5;
			}
		}
		out[at] = 0;
	} else {
		free(out);
		out = NULL;
	}
	free(copy);
	free(plain);
	return out;
}

static char *cell(const gs_emitter *e, const gs_value *v, gs_unit unit)
{
	char buf[64];
	switch (v->type) {
	case GS_VALUE_TEXT:
		return one_line(v, e->format == GS_FORMAT_MARKDOWN);
	case GS_VALUE_INT:
		number_text(buf, sizeof buf, v->integer, unit);
		return strdup(buf);
	case GS_VALUE_REAL:
		snprintf(buf, sizeof buf, "%.4g", v->real);
		return strdup(buf);
	default:
		return strdup("-");
	}
}

gs_status gs_emit_table_add(gs_emitter *e, const gs_value *row)
{
	size_t n = e->head.ncolumns, used = e->rows * n;
	if (!e->right && !(e->right = malloc(n + 1)))
		return GS_NO_MEMORY;
	if (!used)
		memset(e->right, 1, n + 1);
	if (used + n > e->cap) {
		size_t cap = (used + n) * 2;
		char **grown = realloc(e->cells, cap * sizeof *grown);
		if (!grown)
			return GS_NO_MEMORY;
		e->cells = grown;
		e->cap = cap;
	}
	for (size_t i = 0; i < n; i++) {
		if (!(e->cells[used + i] = cell(e, &row[i], e->head.columns[i].unit))) {
			while (i--)
				free(e->cells[used + i]);
			return GS_NO_MEMORY;
		}
		if (row[i].type == GS_VALUE_TEXT)
			e->right[i] = false;
	}
	return GS_OK;
}

static size_t width_of(const char *text)
{
	return gs_utf8_width(text, strlen(text));
}

static void pad(FILE *out, size_t n)
{
	for (; n; n--)
		fputc(' ', out);
}

/* How many bytes of text fill at most width columns. */
static size_t bytes_within(const char *text, size_t width)
{
	size_t n = strlen(text), at = 0, used = 0;
	while (at < n) {
		size_t len = gs_utf8_length(text + at, n - at), w = gs_utf8_width(text + at, len ? len : 1);
		if (used + w > width)
			break;
		used += w;
		at += len ? len : 1;
	}
	return at;
}

/* `name (…end/of/the/path.py:3)`: of a frame the middle can be missed. Returns false where text is none or width too small. */
static bool put_frame(FILE *out, const char *text, size_t width)
{
	const char *place = strstr(text, " (");
	size_t n = strlen(text), head = place ? (size_t)(place - text) + 2 : 0;
	if (!place || text[n - 1] != ')' || strstr(text, " ← "))
		return false;
	size_t named = gs_utf8_width(text, head), full = width_of(text), cut = 0;
	if (named + 1 + NARROWEST > width)
		return false;
	const char *tail = text + head;
	while (*tail && full - cut + 1 > width) {
		size_t len = gs_utf8_length(tail, strlen(tail));
		cut += gs_utf8_width(tail, len ? len : 1);
		tail += len ? len : 1;
	}
	fwrite(text, 1, head, out);
	fprintf(out, "…%s", tail);
	pad(out, width - (full - cut + 1));
	return true;
}

/* Writes text in width columns, its end (of a frame, its middle) replaced by an ellipsis where it is longer. */
static void put(FILE *out, const char *text, size_t width, bool right, bool last)
{
	size_t full = width_of(text);
	if (full <= width) {
		if (right)
			pad(out, width - full);
		fputs(text, out);
		if (!right && !last)
			pad(out, width - full);
		return;
	}
	if (!right && put_frame(out, text, width))
		return;
	size_t at = bytes_within(text, width ? width - 1 : 0);
	fwrite(text, 1, at, out);
	fputs("…", out);
	if (!last)
		pad(out, width - gs_utf8_width(text, at) - 1);
}

/* Takes columns from the widest ones of text until the table fits; a whole stack says less than its user_frame, and goes first. */
static void fit(const gs_emitter *e, size_t *width)
{
	size_t n = e->head.ncolumns, total = n ? (n - 1) * GAP : 0;
	for (size_t i = 0; i < n; i++)
		total += width[i];
	for (size_t i = 0; e->head.width > 0 && i < n; i++)
		while (!strcmp(e->head.columns[i].name, "stack") && width[i] > NARROWEST && total > (size_t)e->head.width) {
			width[i]--;
			total--;
		}
	while (e->head.width > 0 && total > (size_t)e->head.width) {
		size_t widest = n;
		for (size_t i = 0; i < n; i++)
			if (!(e->rows && e->right[i]) && width[i] > NARROWEST && (widest == n || width[i] > width[widest]))
				widest = i;
		if (widest == n)
			break;
		width[widest]--;
		total--;
	}
}

/* A table that does not fit even so is written as blocks of `name  value` lines, one a row. */
static bool fits(const gs_emitter *e, const size_t *width)
{
	size_t total = 0;
	for (size_t i = 0; i < e->head.ncolumns; i++)
		total += width[i] + (i ? GAP : 0);
	return e->head.width <= 0 || total <= (size_t)e->head.width;
}

static void write_upright(const gs_emitter *e)
{
	size_t n = e->head.ncolumns, name = 0;
	for (size_t i = 0; i < n; i++)
		if (width_of(e->head.columns[i].name) > name)
			name = width_of(e->head.columns[i].name);
	size_t width = e->head.width > 0 ? (size_t)e->head.width : SIZE_MAX;
	size_t rest = width > name + GAP + NARROWEST ? width - name - GAP : NARROWEST;
	for (size_t r = 0; r < e->rows; r++) {
		if (r)
			fputc('\n', e->out);
		for (size_t i = 0; i < n; i++) {
			put(e->out, e->head.columns[i].name, name, false, false);
			pad(e->out, GAP);
			put(e->out, e->cells[r * n + i], rest, false, true);
			fputc('\n', e->out);
		}
	}
}

/* Sentences go on below, up to MOST_LINES; anything else is cut. */
static bool is_wrapped(const gs_column *column)
{
	static const char *const sentences[] = { "question", "meaning", "description" };
	for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
		if (!strcmp(column->name, sentences[i]))
			return true;
	return false;
}

/* The bytes of text's first line in width columns, whole words where there are any. */
static size_t line_of(const char *text, size_t width)
{
	size_t most = bytes_within(text, width), at = most;
	while (text[most] && at && text[at] != ' ')
		at--;
	return at ? at : most;
}

/* Writes a line of the row and moves its cells on to what is left of them; returns whether anything is. */
static bool write_line(const gs_emitter *e, const size_t *width, const char **cells, bool last)
{
	size_t n = e->head.ncolumns;
	bool more = false;
	for (size_t i = 0; i < n; i++) {
		bool right = e->rows && e->right[i];
		char line[256] = "";
		if (i)
			pad(e->out, GAP);
		if (last || right || !is_wrapped(&e->head.columns[i]) || width_of(cells[i]) <= width[i] || width[i] >= sizeof line / 4) {
			put(e->out, cells[i], width[i], right, i + 1 == n);
			cells[i] = "";
			continue;
		}
		size_t bytes = line_of(cells[i], width[i]);
		memcpy(line, cells[i], bytes);
		put(e->out, line, width[i], false, i + 1 == n);
		cells[i] += bytes + strspn(cells[i] + bytes, " ");
		more |= *cells[i] != 0;
	}
	fputc('\n', e->out);
	return more;
}

static void write_rows(const gs_emitter *e, const size_t *width)
{
	size_t n = e->head.ncolumns;
	const char **cells = calloc(n + 1, sizeof *cells);
	if (!cells) {
		write_upright(e);
		return;
	}
	for (size_t r = 0; r <= e->rows; r++) {
		for (size_t i = 0; i < n; i++)
			cells[i] = r ? e->cells[(r - 1) * n + i] : e->head.columns[i].name;
		for (int line = 1; write_line(e, width, cells, line == MOST_LINES); line++)
			;
	}
	free(cells);
}

static void write_markdown(const gs_emitter *e)
{
	size_t n = e->head.ncolumns;
	for (size_t i = 0; i < n; i++)
		fprintf(e->out, "%s %s ", i ? "|" : "|", e->head.columns[i].name);
	fputs("|\n", e->out);
	for (size_t i = 0; i < n; i++)
		fputs(e->rows && e->right[i] ? "|---:" : "|---", e->out);
	fputs("|\n", e->out);
	for (size_t r = 0; r < e->rows; r++) {
		for (size_t i = 0; i < n; i++)
			fprintf(e->out, "| %s ", e->cells[r * n + i]);
		fputs("|\n", e->out);
	}
}

void gs_emit_table_write(gs_emitter *e)
{
	size_t n = e->head.ncolumns, *width = calloc(n + 1, sizeof *width);
	if (e->format == GS_FORMAT_MARKDOWN || !width) {
		write_markdown(e);
		free(width);
		return;
	}
	for (size_t i = 0; i < n; i++)
		width[i] = width_of(e->head.columns[i].name);
	for (size_t k = 0; k < e->rows * n; k++)
		if (width_of(e->cells[k]) > width[k % n])
			width[k % n] = width_of(e->cells[k]);
	fit(e, width);
	if (!e->rows || (!e->head.upright && fits(e, width)))
		write_rows(e, width);
	else
		write_upright(e);
	free(width);
}

void gs_emit_table_release(gs_emitter *e)
{
	for (size_t k = 0; k < e->rows * e->head.ncolumns && e->cells; k++)
		free(e->cells[k]);
	free(e->cells);
	free(e->right);
}
