/* Stacks whose live bytes outgrow the steps: a leak, or a cache without a limit. */
#ifndef GS_ANALYZER_MEANING_GROWTH_H
#define GS_ANALYZER_MEANING_GROWTH_H

#include "analyzer/state/state.h"

struct gs_meaning;

/* What survives step after step while the total grows, or is replaced by more and more blocks;
 * three steps at least. Without steps: a stack whose live bytes rose in each third of the recording
 * and at its end while the total rose, and which keeps one block after another each time that the
 * program comes round (laps.h; estimated). Never
 * what one forward pass keeps for its backward, what an optimizer makes in its first step, or
 * copies that replace older ones. Where nothing is left of it, for the program gave most of its
 * memory back at its end, what grew until then (given_back). Sorted by bytes. until: event up to
 * which to look (GS_NONE: all).
 */
typedef struct gs_growth {
	gs_id stack;
	uint64_t blocks, bytes;      /* live then, of those allocated in the trace */
	int64_t first_idx, last_idx; /* of the allocations that are live */
	uint64_t each_step;          /* bytes more a step, on average (estimated: in the last third) */
	size_t steps, of_steps;      /* in which it grew, of how many from the first to the last */
	bool estimated;
	bool given_back; /* it all came back at the end: the figures are those from before */
} gs_growth;
gs_status gs_meaning_growth(const struct gs_meaning *m, int64_t until, gs_growth **rows, size_t *n);

#endif
