/* What the files of the emitter share. Private to them. */
#ifndef GS_ANALYZER_QUERY_EMIT_INTERNAL_H
#define GS_ANALYZER_QUERY_EMIT_INTERNAL_H

#include "analyzer/query/emit.h"

struct gs_emitter {
	FILE *out;
	gs_format format;
	gs_emit_head head;
	char **names; /* of the columns, made unique */
	uint64_t rows, left;
	char **cells; /* a table's, row by row */
	bool *right;  /* by column: numbers only */
	size_t cap;
};

#define GS_TABLE_NONE SIZE_MAX

/* A table as it will be written. */
typedef struct gs_table {
	const gs_emitter *e;
	FILE *out;
	size_t gap; /* columns between columns */
	bool compact, brief;
	bool *hidden; /* by column: told once, above */
	size_t *same; /* by hidden column: which other has the same figures, GS_TABLE_NONE: all its rows
					 are the same */
	size_t *width;   /* by column */
	bool *whole;     /* by column: there is room for its heading on one line */
	size_t *natural; /* by column: what it would take without a limit */
	char **cells;    /* those of a compact table; NULL: the emitter's */
	char date[16];   /* of all times, where the cells leave it out */
} gs_table;

/* The table of all rows added so far, of which nothing fits yet. GS_NO_MEMORY; release in any
 * case. e must outlive it. */
gs_status gs_table_init(gs_table *t, const gs_emitter *e);
void gs_table_release(gs_table *t);

/* Finds the first way of writing it that fits the width; false: none does. */
bool gs_table_fit(gs_table *t);

/* The text of a cell, as compact as the table is written. */
const char *gs_table_cell(const gs_table *t, size_t row, size_t column);

/* A column's heading, and how many bytes of it stand on the line that begins at name. */
const char *gs_table_heading(const gs_table *t, size_t column);
size_t gs_table_heading_line(const gs_table *t, size_t column, const char *name);

/* Columns that text takes on a terminal. */
size_t gs_table_width(const char *text);

/* A table is kept whole, for the widths of its columns, and written at the end. GS_NO_MEMORY. */
gs_status gs_emit_table_add(gs_emitter *e, const gs_value *row);
void gs_emit_table_write(gs_emitter *e);
void gs_emit_table_release(gs_emitter *e);

/* --- emit_cell.c */

/* A text on one line: the lines of a stack are parted by an arrow that points to the caller. */
char *gs_emit_one_line(const gs_value *v);
/* The same for Markdown; takes text. */
char *gs_emit_marked_down(char *text);
/* A value as people read it, in malloc'd memory; NULL: memory is short. */
char *gs_emit_cell(const gs_emitter *e, const gs_value *v, const gs_column *column);

/* --- emit_lines.c */

/* Paths are cut at their beginning. */
bool gs_column_is_path(const gs_column *column);
/* A table that fits in no way is written as blocks of `name  value` lines, one a row. */
void gs_table_write_upright(const gs_emitter *e);
/* The rows under their headings, as t fits. GS_NO_MEMORY: nothing was written. */
gs_status gs_table_write_rows(gs_table *t);

#endif
