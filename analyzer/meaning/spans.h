/* Steps as the program's annotations tell them: spans of time. */
#ifndef GS_ANALYZER_MEANING_SPANS_H
#define GS_ANALYZER_MEANING_SPANS_H

#include "analyzer/model/snapshot.h"

typedef struct gs_step_span {
	int64_t number, from, to; /* microseconds; to GS_NONE: open */
	gs_id name;
} gs_step_span;

/* The spans, by time; all has room for each annotation. Attempts, in this order: torch.profiler's
 * of the device, torch.profiler's, others of the device, others; the first that finds events is
 * right. */
enum { GS_STEP_SPAN_TRIES = 4 };
size_t gs_step_spans(const gs_snapshot *s, int32_t device, int attempt, gs_step_span *all);

/* The first microsecond behind span k: behind its end, or where the next begins. */
int64_t gs_step_span_end(const gs_step_span *all, size_t n, size_t k);

#endif
