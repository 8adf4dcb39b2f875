/* Segments and blocks as a snapshot shows them. */
#include "recorder/pool/pool_internal.h"

static gs_block_state state_of(const gs_pool_block *b)
{
	if (b->node.note & GS_ALLOCATED)
		return GS_ACTIVE_ALLOCATED;
	return b->node.note & GS_BUSY ? GS_ACTIVE_PENDING_FREE : GS_INACTIVE;
}

static bool is_mapped(const gs_pool_block *b) { return b && !(b->node.note & GS_UNMAPPED); }

/* The segment that begins with b: a run of mapped blocks. */
static gs_pool_segment_info describe(const gs_pool_block *b)
{
	const gs_region *region = b->region;
	gs_pool_segment_info s = {
		.address = b->node.address,
		.stream = b->node.stream,
		.pool_id = gs_block_pool_id(region->blocks_of),
		.pool = region->blocks_of->class,
		.expandable = region->page != 0,
		.ctx = region->ctx,
	};
	if (s.expandable) {
		s.reservation = region->size;
		s.reserved_address = region->node.address;
	}
	for (; is_mapped(b); b = b->next) {
		gs_block_state state = state_of(b);
		s.size += b->node.size;
		s.blocks++;
		if (state == GS_ACTIVE_ALLOCATED)
			s.allocated += b->node.size;
		if (state != GS_INACTIVE) {
			s.active += b->node.size;
			s.requested += b->requested;
		}
	}
	return s;
}

static gs_status visit_run(const gs_pool_block *b, const gs_pool_visitor *visitor, void *user)
{
	gs_status status = GS_OK;
	if (visitor->segment) {
		gs_pool_segment_info s = describe(b);
		status = visitor->segment(user, &s);
	}
	for (; is_mapped(b) && visitor->block && !status; b = b->next) {
		gs_pool_block_info info = {
			.address = b->node.address,
			.size = b->node.size,
			.requested = b->requested,
			.state = state_of(b),
			.ctx = b->ctx,
		};
		status = visitor->block(user, &info);
	}
	return status;
}

gs_status gs_pool_walk(const gs_pool *p, const gs_pool_visitor *visitor, void *user)
{
	gs_status status = GS_OK;
	for (const gs_node *n = gs_set_first(&p->regions); n && !status; n = gs_set_next(n))
		for (const gs_pool_block *b = ((const gs_region *)n)->first; b && !status; b = b->next)
			if (is_mapped(b) && !is_mapped(b->prev))
				status = visit_run(b, visitor, user);
	return status;
}

static gs_status count_segment(void *user, const gs_pool_segment_info *s)
{
	gs_pool_counts *counts = user;
	counts->segments++;
	counts->blocks += s->blocks;
	return GS_OK;
}

static size_t metadata_of(const gs_block_pool *block_pools)
{
	size_t n = 0;
	for (int c = 0; c < 2; c++)
		for (const gs_size_bins *s = block_pools[c].free; s; s = s->next)
			n += gs_size_bins_bytes(s);
	return n;
}

void gs_pool_count(const gs_pool *p, gs_pool_counts *counts)
{
	static const gs_pool_visitor visitor = {count_segment, NULL};
	*counts = (gs_pool_counts){0};
	gs_pool_walk(p, &visitor, counts);
	counts->blocks_room = p->blocks.blocks_of;
	counts->metadata_bytes = sizeof *p + p->blocks.bytes + p->regions_slab.bytes +
		p->small_slab.bytes + p->privates_slab.bytes + p->index.cap * sizeof *p->index.entries +
		p->extra_bytes + metadata_of(p->block_pools);
	for (const gs_private *q = p->privates; q; q = q->next)
		counts->metadata_bytes += metadata_of(q->block_pools);
}
