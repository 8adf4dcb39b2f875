/* The frames of calls that answer in a text, and in columns: every such function of the interface
 * runs in one of them. */
#ifndef GS_ANALYZER_API_CALL_H
#define GS_ANALYZER_API_CALL_H

#include "analyzer/api/handle.h"
#include "analyzer/api/options.h"
#include "analyzer/api/timelines.h"

/* Writes the answer; o: the options given. What it has written is thrown away where it fails. */
typedef gs_status gs_api_work(
	gpusnap_snapshot *s, const gs_api_options *o, void *context, FILE *out, gs_error *err);

/* Begins the call, reads the options (names: those there are, ended by NULL), lets work answer, and
 * ends the call: the interface's number, with *out and *n set or the handle's error. */
int gs_api_answer_call(gpusnap_snapshot *s, const char *options, const char *const *names,
	gs_api_work *work, void *context, char **out, size_t *n);

/* Fills the columns from the timeline of the device that was asked for; o: the options given. */
typedef gs_status gs_api_fill(gpusnap_snapshot *s, const gs_timeline *t, const gs_api_options *o,
	void *columns, gs_error *err);

/* The same for an answer in columns, of which there are `size` bytes: they are zeroed first, so
 * that the caller may free them whenever the number that comes back is not 0. */
int gs_api_columns_call(gpusnap_snapshot *s, const char *options, const char *const *names,
	void *columns, size_t size, gs_api_fill *fill);

#endif
