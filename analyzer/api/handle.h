/* A handle of the interface (gpusnap_analyzer.h), as its files see it. */
#ifndef GS_ANALYZER_API_HANDLE_H
#define GS_ANALYZER_API_HANDLE_H

#include <stdio.h>

#include "analyzer/api/gpusnap_analyzer.h"
#include "analyzer/meaning/recording.h"

struct gpusnap_snapshot {
	gs_snapshot snapshot;
	bool read;                         /* whether snapshot holds one */
	char cut[160];                     /* the warning of a cut file; empty: it is whole */
	gs_recording *recordings;          /* by device, made when first asked of; NULL at first */
	struct gs_api_timeline *timelines; /* likewise */
	gs_error error;
};

/* gpusnap_snapshot_open_stream of what is wanted alone (gs_want). */
int gs_api_open_stream(gpusnap_snapshot *s, gpusnap_read *read, void *context, uint64_t size,
	const char *name, unsigned want);

/* Ends a call: remembers the error's text, and gives the interface's number for a status. */
int gs_api_end(gpusnap_snapshot *s, gs_status status, const gs_error *err);

/* GPUSNAP_USAGE where nothing has been read into the handle; begins a call: no error. */
int gs_api_begin(gpusnap_snapshot *s, char **out, size_t *n);

/* An answer under construction: a stream into memory. Finish gives the text away or, where status
 * is not GS_OK, frees it. GS_NO_MEMORY. */
typedef struct gs_api_answer {
	FILE *stream;
	char *text;
	size_t n;
} gs_api_answer;
gs_status gs_api_answer_open(gs_api_answer *a, gs_error *err);
gs_status gs_api_answer_finish(
	gs_api_answer *a, gs_status status, char **out, size_t *n, gs_error *err);

#endif
