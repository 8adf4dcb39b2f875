/* Stacks that ask for many sizes.
 *
 * Rows come best first. A stack of 0 stands for blocks whose stack is unknown. Arrays are malloc'd
 * and the caller's to free(); *n is 0 and *rows NULL-or-empty where there is nothing. GS_OK or
 * GS_NO_MEMORY. */
#ifndef GS_ANALYZER_MEANING_VARYING_SIZES_H
#define GS_ANALYZER_MEANING_VARYING_SIZES_H

#include "analyzer/model/snapshot.h"

/* A stack that asks for more than one size. Sorted by sizes, then requests. */
typedef struct gs_varying {
	gs_id stack;
	uint64_t requests, sizes; /* sizes: different ones */
	uint64_t min, max;
} gs_varying;
gs_status gs_blame_varying(const gs_snapshot *s, const gs_device *d, gs_varying **rows, size_t *n);

#endif
