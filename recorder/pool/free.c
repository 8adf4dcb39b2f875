/* A free: requested at once, completed when no stream uses the block any more. */
#include "recorder/pool/pool_internal.h"

void gs_block_complete_free(gs_pool *p, gs_pool_block *b)
{
	gs_block_pool *blocks_of = gs_block_pool_of(b);
	gs_pool_class c = blocks_of->class;
	gs_pool_tell_block(p, GS_ACTION_FREE_COMPLETED, b);
	int64_t size = (int64_t)b->node.size, requested = (int64_t)b->requested;
	int64_t blocks = 0, bytes = 0; /* net change of what is free and split off */
	gs_pool_block *const neighbours[2] = {b->prev, b->next};
	for (int i = 0; i < 2; i++) {
		uint64_t joined = gs_block_merge(p, b, neighbours[i]);
		blocks -= joined > 0;
		bytes -= (int64_t)joined;
	}
	gs_block_insert_free(p, b);
	if (!gs_block_is_expandable(b)) {
		if (gs_block_is_split(b)) {
			blocks++;
			bytes += (int64_t)b->node.size;
		}
		gs_stat_change(p, GS_STAT_INACTIVE_SPLIT, c, blocks);
		gs_stat_change(p, GS_STAT_INACTIVE_SPLIT_BYTES, c, bytes);
	}
	gs_stat_sub(p, GS_STAT_ACTIVE, c, 1);
	gs_stat_sub(p, GS_STAT_ACTIVE_BYTES, c, size);
	gs_stat_sub(p, GS_STAT_REQUESTED_BYTES, c, requested);
}

/* What every free does first. */
static void request(gs_pool *p, gs_pool_block *b)
{
	__builtin_prefetch(b->prev); /* looked at for merging, soon */
	__builtin_prefetch(b->next);
	gs_pool_class c = gs_block_pool_of(b)->class;
	b->node.note &= ~(uint32_t)GS_ALLOCATED;
	gs_stat_sub(p, GS_STAT_ALLOCATION, c, 1);
	gs_stat_sub(p, GS_STAT_ALLOCATED_BYTES, c, (int64_t)b->node.size);
	gs_pool_tell_block(p, GS_ACTION_FREE_REQUESTED, b);
	if (b->node.size >= p->settings.max_split)
		gs_tally_change(&p->oversize_allocations, -1);
}

static void wait_by_hand(gs_pool *p, gs_pool_block *b)
{
	b->events++;
	b->node.note |= GS_EVENTS | GS_MANUAL;
	gs_list_push(&p->manual, b);
}

static gs_status free_now(gs_pool *p, gs_pool_block *b)
{
	request(p, b);
	if (!(b->node.note & GS_USES)) {
		gs_block_complete_free(p, b);
		return GS_OK;
	}
	if (gs_pool_is_capturing(p, true, 0)) {
		b->node.note |= GS_DEFERRED;
		gs_list_push(&p->deferred, b);
		return GS_OK;
	}
	return gs_pool_insert_events(p, b);
}

gs_status gs_pool_free_block(gs_pool *p, gs_pool_block *b)
{
	if (!b)
		return GS_OK;
	if (!(b->node.note & GS_ALLOCATED))
		return GS_NOT_FOUND;
	if (!(p->flags & GS_POOL_NO_INDEX))
		gs_index_take(&p->index, b->node.address);
	return free_now(p, b);
}

gs_status gs_pool_free(gs_pool *p, uint64_t address)
{
	if (!address)
		return GS_OK;
	if (p->flags & GS_POOL_NO_INDEX)
		return GS_STATE;
	gs_pool_block *b = gs_index_take(&p->index, address);
	return b ? free_now(p, b) : GS_NOT_FOUND;
}

gs_status gs_pool_free_deferred(gs_pool *p, gs_pool_block *b)
{
	if (!(b->node.note & GS_ALLOCATED))
		return GS_NOT_FOUND;
	if (!(p->flags & GS_POOL_NO_INDEX))
		gs_index_take(&p->index, b->node.address);
	request(p, b);
	gs_pool_drop_uses(p, b, false);
	wait_by_hand(p, b);
	return GS_OK;
}

gs_status gs_pool_complete(gs_pool *p, gs_pool_block *b)
{
	if (!(b->node.note & GS_MANUAL))
		return GS_STATE;
	gs_list_remove(&p->manual, b);
	b->node.note &= ~(uint32_t)(GS_MANUAL | GS_EVENTS);
	b->events = 0;
	gs_block_complete_free(p, b);
	return GS_OK;
}

bool gs_pool_is_pending(const gs_pool_block *b) { return (b->node.note & GS_MANUAL) != 0; }

gs_pool_block *gs_pool_find(const gs_pool *p, uint64_t address)
{
	return gs_index_find(&p->index, address);
}
uint64_t gs_pool_block_address(const gs_pool_block *b) { return b->node.address; }
uint64_t gs_pool_block_size(const gs_pool_block *b) { return b->node.size; }

void gs_pool_fetch(const gs_pool_block *b)
{
	__builtin_prefetch(b, 1);
	__builtin_prefetch((const char *)b + 64, 1);
}

void gs_pool_fetch_neighbours(const gs_pool_block *b)
{
	if (b->prev)
		__builtin_prefetch(b->prev, 1);
	if (b->next)
		__builtin_prefetch(b->next, 1);
}
