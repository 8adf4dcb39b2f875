/* What two moments differ in, as rows and a sentence through an emitter: `gpusnap diff`. */
#ifndef GS_ANALYZER_API_DIFF_ROWS_H
#define GS_ANALYZER_API_DIFF_ROWS_H

#include "analyzer/export/diff.h"
#include "analyzer/meaning/recording.h"
#include "analyzer/query/emit.h"

typedef struct gs_diff_side_options {
	const gs_snapshot *snapshot;
	const char *state;        /* selector, NULL the default */
	gs_recordings recordings; /* of it, that the caller keeps */
} gs_diff_side_options;

typedef struct gs_diff_options {
	gs_diff_side_options a, b; /* may be of one snapshot */
	int64_t device;            /* GS_NONE: all */
} gs_diff_options;

/* Compares. *culprit gets the snapshot that an error is about. Errors as of gs_moments_select.
 * Release d in any case. */
gs_status gs_diff_moments(
	const gs_diff_options *options, gs_diff *d, const gs_snapshot **culprit, gs_error *err);

/* head's query, columns, ncolumns and summary are set here; the rest is the caller's. left as
 * gs_emit_close's. */
gs_status gs_diff_emit(const gs_diff *d, gs_format format, const gs_emit_head *head, FILE *out,
	uint64_t *left, gs_error *err);

#endif
