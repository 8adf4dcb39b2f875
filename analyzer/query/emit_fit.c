/* How a table is written so that it fits a terminal: one step after the other, until it does. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/query/emit_internal.h"
#include "schema/printable.h"

enum { NARROWEST = 8, READABLE = 26, DATE = 11 }; /* DATE: bytes of "2026-01-31 " */

/* Each step keeps what the one before has taken. */
typedef struct step {
	size_t least; /* columns that a text keeps */
	bool compact; /* narrower gaps, sizes and times; headings on several lines */
	bool brief;   /* shorter headings */
	int hide; /* columns that say the same in every row, or the same as another, are told once: as
				 many of them as must be; 2: all */
} step;

static const step steps[] = {
	{READABLE, false, false, 0},
	{READABLE, true, false, 0},
	{READABLE, true, false, 1},
	{READABLE, true, true, 1},
	{NARROWEST, true, true, 2},
};

static const struct {
	const char *name, *brief;
} headings[] = {
	{"device", "dev"},
	{"allocated", "alloc"},
	{"allocations", "allocs"},
	{"expandable", "exp"},
	{"pending", "pend"},
	{"segments", "segs"},
	{"blocks", "blks"},
	{"requested", "req"},
	{"reserved", "resv"},
	{"stream", "strm"},
};

size_t gs_table_width(const char *text) { return gs_utf8_width(text, strlen(text)); }

static bool is_stack(const gs_column *column) { return !strcmp(column->name, "stack"); }

/* 384.0 MiB as 384.0M, as sizes may be given */
static void compact_size(char *text)
{
	char *blank = strchr(text, ' ');
	if (!blank)
		return;
	memmove(blank, blank + 1, strlen(blank));
	if (strlen(blank) == 3 || !strcmp(text, "0B"))
		blank[strlen(blank) == 3] = 0;
}

static bool same_date(const gs_emitter *e, size_t column)
{
	const char *first = NULL;
	for (size_t r = 0; r < e->rows; r++) {
		const char *text = e->cells[r * e->head.ncolumns + column];
		if (!strcmp(text, "-"))
			continue;
		if (strlen(text) < DATE || (first && strncmp(text, first, DATE)))
			return false;
		first = text;
	}
	return first != NULL;
}

static gs_status compact_cells(gs_table *t)
{
	const gs_emitter *e = t->e;
	size_t n = e->head.ncolumns;
	t->cells = calloc(e->rows * n + 1, sizeof *t->cells);
	if (!t->cells)
		return GS_NO_MEMORY;
	for (size_t k = 0; k < e->rows * n; k++)
		if (!(t->cells[k] = strdup(e->cells[k])))
			return GS_NO_MEMORY;
	for (size_t i = 0; i < n; i++) {
		bool date = e->head.columns[i].unit == GS_UNIT_TIME && same_date(e, i);
		for (size_t r = 0; r < e->rows; r++) {
			char *text = t->cells[r * n + i];
			if (e->head.columns[i].unit == GS_UNIT_BYTES)
				compact_size(text);
			else if (date && strcmp(text, "-")) {
				memcpy(t->date, text, DATE - 1);
				memmove(text, text + DATE, strlen(text + DATE) + 1);
			}
		}
	}
	return GS_OK;
}

/* Column b, or with b as GS_TABLE_NONE its own first row, says what column a does, in every row. */
static bool says_the_same(const gs_table *t, size_t a, size_t b)
{
	for (size_t r = 0; r < t->e->rows; r++)
		if (strcmp(gs_table_cell(t, r, a),
				b == GS_TABLE_NONE ? gs_table_cell(t, 0, a) : gs_table_cell(t, r, b)))
			return false;
	return t->e->rows > 1;
}

/* An earlier column of bytes that is shown and has the same figures. */
static size_t same_as(const gs_table *t, size_t column)
{
	const gs_column *columns = t->e->head.columns;
	bool all_alike = says_the_same(t, column, GS_TABLE_NONE);
	for (size_t i = 0; i < column && columns[column].unit == GS_UNIT_BYTES && !all_alike; i++)
		if (columns[i].unit == GS_UNIT_BYTES && t->same[i] == GS_TABLE_NONE && !t->hidden[i] &&
			says_the_same(t, column, i))
			return i;
	return GS_TABLE_NONE;
}

/* The unknown goes first, then what is no size, then figures that are repeated, then sizes. */
static bool hide_next(gs_table *t)
{
	size_t n = t->e->head.ncolumns;
	for (int round = 0; round < 4; round++)
		for (size_t i = 0; i < n; i++) {
			bool bytes = t->e->head.columns[i].unit == GS_UNIT_BYTES,
				 unknown = t->e->rows && !strcmp(gs_table_cell(t, 0, i), "-");
			if (t->hidden[i] || (round == 0 && !unknown) || (round == 1 && bytes))
				continue;
			if (round == 2)
				t->same[i] = same_as(t, i);
			t->hidden[i] = round == 2 ? t->same[i] != GS_TABLE_NONE
									  : says_the_same(t, i, GS_TABLE_NONE);
			if (t->hidden[i])
				return true;
		}
	return false;
}

const char *gs_table_cell(const gs_table *t, size_t row, size_t column)
{
	char **cells = t->cells ? t->cells : t->e->cells;
	return cells[row * t->e->head.ncolumns + column];
}

const char *gs_table_heading(const gs_table *t, size_t column)
{
	const char *name = t->e->head.columns[column].name;
	for (size_t i = 0; t->brief && i < sizeof headings / sizeof *headings; i++)
		if (!strcmp(name, headings[i].name))
			return headings[i].brief;
	return name;
}

/* largest_free may stand on two lines: bytes of the line that begins at name. */
size_t gs_table_heading_line(const gs_table *t, size_t column, const char *name)
{
	size_t n = strcspn(name, "_");
	return t->compact && !t->whole[column] && name[n] ? n + 1 : strlen(name);
}

static size_t natural_width(const gs_table *t, size_t column)
{
	size_t width = 0;
	for (const char *name = gs_table_heading(t, column); *name;
		 name += gs_table_heading_line(t, column, name)) {
		size_t line = gs_utf8_width(name, gs_table_heading_line(t, column, name));
		width = line > width ? line : width;
	}
	for (size_t r = 0; r < t->e->rows; r++) {
		size_t cell = gs_table_width(gs_table_cell(t, r, column));
		width = cell > width ? cell : width;
	}
	return width;
}

static size_t total(const gs_table *t)
{
	size_t sum = 0, shown = 0;
	for (size_t i = 0; i < t->e->head.ncolumns; i++)
		if (!t->hidden[i]) {
			sum += t->width[i];
			shown++;
		}
	return sum + (shown ? (shown - 1) * t->gap : 0);
}

/* What tells rows apart is not cut while anything else can be. */
static bool is_name(const gs_column *column)
{
	static const char *const names[] = {"job", "host", "verdict"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(column->name, names[i]))
			return true;
	return false;
}

/* What a column may give: of a path the end is what tells rows apart, so it gives last. */
static size_t spare(const gs_table *t, size_t column)
{
	const char *name = t->e->head.columns[column].name;
	bool path = !strcmp(name, "snapshot") || !strcmp(name, "path");
	return path ? t->width[column] / 2 : t->width[column];
}

/* The text that can give most, of names or of what is none; the number of columns: none can. */
static size_t widest_text(const gs_table *t, size_t least, bool names)
{
	const gs_emitter *e = t->e;
	size_t n = e->head.ncolumns, widest = n;
	for (size_t i = 0; i < n; i++)
		if (!t->hidden[i] && !(e->rows && e->right[i]) && t->width[i] > least &&
			is_name(&e->head.columns[i]) == names &&
			(widest == n || spare(t, i) > spare(t, widest)))
			widest = i;
	return widest;
}

static bool has_column(const gs_emitter *e, const char *name)
{
	for (size_t i = 0; i < e->head.ncolumns; i++)
		if (!strcmp(e->head.columns[i].name, name))
			return true;
	return false;
}

/* A whole stack says less than its user_frame, and that less than the place. */
static bool goes_first(const gs_emitter *e, const gs_column *column)
{
	return is_stack(column) || (!strcmp(column->name, "user_frame") && has_column(e, "where"));
}

/* Takes columns from the widest texts; what another column says better goes first, names last of
 * all. */
static void shrink(gs_table *t, size_t least, size_t width)
{
	const gs_emitter *e = t->e;
	size_t n = e->head.ncolumns, over = total(t) > width ? total(t) - width : 0;
	for (size_t i = 0; i < n; i++)
		for (;
			 over && goes_first(e, &e->head.columns[i]) && !t->hidden[i] && t->width[i] > NARROWEST;
			 over--)
			t->width[i]--;
	for (; over; over--) {
		size_t widest = widest_text(t, least, false);
		if (widest == n && least == NARROWEST)
			widest = widest_text(t, least, true);
		if (widest == n)
			return;
		t->width[widest]--;
	}
}

/* A sentence that every row would repeat is told once, whatever the width. */
static void hide_common_notes(gs_table *t)
{
	for (size_t i = 0; i < t->e->head.ncolumns; i++)
		t->hidden[i] |= !strcmp(t->e->head.columns[i].name, "note") &&
			says_the_same(t, i, GS_TABLE_NONE) && strcmp(gs_table_cell(t, 0, i), "-") != 0;
}

static bool try(gs_table *t, const step *s)
{
	size_t n = t->e->head.ncolumns,
		   width = t->e->head.width > 0 ? (size_t)t->e->head.width : SIZE_MAX;
	if (s->compact && !t->cells && compact_cells(t))
		return false;
	t->compact = s->compact;
	t->brief = s->brief;
	t->gap = s->compact ? 1 : 2;
	for (size_t i = 0; i < n; i++) {
		t->hidden[i] = t->whole[i] = false;
		t->same[i] = GS_TABLE_NONE;
		t->natural[i] = natural_width(t, i);
	}
	hide_common_notes(t);
	while (s->hide == 2 && hide_next(t))
		;
	do {
		memcpy(t->width, t->natural, n * sizeof *t->width);
		shrink(t, s->least, width);
	} while (total(t) > width && s->hide && hide_next(t));
	return total(t) <= width;
}

/* Headings that would stand on several lines stand on one where that costs nothing. */
static void use_room(gs_table *t)
{
	size_t most = t->e->head.width > 0 ? (size_t)t->e->head.width : SIZE_MAX;
	for (size_t i = 0; i < t->e->head.ncolumns && t->compact; i++) {
		size_t heading = gs_table_width(gs_table_heading(t, i)), was = t->width[i];
		if (t->hidden[i])
			continue;
		t->width[i] = heading > was ? heading : was;
		t->whole[i] = total(t) <= most;
		if (!t->whole[i])
			t->width[i] = was;
	}
}

bool gs_table_fit(gs_table *t)
{
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		if (try(t, &steps[i])) {
			use_room(t);
			return true;
		}
	return false;
}

gs_status gs_table_init(gs_table *t, const gs_emitter *e)
{
	*t = (gs_table){.e = e, .gap = 2};
	t->width = calloc(e->head.ncolumns + 1, sizeof *t->width);
	t->natural = calloc(e->head.ncolumns + 1, sizeof *t->natural);
	t->whole = calloc(e->head.ncolumns + 1, sizeof *t->whole);
	t->hidden = calloc(e->head.ncolumns + 1, sizeof *t->hidden);
	t->same = calloc(e->head.ncolumns + 1, sizeof *t->same);
	return t->width && t->natural && t->whole && t->hidden && t->same ? GS_OK : GS_NO_MEMORY;
}

void gs_table_release(gs_table *t)
{
	for (size_t k = 0; t->cells && k < t->e->rows * t->e->head.ncolumns; k++)
		free(t->cells[k]);
	free(t->cells);
	free(t->width);
	free(t->natural);
	free(t->whole);
	free(t->hidden);
	free(t->same);
}
