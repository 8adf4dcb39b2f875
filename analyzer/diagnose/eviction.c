/* The cheapest way to make room for the request. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/diagnose/attribution.h"

/* Playing a row looks at the whole layout: a few of the cheapest rows only; the bounds of the
 * search decide for the rest. */
enum { MOST_PLAYED = 64, LEAST_PLAYED = 4, BLOCKS_PLAYED = 4000000 };

/* The run of neighbouring blocks of a segment that holds the request with the fewest live bytes:
 * for each last block, the shortest run. */
static bool best_run(const gs_layout *l, size_t segment, uint64_t size, gs_eviction *best)
{
	const gs_segment *g = &l->segments[segment];
	uint64_t span = 0, live = 0, blocks = 0;
	bool found = false;
	size_t first = g->first_block;
	for (size_t last = first; last < g->first_block + g->nblocks; last++) {
		const gs_block *b = &l->blocks[last];
		span += b->size;
		live += b->state == GS_INACTIVE ? 0 : b->size;
		blocks += b->state != GS_INACTIVE;
		for (; span - l->blocks[first].size >= size && first < last; first++) {
			span -= l->blocks[first].size;
			live -= l->blocks[first].state == GS_INACTIVE ? 0 : l->blocks[first].size;
			blocks -= l->blocks[first].state != GS_INACTIVE;
		}
		if (span < size ||
			(found &&
				(live > best->live_bytes ||
					(live == best->live_bytes && blocks >= best->live_blocks))))
			continue;
		*best = (gs_eviction){
			segment, l->blocks[first].address, span, live, blocks, false, first, last + 1 - first};
		found = true;
	}
	return found;
}

/* Plays it: is the request served, by the search or, after segments made free went back, by the
 * driver. */
static gs_status serves(const gs_policy *policy, const gs_pool_settings *settings,
	const gs_layout *l, const gs_policy_request *request, int64_t free_bytes, const bool *gone,
	bool *sufficient)
{
	gs_layout after;
	uint64_t released;
	gs_status status = gs_layout_without(policy, settings, l, gone, false, &after, &released);
	if (status)
		return status;
	*sufficient = gs_policy_search(policy, settings, &after, request) != SIZE_MAX;
	gs_layout_release(&after);
	if (*sufficient)
		return GS_OK;
	if ((status = gs_layout_without(policy, settings, l, gone, true, &after, &released)))
		return status;
	uint64_t have = released + (free_bytes > 0 ? (uint64_t)free_bytes : 0);
	*sufficient = released && gs_policy_ask(policy, settings, &after, request, NULL) <= have;
	gs_layout_release(&after);
	return GS_OK;
}

static int by_cost(const void *a, const void *b)
{
	const gs_eviction *x = a, *y = b;
	if (x->live_bytes != y->live_bytes)
		return x->live_bytes < y->live_bytes ? -1 : 1;
	if (x->live_blocks != y->live_blocks)
		return x->live_blocks < y->live_blocks ? -1 : 1;
	return (x->segment > y->segment) - (x->segment < y->segment);
}

typedef struct candidate {
	size_t segment;
	uint64_t live, blocks, size;
} candidate;

static int by_share(const void *a, const void *b)
{
	const candidate *x = a, *y = b;
	long double p = (long double)x->live * (long double)y->size,
				q = (long double)y->live * (long double)x->size;
	if (p != q)
		return p < q ? -1 : 1;
	return (x->segment > y->segment) - (x->segment < y->segment);
}

/* Segments that go back to the driver when they are empty, the emptiest first. */
static size_t list_candidates(const gs_policy *policy, const gs_layout *l, candidate *all)
{
	size_t n = 0;
	for (size_t i = 0; i < l->nsegments; i++) {
		const gs_segment *g = &l->segments[i];
		candidate c = {i, 0, 0, g->size};
		if (!policy->releases || g->pool_id.a || g->pool_id.b)
			continue;
		for (size_t k = g->first_block; k < g->first_block + g->nblocks; k++)
			if (l->blocks[k].state != GS_INACTIVE)
				c.live += l->blocks[k].size, c.blocks++;
		if (c.live)
			all[n++] = c;
	}
	if (n)
		qsort(all, n, sizeof *all, by_share);
	return n;
}

gs_status gs_blame_emptied(
	const gs_policy *policy, const gs_layout *l, uint64_t ask, int64_t free_bytes, bool *emptied)
{
	uint64_t have = free_bytes > 0 ? (uint64_t)free_bytes : 0;
	candidate *all = malloc((l->nsegments + 1) * sizeof *all);
	size_t n = all ? list_candidates(policy, l, all) : 0;

	for (size_t i = 0; i < n && have < ask; i++) {
		emptied[all[i].segment] = true;
		have += all[i].size;
	}
	free(all);
	return all ? GS_OK : GS_NO_MEMORY;
}

/* Whole segments, until the driver could serve. */
static gs_status empty_segments(const gs_policy *policy, const gs_pool_settings *settings,
	const gs_layout *l, const gs_policy_request *request, int64_t free_bytes, gs_eviction *row,
	size_t *n)
{
	uint64_t ask = gs_policy_ask(policy, settings, l, request, NULL);
	bool *emptied = calloc(l->nsegments + 1, sizeof *emptied),
		 *gone = calloc(l->nblocks + 1, sizeof *gone);
	gs_status status = emptied && gone ? gs_blame_emptied(policy, l, ask, free_bytes, emptied)
									   : GS_NO_MEMORY;
	*row = (gs_eviction){.segment = SIZE_MAX};
	for (size_t i = 0; !status && i < l->nsegments; i++) {
		const gs_segment *g = &l->segments[i];
		if (!emptied[i])
			continue;
		memset(&gone[g->first_block], 1, g->nblocks * sizeof *gone);
		row->size += g->size;
		for (size_t k = g->first_block; k < g->first_block + g->nblocks; k++)
			if (l->blocks[k].state != GS_INACTIVE)
				row->live_bytes += l->blocks[k].size, row->live_blocks++;
	}
	if (!status && row->size)
		status = serves(policy, settings, l, request, free_bytes, gone, &row->sufficient);
	*n = !status && row->size ? 1 : 0;
	free(emptied);
	free(gone);
	return status;
}

gs_status gs_blame_eviction(const gs_policy *policy, const gs_pool_settings *settings,
	const gs_layout *l, const gs_policy_request *request, int64_t free_bytes, gs_eviction **rows,
	size_t *n)
{
	gs_eviction *all = malloc((l->nsegments + 1) * sizeof *all);
	bool *gone = calloc(l->nblocks + 1, sizeof *gone);
	gs_status status = all && gone ? GS_OK : GS_NO_MEMORY;
	*rows = all;
	*n = 0;
	for (size_t i = 0; !status && i < l->nsegments; i++)
		if (gs_policy_same_pool(policy, &l->segments[i], request) &&
			best_run(l, i, request->size, &all[*n]))
			(*n)++;
	if (!status && *n)
		qsort(all, *n, sizeof *all, by_cost);
	for (size_t i = 0; !status && i < *n; i++) {
		all[i].sufficient = policy->serves(settings, request->size, all[i].size);
		if (i >= MOST_PLAYED || (i >= LEAST_PLAYED && i * l->nblocks > BLOCKS_PLAYED))
			continue;
		memset(&gone[all[i].first], 1, all[i].nblocks * sizeof *gone);
		status = serves(policy, settings, l, request, free_bytes, gone, &all[i].sufficient);
		memset(&gone[all[i].first], 0, all[i].nblocks * sizeof *gone);
	}
	if (!status && !*n)
		status = empty_segments(policy, settings, l, request, free_bytes, all, n);
	free(gone);
	return status;
}
