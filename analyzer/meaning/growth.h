/* Stacks whose live bytes only grow.
 *
 * Rows come best first. A stack of 0 stands for blocks whose stack is unknown. Arrays are malloc'd
 * and the caller's to free(); *n is 0 and *rows NULL-or-empty where there is nothing. GS_OK or
 * GS_NO_MEMORY. */
#ifndef GS_ANALYZER_GROWTH_H
#define GS_ANALYZER_GROWTH_H

#include "analyzer/state/state.h"

/* A stack whose live bytes only grow: at least three allocations, the least live bytes of each
 * sixteenth of the trace never fall, rise in three of them and in the last quarter too. Sorted by
 * bytes. until: event up to which to look (GS_NONE: all). */
typedef struct gs_growth {
	gs_id stack;
	uint64_t blocks, bytes; /* live now, of those allocated in the trace */
	int64_t first_idx, last_idx;
	double slope;      /* bytes an event, from the first allocation on */
	double confidence; /* share of the sixteenths since its first allocation in which it rose, 0 to
						  1 */
} gs_growth;
gs_status gs_blame_growth(const gs_history *h, int64_t until, gs_growth **rows, size_t *n);

#endif
