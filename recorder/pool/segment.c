/* Segments of their own (not expandable): asked of the device, given back to it. */
#include "recorder/pool/pool_internal.h"

/* Is the request beyond a limit that refuses before the device is asked. */
static bool refused(gs_pool *p, gs_request *r)
{
	if (p->allowed != UINT64_MAX && p->reserved + r->segment > p->allowed)
		return true;
	if (p->settings.throw_on_oom &&
		p->reserved + r->segment > (uint64_t)(p->settings.memory_fraction * (double)p->capacity)) {
		p->rejections++;
		r->rejected = true;
		return true;
	}
	return false;
}

static gs_pool_block *new_segment(gs_pool *p, gs_request *r, uint64_t address)
{
	gs_region *region = gs_region_new(p, r->blocks_of, address, r->segment, r->stream, r->ctx);
	gs_pool_block *b = gs_block_new(p, region, address, r->segment);
	region->first = b;
	p->reserved += r->segment;
	gs_stat_add(p, GS_STAT_SEGMENT, r->blocks_of->class, 1);
	gs_stat_add(p, GS_STAT_RESERVED_BYTES, r->blocks_of->class, (int64_t)r->segment);
	if (r->segment >= p->settings.max_split)
		gs_tally_change(&p->oversize_segments, 1);
	p->device_allocs++;
	gs_pool_tell(p, GS_ACTION_SEGMENT_ALLOC, region, address, r->segment, r->stream, r->ctx);
	return b;
}

/* Is there memory for a new segment's bookkeeping. */
static bool can_keep(gs_pool *p, const gs_request *r)
{
	return gs_slab_reserve(&p->blocks, 2) && gs_slab_reserve(&p->regions_slab, 1) &&
		gs_block_pool_reserve(p, r->blocks_of, r->stream, r->segment);
}

gs_pool_block *gs_segment_allocate(gs_pool *p, gs_request *r, bool retry)
{
	if (retry)
		p->retries++;
	if (refused(p, r))
		return NULL;
	gs_pool_block *b;
	if (r->expandable) {
		b = gs_expandable_allocate(p, r);
	} else {
		uint64_t address = 0;
		gs_status status = p->ops->mem_alloc(p->device, r->segment, &address);
		if (status == GS_DEVICE_MEMORY)
			return NULL;
		if (!status && !can_keep(p, r)) {
			p->ops->mem_free(p->device, address, r->segment);
			status = GS_NO_MEMORY;
		}
		r->status = status;
		b = status ? NULL : new_segment(p, r, address);
	}
	if (b && r->blocks_of->owner)
		r->blocks_of->owner->allocations++;
	return b;
}

gs_status gs_segment_give_back(gs_pool *p, gs_pool_block *b)
{
	gs_region *region = b->region;
	gs_block_pool *blocks_of = region->blocks_of;
	p->device_frees++;
	gs_pool_tell(p, GS_ACTION_SEGMENT_FREE, region, region->node.address, region->size,
		b->node.stream, region->ctx);
	gs_status status = p->ops->mem_free(p->device, region->node.address, region->size);
	p->reserved -= region->size;
	if (blocks_of->owner && blocks_of->owner->allocations > 0)
		blocks_of->owner->allocations--;
	gs_stat_sub(p, GS_STAT_SEGMENT, blocks_of->class, 1);
	gs_stat_sub(p, GS_STAT_RESERVED_BYTES, blocks_of->class, (int64_t)region->size);
	if (region->size >= p->settings.max_split)
		gs_tally_change(&p->oversize_segments, -1);
	gs_size_bins_erase(region->bins, &b->node);
	gs_slab_put(&p->blocks, b);
	gs_region_drop(p, region);
	return status;
}
