/* The frame of a call that answers in a text: every such function of the interface runs in it. */
#ifndef GS_ANALYZER_API_CALL_H
#define GS_ANALYZER_API_CALL_H

#include "analyzer/api/handle.h"
#include "analyzer/api/options.h"

/* Writes the answer; o: the options given. What it has written is thrown away where it fails. */
typedef gs_status gs_api_work(
	gpusnap_snapshot *s, const gs_api_options *o, void *context, FILE *out, gs_error *err);

/* Begins the call, reads the options (names: those there are, ended by NULL), lets work answer, and
 * ends the call: the interface's number, with *out and *n set or the handle's error. */
int gs_api_answer_call(gpusnap_snapshot *s, const char *options, const char *const *names,
	gs_api_work *work, void *context, char **out, size_t *n);

#endif
