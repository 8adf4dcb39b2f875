/* What is given back to the device to make room: garbage collection, oversize blocks, everything
 * cached. */
#include "recorder/pool/pool_internal.h"

static bool is_whole(const gs_pool_block *b) { return !gs_block_is_split(b); }

/* PyTorch keeps ages in an int. */
static uint64_t age(const gs_pool_block *b)
{
	return (uint64_t)(int)(gs_block_pool_of(b)->searches - b->searches);
}

gs_status gs_release_garbage(gs_pool *p)
{
	gs_block_pool *blocks_of = &p->block_pools[GS_LARGE];
	uint64_t threshold = (uint64_t)(p->settings.gc_threshold * (double)p->allowed);
	if (p->reserved <= threshold)
		return GS_OK;
	uint64_t target = p->reserved - threshold, reclaimed = 0, total_age = 0;
	int count = 0;
	for (gs_node *n = gs_block_pool_first(blocks_of); n; n = gs_block_pool_next(n)) {
		if (!is_whole(gs_block_of(n)))
			continue;
		total_age += age(gs_block_of(n));
		count++;
	}
	for (bool freed = true; reclaimed < target && freed && count > 0;) {
		double old = (double)total_age / count;
		freed = false;
		for (gs_node *n = gs_block_pool_first(blocks_of), *next; n; n = next) {
			gs_pool_block *b = gs_block_of(n);
			next = gs_block_pool_next(n);
			if (!is_whole(b) || gs_block_is_expandable(b) || (double)age(b) < old)
				continue;
			freed = true;
			reclaimed += b->node.size;
			total_age -= age(b);
			count--;
			gs_status status = gs_segment_give_back(p, b);
			if (status)
				return status;
		}
	}
	return GS_OK;
}

/* Gives oversize blocks of the stream back, from n downwards, until bytes are free. */
static bool release_downwards(gs_pool *p, gs_request *r, gs_node *n, uint64_t bytes)
{
	uint64_t released = 0;
	while (n && released < bytes && n->size >= p->settings.max_split) {
		gs_pool_block *b = gs_block_of(n);
		n = gs_size_bins_prev(b->region->bins, n);
		if (gs_block_is_expandable(b) || gs_block_is_split(b))
			continue;
		released += b->node.size;
		if ((r->status = gs_segment_give_back(p, b)))
			return false;
	}
	return released >= bytes;
}

bool gs_release_available(gs_pool *p, gs_request *r)
{
	uint64_t split = p->settings.max_split;
	if (split == UINT64_MAX)
		return false;
	uint64_t bytes = r->rounded < split ? split : r->rounded;
	gs_size_bins *s = gs_block_pool_bins(r->blocks_of, r->stream);
	gs_node *n = s ? gs_size_bins_at_least(s, bytes) : NULL;
	if (!n || gs_block_is_expandable(gs_block_of(n)))
		return s && release_downwards(p, r, gs_size_bins_before(s, bytes), bytes);
	if (gs_block_is_split(gs_block_of(n)))
		return false;
	r->status = gs_segment_give_back(p, gs_block_of(n));
	return !r->status;
}

static gs_status release_block_pool(gs_pool *p, gs_block_pool *blocks_of)
{
	gs_status status = GS_OK;
	for (gs_node *n = gs_block_pool_first(blocks_of), *next; n && !status; n = next) {
		next = gs_block_pool_next(n);
		if (is_whole(gs_block_of(n)) && !gs_block_is_expandable(gs_block_of(n)))
			status = gs_segment_give_back(p, gs_block_of(n));
	}
	/* edges that unmapping leaves behind may be met again: they hold no whole page */
	for (gs_node *n = gs_block_pool_first(blocks_of), *next; n && !status; n = next) {
		next = gs_block_pool_next(n);
		if (gs_block_is_expandable(gs_block_of(n)))
			status = gs_expandable_unmap(p, gs_block_of(n));
	}
	return status;
}

static gs_status release_private(gs_pool *p, gs_private *q)
{
	gs_status status = release_block_pool(p, &q->block_pools[GS_SMALL]);
	return status ? status : release_block_pool(p, &q->block_pools[GS_LARGE]);
}

static gs_status release_unused_privates(gs_pool *p)
{
	gs_order_slot *slot;
	for (size_t at = 0; (slot = gs_order_from(&p->unused, &at));) {
		gs_private *q = slot->first;
		gs_status status = release_private(p, q);
		if (status)
			return status;
		if (!gs_private_forget(p, q)) /* else another may stand here now */
			at++;
	}
	return GS_OK;
}

gs_status gs_release_cached(gs_pool *p, bool capturing)
{
	gs_status status = GS_OK;
	if (!capturing) {
		if ((status = gs_pool_synchronise(p, NULL)) ||
			(status = release_block_pool(p, &p->block_pools[GS_LARGE])) ||
			(status = release_block_pool(p, &p->block_pools[GS_SMALL])))
			return status;
	}
	return release_unused_privates(p);
}

gs_status gs_pool_empty_cache(gs_pool *p)
{
	gs_pool_tell(p, GS_ACTION_EMPTY_CACHE, NULL, 0, 0, 0, (gs_pool_ctx){0, 0});
	if (!p->rules->private_captures || !p->diversions)
		return gs_release_cached(p, gs_pool_is_capturing(p, true, 0));
	/* inside a MemPool only that pool is looked at, and it is in use; a capture does not allow the
	 * waiting */
	for (const gs_diversion *d = p->diversions; d; d = d->next)
		if (!d->capture)
			return GS_OK;
	p->syncs++;
	return GS_STATE;
}

gs_status gs_pool_empty_private(gs_pool *p, gs_pool_id id)
{
	gs_private *q = gs_private_find(p, id);
	if (!q)
		return GS_NOT_FOUND;
	if (q->users)
		return GS_OK;
	gs_status status = gs_pool_synchronise(p, q);
	if (!status)
		status = release_private(p, q);
	if (!status)
		gs_private_forget(p, q);
	return status;
}
