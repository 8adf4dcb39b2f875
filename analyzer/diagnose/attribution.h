/* Who is to blame: computed once here, shown by `diagnose` and by the named queries `pinning
 * stacks` and `cheapest eviction` alike.
 *
 * "Live" is allocated or pending. Rows come best first. A stack of 0 stands for blocks whose stack
 * is unknown. Arrays are malloc'd and the caller's to free(); *n is 0 and *rows NULL-or-empty where
 * there is nothing. Functions return GS_OK or GS_NO_MEMORY. */
#ifndef GS_ANALYZER_DIAGNOSE_ATTRIBUTION_H
#define GS_ANALYZER_DIAGNOSE_ATTRIBUTION_H

#include "analyzer/policy/policy.h"
#include "analyzer/state/state.h"

/* A stack with live blocks in segments of which free memory cannot go back to the driver. Sorted by
 * free_pinned, then bytes. */
typedef struct gs_pinning {
	gs_id stack;
	uint64_t blocks, bytes; /* its live blocks in such segments */
	uint64_t segments;
	uint64_t free_pinned; /* free bytes in those segments that stay: free - free_whole */
	uint64_t sets_free;   /* bytes of the segments that would be wholly free if this stack's blocks
							 were released */
} gs_pinning;
gs_status gs_blame_pinning(const gs_snapshot *s, const gs_layout *l, gs_pinning **rows, size_t *n);

/* What to evict so that the request fits. A row is a segment's run of neighbouring blocks with the
 * fewest live bytes (then blocks; then the lowest address) of those that hold the request; if no
 * segment of the request's pool id, class and stream is as large, one row without segment: whole
 * segments, in order of live/size, until the driver's free bytes and theirs make up what is asked
 * of it. */
typedef struct gs_eviction {
	size_t segment;         /* index in the layout; SIZE_MAX: several */
	uint64_t address, size; /* of the run; 0 and the segments' sum for several */
	uint64_t live_bytes, live_blocks;
	bool sufficient;       /* the request is served when these live blocks are gone */
	size_t first, nblocks; /* the run's blocks in the layout (several: 0, 0) */
} gs_eviction;
/* free_bytes: what the driver has left for this allocator; GS_NONE unknown (then 0 is taken,
 * several are not sufficient unless they alone are). */
gs_status gs_blame_eviction(const gs_policy *policy, const gs_pool_settings *settings,
	const gs_layout *l, const gs_policy_request *request, int64_t free_bytes, gs_eviction **rows,
	size_t *n);

/* Which segments the row without a segment empties: sets emptied[i] for those (the rest is left as
 * it is), until free_bytes (GS_NONE: 0) and their sizes make up ask. GS_NO_MEMORY. */
gs_status gs_blame_emptied(
	const gs_policy *policy, const gs_layout *l, uint64_t ask, int64_t free_bytes, bool *emptied);

/* The layout without some live blocks: gone[i] is set for those to take away; their bytes become
 * free and merge. If release, segments (of expandable ones the whole pages) that this makes free go
 * back to the driver where the retry does that; *released gets their bytes. */
gs_status gs_layout_without(const gs_policy *policy, const gs_pool_settings *settings,
	const gs_layout *l, const bool *gone, bool release, gs_layout *out, uint64_t *released);

#endif
