/* Tables for a terminal: as wide as their content, wrapped and cut to its width. */
#include "analyzer/query/emit_internal.h"

#include <stdlib.h>
#include <string.h>

#include "schema/printable.h"

enum { GAP = 2, NARROWEST = 8, MOST_LINES = 4 };

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

/* `name (…end/of/the/path.py:3)`: of a frame the middle can be missed. Returns false where text is
 * none or width too small. */
static bool put_frame(FILE *out, const char *text, size_t width)
{
	const char *place = strstr(text, " (");
	size_t n = strlen(text), head = place ? (size_t)(place - text) + 2 : 0;
	if (!place || text[n - 1] != ')' || strstr(text, " ← ") || !strchr(place, ':'))
		return false; /* `MulBackward0 (backward pass)` is no place */
	size_t named = gs_utf8_width(text, head), full = gs_table_width(text), cut = 0;
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

bool gs_column_is_path(const gs_column *column)
{
	return !strcmp(column->name, "snapshot") || !strcmp(column->name, "path");
}

/* …the/end/of/a/path */
static void put_end(FILE *out, const char *text, size_t width, bool last)
{
	size_t full = gs_table_width(text);
	while (*text && full + 1 > width) {
		size_t len = gs_utf8_length(text, strlen(text));
		full -= gs_utf8_width(text, len ? len : 1);
		text += len ? len : 1;
	}
	fprintf(out, "…%s", text);
	if (!last)
		pad(out, width - full - 1);
}

/* Writes text in width columns, its end (of a frame its middle, of a path its beginning) replaced
 * by an ellipsis where it is longer. */
static void put_cell(FILE *out, const char *text, size_t width, bool right, bool last, bool path)
{
	size_t full = gs_table_width(text);
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
	if (path && width) {
		put_end(out, text, width, last);
		return;
	}
	size_t at = bytes_within(text, width ? width - 1 : 0);
	fwrite(text, 1, at, out);
	fputs("…", out);
	if (!last)
		pad(out, width - gs_utf8_width(text, at) - 1);
}

void gs_table_write_upright(const gs_emitter *e)
{
	size_t n = e->head.ncolumns, name = 0;
	for (size_t i = 0; i < n; i++)
		if (gs_table_width(e->head.columns[i].name) > name)
			name = gs_table_width(e->head.columns[i].name);
	size_t width = e->head.width > 0 ? (size_t)e->head.width : SIZE_MAX;
	size_t rest = width > name + GAP + NARROWEST ? width - name - GAP : NARROWEST;
	for (size_t r = 0; r < e->rows; r++) {
		if (r)
			fputc('\n', e->out);
		for (size_t i = 0; i < n; i++) {
			put_cell(e->out, e->head.columns[i].name, name, false, false, false);
			pad(e->out, GAP);
			put_cell(e->out, e->cells[r * n + i], rest, false, true,
				gs_column_is_path(&e->head.columns[i]));
			fputc('\n', e->out);
		}
	}
}

/* Sentences go on below, up to MOST_LINES; anything else is cut. */
static bool is_wrapped(const gs_column *column)
{
	static const char *const sentences[] = {
		"question", "meaning", "description", "conf", "note", "unlike"};
	for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
		if (!strcmp(column->name, sentences[i]))
			return true;
	return false;
}

/* Bytes of text, at most `most`, that end behind one of these marks; 0: there is none. */
static size_t ends_behind(const char *text, size_t most, const char *marks)
{
	while (most && !strchr(marks, text[most - 1]))
		most--;
	return most;
}

/* The bytes of text's first line in width columns: whole words where there are any, else whole
 * settings, else a setting parted behind its colon, else a name at its underscore. */
static size_t line_of(const char *text, size_t width)
{
	static const char *const marks[] = {" ,", ":", "_"};
	size_t most = bytes_within(text, width);
	if (!text[most] || text[most] == ' ')
		return most;
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (ends_behind(text, most, marks[i]))
			return ends_behind(text, most, marks[i]);
	return most;
}

/* A stack that has no room begins at the user's frame: what lies inside it says less. */
static void begin_at_user(const gs_table *t, const char **cells)
{
	const gs_column *columns = t->e->head.columns;
	size_t stack = SIZE_MAX, user = SIZE_MAX;
	for (size_t i = 0; i < t->e->head.ncolumns; i++) {
		stack = strcmp(columns[i].name, "stack") ? stack : i;
		user = strcmp(columns[i].name, "user_frame") ? user : i;
	}
	if (stack == SIZE_MAX || user == SIZE_MAX || t->hidden[stack] ||
		gs_table_width(cells[stack]) <= t->width[stack])
		return;
	const char *frame = *cells[user] ? strstr(cells[stack], cells[user]) : NULL;
	if (frame && frame > cells[stack])
		cells[stack] = frame;
}

/* Writes a line of the row and moves its cells on to what is left of them; returns whether anything
 * is. */
static bool write_line(const gs_table *t, const char **cells, bool last)
{
	const gs_emitter *e = t->e;
	size_t n = e->head.ncolumns, end = n;
	bool more = false, first = true;
	while (end && t->hidden[end - 1])
		end--;
	for (size_t i = 0; i < end; i++) {
		bool right = e->rows && e->right[i];
		char line[256] = "";
		if (t->hidden[i])
			continue;
		if (!first)
			pad(t->out, t->gap);
		first = false;
		if (last || right || !is_wrapped(&e->head.columns[i]) ||
			gs_table_width(cells[i]) <= t->width[i] || t->width[i] >= sizeof line / 4) {
			put_cell(t->out, cells[i], t->width[i], right, i + 1 == end,
				gs_column_is_path(&e->head.columns[i]));
			cells[i] = "";
			continue;
		}
		size_t bytes = line_of(cells[i], t->width[i]);
		memcpy(line, cells[i], bytes);
		put_cell(t->out, line, t->width[i], false, i + 1 == end, false);
		cells[i] += bytes + strspn(cells[i] + bytes, " ");
		more |= *cells[i] != 0;
	}
	fputc('\n', t->out);
	return more;
}

static size_t heading_lines(const gs_table *t, size_t column)
{
	size_t lines = 0;
	for (const char *name = gs_table_heading(t, column); *name;
		 name += gs_table_heading_line(t, column, name))
		lines++;
	return lines;
}

/* The headings stand on the last of as many lines as the longest needs. */
static void write_headings(const gs_table *t)
{
	const gs_emitter *e = t->e;
	size_t n = e->head.ncolumns, lines = 1, end = n;
	for (size_t i = 0; i < n; i++)
		if (!t->hidden[i] && heading_lines(t, i) > lines)
			lines = heading_lines(t, i);
	while (end && t->hidden[end - 1])
		end--;
	for (size_t line = lines; line-- > 0;) {
		bool first = true;
		for (size_t i = 0; i < end; i++) {
			const char *name = gs_table_heading(t, i);
			char text[128];
			if (t->hidden[i])
				continue;
			if (!first)
				pad(t->out, t->gap);
			first = false;
			for (size_t skip = heading_lines(t, i); skip > line + 1; skip--)
				name += gs_table_heading_line(t, i, name);
			bool blank = heading_lines(t, i) <= line;
			snprintf(text, sizeof text, "%.*s", blank ? 0 : (int)gs_table_heading_line(t, i, name),
				name);
			put_cell(t->out, text, t->width[i], e->rows && e->right[i], i + 1 == end, false);
		}
		fputc('\n', t->out);
	}
}

/* What every row says: "in every row: device 0, pool large" */
static void write_common(const gs_table *t)
{
	const gs_emitter *e = t->e;
	size_t at = 0, width = e->head.width > 0 ? (size_t)e->head.width : SIZE_MAX;
	if (!e->rows)
		return;
	for (size_t i = 0; i <= e->head.ncolumns; i++) {
		bool date = i == e->head.ncolumns;
		bool same = !date && t->same[i] != GS_TABLE_NONE;
		const char *name = date ? "date" : e->head.columns[i].name;
		if (date ? !t->compact || !t->date[0] : !t->hidden[i]) /* without rows none is hidden */
			continue;
		const char *text = date ? t->date
			: same              ? e->head.columns[t->same[i]].name
								: gs_table_cell(t, 0, i);
		if (!date && !strcmp(gs_table_cell(t, 0, i), "-"))
			continue; /* what is known of no row */
		size_t room = strlen(name) + (same ? 3 : 1) + gs_table_width(text);
		if (at && at + 2 + room > width) {
			fputs(",\n", t->out);
			at = 0;
		} else
			at += (size_t)fprintf(t->out, "%s", at ? ", " : "in every row: ");
		fputs(name, t->out);
		fputs(same ? " = " : " ", t->out);
		put_cell(t->out, text, width - strlen(name) - 2, false, true, false);
		at += room;
	}
	if (at)
		fputs("\n\n", t->out);
}

/* Lines of a table go through memory, so that none ends in blanks. */
static void copy_trimmed(FILE *out, const char *text, size_t n)
{
	for (const char *line = text, *end; line < text + n; line = end + 1) {
		end = memchr(line, '\n', (size_t)(text + n - line));
		if (!end)
			end = text + n;
		size_t length = (size_t)(end - line);
		while (length && line[length - 1] == ' ')
			length--;
		fwrite(line, 1, length, out);
		fputc('\n', out);
	}
}

gs_status gs_table_write_rows(gs_table *t)
{
	size_t n = t->e->head.ncolumns, length = 0;
	char *text = NULL;
	const char **cells = calloc(n + 1, sizeof *cells);
	if (!cells || !(t->out = open_memstream(&text, &length))) {
		free(cells);
		return GS_NO_MEMORY;
	}
	write_common(t);
	write_headings(t);
	for (size_t r = 0; r < t->e->rows; r++) {
		for (size_t i = 0; i < n; i++)
			cells[i] = gs_table_cell(t, r, i);
		begin_at_user(t, cells);
		for (int line = 1; write_line(t, cells, line == MOST_LINES); line++)
			;
	}
	free(cells);
	gs_status status = ferror(t->out) | fclose(t->out) ? GS_NO_MEMORY : GS_OK;
	if (!status)
		copy_trimmed(t->e->out, text, length);
	free(text);
	return status;
}
