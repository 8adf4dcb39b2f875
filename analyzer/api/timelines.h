/* The timelines of a handle's devices: made when first asked for, kept until the handle is closed.
 */
#ifndef GS_ANALYZER_API_TIMELINES_H
#define GS_ANALYZER_API_TIMELINES_H

#include "analyzer/api/handle.h"
#include "analyzer/api/options.h"
#include "analyzer/timeline/timeline.h"

typedef struct gs_api_timeline {
	gs_timeline timeline;
	bool made;
} gs_api_timeline;

/* Of the device in option `device`, else of the first that has events, else of the first. Borrowed.
 * GS_NOT_FOUND; errors as of gs_timeline_init. */
gs_status gs_api_timeline_of(
	gpusnap_snapshot *s, const gs_api_options *o, const gs_timeline **t, gs_error *err);
/* Of the device at that place in the snapshot's. */
gs_status gs_api_timeline_at(
	gpusnap_snapshot *s, size_t device, const gs_timeline **t, gs_error *err);
/* What every question about the handle's devices shares. GS_NO_MEMORY. */
gs_status gs_api_recordings(gpusnap_snapshot *s, gs_recordings *all, gs_error *err);
/* Gives both back. */
void gs_api_timelines_release(gpusnap_snapshot *s);

/* A number in an option, below 0 too. */
gs_status gs_api_option_idx(
	const gs_api_options *o, const char *name, int64_t *value, gs_error *err);

/* The moment in the options idx or state; neither: the default state. *idx gets the event, GS_NONE
 * as captured. GS_NOT_FOUND: no such event, no such state. */
gs_status gs_api_option_moment(
	const gs_api_options *o, const gs_timeline *t, int64_t *idx, gs_error *err);

/* The layout of such a moment. */
gs_status gs_api_layout_at(const gs_timeline *t, int64_t idx, gs_layout *out, gs_error *err);

#endif
