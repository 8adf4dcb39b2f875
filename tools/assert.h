/* What the files of `gpusnap assert` share: the assertions, the question in SQL, and which of them
 * are not true of which device. Private to them. */
#ifndef GS_TOOLS_ASSERT_H
#define GS_TOOLS_ASSERT_H

#include "analyzer/query/assertion.h"
#include "analyzer/query/query.h"
#include "analyzer/query/untold.h"
#include "tools/options.h"

enum { GS_ASSERT_MOST = 64, GS_ASSERT_SQL = 512 * 1024, GS_ASSERT_SENTENCE = 400 };

typedef struct gs_assert_options {
	gs_common common;
	bool list;
	const char *base, *rules_file;
	gs_category_rules *rules;
	gs_assertion *all;
	size_t n;
	const char *files[GS_ASSERT_MOST];
	size_t nfiles;
} gs_assert_options;

/* An assertion that is not true of a device. */
typedef struct gs_broken {
	int64_t rank, device;
	char *snapshot;
	const gs_assertion *assertion;
	bool unknown;
	gs_value value;
	char why[GS_UNTOLD]; /* the figure is not known; "": no reason is told */
	char says[GS_ASSERT_SENTENCE];
} gs_broken;

typedef struct gs_assert_outcome {
	gs_broken *all;
	size_t n, cap, devices;
	bool complete;
	char state[48];
} gs_assert_outcome;

/* Writes the question into text, GS_ASSERT_SQL bytes: SELECT snapshot_id, device, (expression), its
 * figure, … FROM figures. Where the base cannot be read, *failed (to be freed) is its path.
 * GS_LIMIT: too long. */
gs_status gs_assert_write(const gs_assert_options *o, char *text, char **failed, gs_error *err);

/* Asks it of the session, and keeps what is not true. GS_INVALID: an expression that SQL does not
 * take. */
gs_status gs_assert_ask(const gs_assert_options *o, gs_session *session, const char *sql,
	gs_assert_outcome *out, gs_error *err);

/* Fills b->says: "peak_reserved is 1000 MiB". */
void gs_assert_say(gs_broken *b);

/* Prints the outcome in the form asked for; the exit code. */
int gs_assert_print(const gs_assert_options *o, const gs_assert_outcome *out);

#endif
