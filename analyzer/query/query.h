/* Questions: named queries (schema/sql/query) and SQL, and their answers through an emitter. */
#ifndef GS_ANALYZER_QUERY_QUERY_H
#define GS_ANALYZER_QUERY_QUERY_H

#include "analyzer/query/emit.h"
#include "analyzer/query/session.h"

typedef struct gs_query {
	char name[48];      /* in words: "largest free block" */
	const char *sql;    /* the file's text */
	const char *metric; /* of health alone, or NULL */
	const char *table;  /* of .schema alone: the one asked about (borrowed from what was typed) */
	char description[160]; /* the file's first comment */
} gs_query;

/* The named queries in order: fills *q and returns true for number 0, 1, … */
bool gs_query_at(size_t number, gs_query *q);

/* Whether text begins as SQL does: SELECT, WITH, VALUES, EXPLAIN or PRAGMA, after blanks and
 * comments. */
bool gs_query_is_sql(const char *text);

/* The tables and views that SQL is meant to ask, in words "block, event, …"; what only carries them
 * inside is left out. Returns text. */
const char *gs_query_tables(char *text, size_t cap);

/* `.tables`, `.schema` and `.schema TABLE`, as SQLite's own shell has them. GS_NOT_FOUND: another
 * word with a dot, or no such table. q->table points into typed. */
gs_status gs_query_find_dot(const char *typed, gs_query *q, gs_error *err);

/* The query of that name: case, blanks, - and _ do not matter, an exact name beats a beginning, a
 * beginning must be of one name only. GS_NOT_FOUND: err lists the nearest names. */
gs_status gs_query_find(const char *typed, gs_query *q, gs_error *err);

typedef struct gs_query_options {
	const gs_query *named; /* or NULL: */
	const char *sql;
	const char *by; /* top stacks: stack, function, file, module; NULL stack */
	double seconds; /* limit of time, 0 none */
	gs_format format;
	uint64_t limit; /* rows, 0 all */
	int width;      /* of the terminal */
} gs_query_options;

/* Answers into out; left gets the rows beyond the limit, rows (may be NULL) those written.
 * GS_TIMEOUT: it took too long. On failure out may hold a part. */
gs_status gs_query_answer(gs_session *session, const gs_query_options *options, FILE *out,
	uint64_t *left, uint64_t *rows, gs_error *err);

#endif
