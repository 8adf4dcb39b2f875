/* An allocation: search, the steps that make room, split. */
#include <inttypes.h>
#include <string.h>

#include "recorder/pool/pool_internal.h"

enum { SPARE_BLOCKS = 8 }; /* more than one step makes before it reserves again */

/* Bytes a block could grow to in place: itself and the unmapped block behind it. */
static uint64_t span(const gs_pool_block *b)
{
	return b->node.size + (b->next && (b->next->node.note & GS_UNMAPPED) ? b->next->node.size : 0);
}

static gs_pool_block *next_of_stream(const gs_pool_block *b)
{
	gs_node *n = gs_size_bins_next(b->region->bins, &b->node);
	return n ? gs_block_of(n) : NULL;
}

/* The best fit's substitute when it lies in an expandable segment: the one that could grow least,
 * or, when expandable segments are off, the first that is in none. */
static gs_pool_block *past_expandable(const gs_request *r, gs_pool_block *b)
{
	gs_pool_block *next = next_of_stream(b);
	if (r->expandable) {
		while (gs_block_is_expandable(b) && next && span(next) < span(b)) {
			b = next;
			next = next_of_stream(b);
		}
		return b;
	}
	while (next && gs_block_is_expandable(next))
		next = next_of_stream(next);
	return next;
}

static gs_pool_block *search(gs_pool *p, const gs_request *r)
{
	gs_block_pool *blocks_of = r->blocks_of;
	if (gs_pool_collects(p))
		blocks_of->searches++;
	const gs_size_bins *s = gs_block_pool_bins(blocks_of, r->stream);
	gs_node *n = s ? gs_size_bins_at_least(s, r->rounded) : NULL;
	if (!n)
		return NULL;
	gs_pool_block *b = gs_block_of(n);
	if (gs_block_is_expandable(b) && !(b = past_expandable(r, b)))
		return NULL;
	return gs_rules_may_serve(&p->settings, r->rounded, b->node.size) ? b : NULL;
}

/* Steps after a miss, in PyTorch's order. The block found is in no set. */
static gs_pool_block *make_room(gs_pool *p, gs_request *r)
{
	if (gs_pool_collects(p) && (r->status = gs_release_garbage(p)))
		return NULL;
	gs_pool_block *b = gs_segment_allocate(p, r, false);
	if (b || r->status || r->rejected)
		return b;
	if (gs_release_available(p, r) &&
		((b = gs_segment_allocate(p, r, false)) || r->status || r->rejected))
		return b;
	if (r->status || gs_pool_is_capturing(p, false, r->stream))
		return NULL;
	if ((r->status = gs_release_cached(p, false)))
		return NULL;
	return gs_segment_allocate(p, r, true);
}

static void count_split(gs_pool *p, gs_pool_class c, const gs_pool_block *taken,
	const gs_pool_block *rest, bool was_split)
{
	if (rest && was_split) {
		gs_stat_sub(p, GS_STAT_INACTIVE_SPLIT_BYTES, c, (int64_t)taken->node.size);
	} else if (rest) {
		gs_stat_add(p, GS_STAT_INACTIVE_SPLIT_BYTES, c, (int64_t)rest->node.size);
		gs_stat_add(p, GS_STAT_INACTIVE_SPLIT, c, 1);
	} else if (was_split) {
		gs_stat_sub(p, GS_STAT_INACTIVE_SPLIT_BYTES, c, (int64_t)taken->node.size);
		gs_stat_sub(p, GS_STAT_INACTIVE_SPLIT, c, 1);
	}
}

static void count_allocation(gs_pool *p, gs_pool_class c, const gs_pool_block *b)
{
	int64_t size = (int64_t)b->node.size;
	gs_stat_add(p, GS_STAT_ALLOCATION, c, 1);
	gs_stat_add(p, GS_STAT_ALLOCATED_BYTES, c, size);
	gs_stat_add(p, GS_STAT_ACTIVE, c, 1);
	gs_stat_add(p, GS_STAT_ACTIVE_BYTES, c, size);
	gs_stat_add(p, GS_STAT_REQUESTED_BYTES, c, (int64_t)b->requested);
	if (b->node.size >= p->settings.max_split)
		gs_tally_change(&p->oversize_allocations, 1);
}

/* Cuts the front off b for the request. in_set: b is still among the free blocks. Returns the block
 * to hand out. */
static gs_pool_block *cut(gs_pool *p, const gs_request *r, gs_pool_block *b, bool in_set)
{
	gs_block_pool *blocks_of = gs_block_pool_of(b);
	bool split = gs_rules_should_split(
		&p->settings, blocks_of->class, r->expandable, r->rounded, b->node.size);
	bool was_split = gs_block_is_split(b);
	gs_pool_block *rest = NULL;
	if (split) {
		rest = b;
		b = gs_block_new(p, rest->region, rest->node.address, r->rounded);
		gs_block_link_before(b, rest);
		rest->searches = blocks_of->searches;
		if (in_set) {
			gs_size_bins_rekey(rest->region->bins, &rest->node, rest->node.size - r->rounded,
				rest->node.address + r->rounded);
		} else {
			rest->node.size -= r->rounded;
			rest->node.address += r->rounded;
			gs_size_bins_insert(rest->region->bins, &rest->node);
		}
	} else if (in_set) {
		gs_size_bins_erase(b->region->bins, &b->node);
	}
	if (!gs_block_is_expandable(b))
		count_split(p, blocks_of->class, b, rest, was_split);
	return b;
}

static gs_pool_block *hand_out(gs_pool *p, const gs_request *r, gs_pool_block *b, bool in_set)
{
	b = cut(p, r, b, in_set);
	b->node.note |= GS_ALLOCATED;
	b->requested = r->bytes;
	b->ctx = r->ctx;
	gs_pool_tell_block(p, GS_ACTION_ALLOC, b);
	count_allocation(p, gs_block_pool_of(b)->class, b);
	if (!(p->flags & GS_POOL_NO_INDEX))
		gs_index_add(&p->index, b->node.address, b);
	return b;
}

static uint64_t free_in_private(const gs_pool *p)
{
	uint64_t sum = 0;
	for (const gs_private *q = p->privates; q; q = q->next)
		for (int i = 0; i < 2; i++)
			for (const gs_node *n = gs_block_pool_first(&q->block_pools[i]); n;
				 n = gs_block_pool_next(n))
				sum += n->size;
	return sum;
}

static gs_status fail_oom(gs_pool *p, const gs_request *r, gs_error *err)
{
	uint64_t device_free = 0, total = p->capacity;
	gs_status status = p->ops->mem_info(p->device, &device_free, &total);
	if (status)
		return gs_fail(err, status, "the device did not tell its free memory");
	p->oom = (gs_pool_oom){
		.requested = r->bytes,
		.rounded = r->rounded,
		.needed = r->segment,
		.stream = r->stream,
		.pool = r->blocks_of->class,
		.pool_id = gs_block_pool_id(r->blocks_of),
		.device_free = device_free,
		.capacity = total,
		.allocated = gs_pool_allocated(p),
		.reserved = p->reserved,
		.allowed = p->allowed,
		.private_free = free_in_private(p),
		.ctx = r->ctx,
		.device = p->number,
	};
	p->had_oom = true;
	p->ooms++;
	if (p->on_action) {
		gs_pool_action a = {
			.action = GS_ACTION_OOM,
			.pool = r->blocks_of->class,
			.pool_id = p->oom.pool_id,
			.size = r->rounded,
			.stream = r->stream,
			.device_free = device_free,
			.ctx = r->ctx,
		};
		p->on_action(p->user, &a);
	}
	if (err) {
		err->status = GS_DEVICE_MEMORY;
		gs_pool_oom_message(&p->oom, err->text, sizeof err->text);
	}
	return GS_DEVICE_MEMORY;
}

static gs_status fail_rejected(const gs_request *r, gs_error *err)
{
	char size[32];
	return gs_fail(err, GS_DEVICE_MEMORY,
		"CUDA out of memory. Allocation was preemptively rejected because it would exceed "
		"per_process_memory_fraction limit. Requested size: %s",
		gs_pool_format_size(size, sizeof size, r->segment));
}

static bool has_bookkeeping(gs_pool *p, size_t blocks)
{
	return gs_slab_reserve(&p->blocks, blocks) &&
		((p->flags & GS_POOL_NO_INDEX) || gs_index_reserve(&p->index));
}

gs_status gs_pool_malloc_block(gs_pool *p, uint64_t bytes, uint64_t stream, gs_pool_ctx ctx,
	gs_pool_block **block, gs_error *err)
{
	*block = NULL;
	if (!bytes)
		return GS_OK;
	if (bytes >= GS_REQUEST_MAX)
		return gs_fail(
			err, GS_DEVICE_MEMORY, "CUDA out of memory. Tried to allocate more than 1EB memory.");
	if (!has_bookkeeping(p, SPARE_BLOCKS))
		return gs_fail(err, GS_NO_MEMORY, "no memory for the bookkeeping of an allocation");
	gs_status status;
	if ((p->queues.count || p->deferred.head) && !gs_pool_is_capturing(p, false, stream) &&
		(status = gs_pool_poll(p)))
		return gs_fail(err, status, "the device did not tell whether an event is ready");

	gs_request r = {.bytes = bytes,
		.rounded = gs_rules_round(&p->settings, bytes),
		.stream = stream,
		.ctx = ctx};
	r.expandable = p->settings.expandable && p->ops->reserve;
	r.blocks_of = gs_block_pool_for(p, r.rounded, stream);
	gs_pool_block *b = search(p, &r);
	if (b) {
		*block = hand_out(p, &r, b, true);
		return GS_OK;
	}
	r.segment = gs_rules_segment_size(&p->settings, r.rounded);
	b = make_room(p, &r);
	if (b && !has_bookkeeping(p, 1)) { /* mem_alloc may have let others in */
		gs_block_insert_free(p, b);
		b = NULL;
		r.status = GS_NO_MEMORY;
	}
	if (b) {
		*block = hand_out(p, &r, b, false);
		return GS_OK;
	}
	if (r.status)
		return gs_fail(
			err, r.status, "the device failed an allocation of %" PRIu64 " bytes", r.segment);
	return r.rejected ? fail_rejected(&r, err) : fail_oom(p, &r, err);
}

gs_status gs_pool_malloc(
	gs_pool *p, uint64_t bytes, uint64_t stream, gs_pool_ctx ctx, uint64_t *address, gs_error *err)
{
	gs_pool_block *b;
	gs_status status = gs_pool_malloc_block(p, bytes, stream, ctx, &b, err);
	if (!status)
		*address = b ? b->node.address : 0;
	return status;
}
