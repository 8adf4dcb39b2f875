/* Results as a table, TSV, CSV, JSON, JSON lines or Markdown: columns are described once, rows
 * follow. Not thread-safe. */
#ifndef GS_ANALYZER_QUERY_EMIT_H
#define GS_ANALYZER_QUERY_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "schema/status.h"

typedef enum gs_format {
	GS_FORMAT_AUTO,
	GS_FORMAT_TABLE,
	GS_FORMAT_TSV,
	GS_FORMAT_CSV,
	GS_FORMAT_JSON,
	GS_FORMAT_JSONL,
	GS_FORMAT_MARKDOWN
} gs_format;

/* What a column's numbers mean; only the forms for people (table, Markdown) and JSON's booleans
 * depend on it. */
typedef enum gs_unit {
	GS_UNIT_NONE,
	GS_UNIT_BYTES,   /* table: 384.0 MiB */
	GS_UNIT_ADDRESS, /* table: hexadecimal */
	GS_UNIT_TIME,    /* microseconds since 1970 UTC; table: 2026-01-31 12:00:00.123456 */
	GS_UNIT_BOOLEAN  /* 0/1; JSON: false/true, table: no/yes */
} gs_unit;

typedef struct gs_column {
	const char *name;
	gs_unit unit;
} gs_column;

typedef struct gs_value {
	enum { GS_VALUE_NULL, GS_VALUE_INT, GS_VALUE_REAL, GS_VALUE_TEXT } type;
	int64_t integer;
	double real;
	const char *text; /* n bytes, need not be terminated, nor UTF-8 */
	size_t n;
} gs_value;

/* A text or NULL; a number or, for INT64_MIN (GS_NONE), NULL. */
gs_value gs_value_text(const char *text);
gs_value gs_value_int(int64_t n);

/* What stands round the rows. Everything is borrowed until gs_emit_close. */
typedef struct gs_emit_head {
	const char *query; /* its name, or the SQL */
	const char *state; /* NULL: none, or the devices differ */
	bool complete;
	const gs_column *columns;
	size_t ncolumns;
	uint64_t limit; /* rows to show at most, 0 all; the rest is counted */
	int width;      /* table: columns of the terminal, 0 unlimited */
	bool upright;   /* table: a line a column, rows below each other */
	/* A sentence that introduces the rows, NULL none: above a table (wrapped to width) and above
	 * Markdown, `summary` in JSON; the other forms have rows only. */
	const char *summary;
} gs_emit_head;

typedef struct gs_emitter gs_emitter;

/* Begins. Two columns of one name: JSON calls the second NAME_2, and so on. */
gs_status gs_emit_open(
	FILE *out, gs_format format, const gs_emit_head *head, gs_emitter **emitter, gs_error *err);

/* One row of head->ncolumns values. GS_END: the limit is reached and the row was only counted (the
 * caller may stop). */
gs_status gs_emit_row(gs_emitter *emitter, const gs_value *row, gs_error *err);

/* Ends (a table is written now: its widths depend on all rows). cut: write nothing more, something
 * failed. left gets the rows that were counted only. Frees the emitter. Write errors are the
 * stream's (ferror). */
void gs_emit_close(gs_emitter *emitter, bool cut, uint64_t *left);

#endif
