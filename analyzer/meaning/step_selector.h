/* What "step 10" and "step 10 peak" mean. */
#ifndef GS_ANALYZER_MEANING_STEP_SELECTOR_H
#define GS_ANALYZER_MEANING_STEP_SELECTOR_H

#include "analyzer/meaning/meaning.h"

/* Whether a selector names a step: then number and peak are filled. */
bool gs_step_selector(const char *selector, int64_t *number, bool *peak);

/* GS_NOT_FOUND, for a step that is none of n. */
gs_status gs_step_none(
	int32_t device, const gs_phase_step *steps, size_t n, int64_t number, gs_error *err);

#endif
