/* Assertions: what must hold of a device's figures (schema/sql/query/figures.sql), written as an
 * expression of SQL in which names are figures, SIZE words are numbers, and so are shares (50%,
 * 20% of capacity). No state, thread-safe. */
#ifndef GS_ANALYZER_QUERY_ASSERTION_H
#define GS_ANALYZER_QUERY_ASSERTION_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/query/emit.h"

typedef struct gs_figure {
	const char *name;
	gs_unit unit;
	const char *meaning;
} gs_figure;

/* In the order of the query's columns behind snapshot_id and device. */
extern const gs_figure gs_figures[];
extern const size_t gs_nfigures;

enum { GS_ASSERTION_SQL = 4000 };

typedef struct gs_assertion {
	const char *text;           /* as typed, borrowed */
	char sql[GS_ASSERTION_SQL]; /* the expression over columns NAME and base_NAME */
	int told;                   /* the first figure in it, whose value explains it; -1 none */
	bool base;                  /* it names a figure of the base */
} gs_assertion;

/* GS_NOT_FOUND: a name that is no figure (err quotes it); GS_INVALID: empty, too long, or a number
 * or sign that nothing is meant by. */
gs_status gs_assertion_parse(const char *text, gs_assertion *a, gs_error *err);

#endif
