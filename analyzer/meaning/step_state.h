/* States by step: "step 10" is its end, "step 10 peak" the moment when most was allocated in it. */
#ifndef GS_ANALYZER_MEANING_STEP_STATE_H
#define GS_ANALYZER_MEANING_STEP_STATE_H

#include "analyzer/meaning/meaning.h"
#include "analyzer/meaning/step_selector.h"
#include "analyzer/state/moments.h"

/* As gs_state_find, for these selectors too. h and m may be NULL: then what is needed is made for
 * the call. GS_NOT_FOUND: no such step; err tells which there are. */
gs_status gs_meaning_state_find(const gs_snapshot *s, const gs_device *d, const gs_history *h,
	const gs_meaning *m, const char *selector, gs_state *state, gs_error *err);

/* As gs_moments_select, for these selectors too. */
gs_status gs_meaning_moments_select(
	const gs_snapshot *s, int64_t device, const char *selector, gs_moments *moments, gs_error *err);

#endif
