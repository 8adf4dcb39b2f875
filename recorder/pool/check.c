/* The self-check: every structure is walked and compared with the others. */
#include <inttypes.h>

#include "recorder/pool/pool_internal.h"

/* What the walk over regions adds up. */
typedef struct sums {
	int64_t array[GS_STAT_ARRAYS][2];
	size_t free[2], unmapped[2]; /* of the block pool at hand */
	size_t live, manual, deferred, blocks, regions;
	uint64_t reserved;
	int64_t oversize;
} sums;

#define WRONG(...) gs_fail(err, GS_STATE, __VA_ARGS__)

static bool holds(const gs_set *set, const gs_pool_block *b)
{
	const gs_node *n = &b->node;
	while (n->up & ~(uintptr_t)1)
		n = (const gs_node *)(n->up & ~(uintptr_t)1);
	return n == set->root;
}

static bool is_in_bin(const gs_pool_block *b)
{
	const gs_size_bins *s = b->region->bins;
	const gs_node *n = gs_size_bins_at_least(s, b->node.size);
	while (n && n != &b->node && n->size == b->node.size)
		n = gs_size_bins_next(s, n);
	return n == &b->node;
}

/* The free blocks of a block pool: bins in order of streams, each sound. */
static bool counts_free(const gs_block_pool *blocks_of, size_t *count)
{
	*count = 0;
	for (const gs_size_bins *s = blocks_of->free; s; s = s->next) {
		if (!gs_size_bins_are_sound(s) || (s->next && s->next->stream <= s->stream))
			return false;
		*count += s->count;
	}
	return true;
}

static gs_status check_flags(const gs_pool *p, const gs_pool_block *b, gs_error *err)
{
	uint32_t note = b->node.note;
	uint64_t at = b->node.address;
	if (!(note & GS_EVENTS) != !b->events || !(note & GS_USES) != !b->uses)
		return WRONG("block 0x%" PRIx64 ": its flags disagree with its events or uses", at);
	if ((note & GS_UNMAPPED) && ((note & GS_BUSY) || !b->region->page))
		return WRONG("block 0x%" PRIx64 " is in use without memory", at);
	if ((note & GS_ALLOCATED) && (note & (GS_EVENTS | GS_DEFERRED | GS_MANUAL)))
		return WRONG("block 0x%" PRIx64 " is allocated and waits to be freed", at);
	if ((note & GS_ALLOCATED) && !(p->flags & GS_POOL_NO_INDEX) &&
		gs_index_find(&p->index, at) != b)
		return WRONG("block 0x%" PRIx64 " is not found by its address", at);
	uint32_t order = p->rules->tie == GS_TIE_BLOCK ? b->number
		: p->rules->tie == GS_TIE_SEGMENT          ? b->region->number
												   : 0;
	if (b->node.order != order || b->node.stream != b->region->stream)
		return WRONG("block 0x%" PRIx64 ": wrong order or stream", at);
	const gs_block_pool *blocks_of = gs_block_pool_of(b);
	if (gs_block_is_free(b) && !is_in_bin(b))
		return WRONG("free block 0x%" PRIx64 " is not in its free set", at);
	if ((note & GS_UNMAPPED) && !holds(&blocks_of->unmapped, b))
		return WRONG("unmapped block 0x%" PRIx64 " is not in its set", at);
	return GS_OK;
}

static bool may_join(const gs_pool_block *a, const gs_pool_block *b)
{
	return a && !(a->node.note & GS_BUSY) && !(b->node.note & GS_BUSY) &&
		!((a->node.note ^ b->node.note) & GS_UNMAPPED);
}

static void add_up(const gs_pool *p, const gs_pool_block *b, sums *s)
{
	gs_pool_class c = gs_block_pool_of(b)->class;
	int64_t size = (int64_t)b->node.size;
	s->blocks++;
	if (b->node.note & GS_UNMAPPED) {
		s->unmapped[c]++;
		return;
	}
	s->array[GS_STAT_RESERVED_BYTES][c] += size;
	s->reserved += b->node.size;
	s->manual += (b->node.note & GS_MANUAL) != 0;
	s->deferred += (b->node.note & GS_DEFERRED) != 0;
	if (b->node.note & GS_ALLOCATED) {
		s->live++;
		s->oversize += b->node.size >= p->settings.max_split;
		s->array[GS_STAT_ALLOCATION][c]++;
		s->array[GS_STAT_ALLOCATED_BYTES][c] += size;
	}
	if (b->node.note & GS_BUSY) {
		s->array[GS_STAT_ACTIVE][c]++;
		s->array[GS_STAT_ACTIVE_BYTES][c] += size;
		s->array[GS_STAT_REQUESTED_BYTES][c] += (int64_t)b->requested;
		return;
	}
	s->free[c]++;
	if (gs_block_is_split(b) && !b->region->page) {
		s->array[GS_STAT_INACTIVE_SPLIT][c]++;
		s->array[GS_STAT_INACTIVE_SPLIT_BYTES][c] += size;
	}
}

static gs_status check_region(const gs_pool *p, const gs_region *region, sums *s, gs_error *err)
{
	uint64_t at = region->node.address, mapped = 0;
	const gs_pool_block *prev = NULL;
	for (const gs_pool_block *b = region->first; b; prev = b, b = b->next) {
		gs_status status;
		if (b->node.address != at || !b->node.size || b->prev != prev || b->region != region)
			return WRONG("block 0x%" PRIx64 " does not lie at 0x%" PRIx64 " in its region",
				b->node.address, at);
		if (may_join(prev, b))
			return WRONG("block 0x%" PRIx64 " and the one before should be one", at);
		if ((status = check_flags(p, b, err)))
			return status;
		if (!(b->node.note & GS_UNMAPPED))
			mapped += b->node.size;
		add_up(p, b, s);
		at += b->node.size;
	}
	if (at != region->node.address + region->size)
		return WRONG(
			"the blocks of region 0x%" PRIx64 " end at 0x%" PRIx64, region->node.address, at);
	if (region->page ? mapped != region->mapped * region->page : mapped != region->size)
		return WRONG("region 0x%" PRIx64 ": %" PRIu64 " bytes mapped, %" PRIu32 " pages counted",
			region->node.address, mapped, region->mapped);
	if (!region->page)
		s->array[GS_STAT_SEGMENT][region->blocks_of->class]++;
	return GS_OK;
}

static gs_status check_block_pools(
	const gs_pool *p, const gs_block_pool *block_pools, sums *s, gs_error *err)
{
	s->free[0] = s->free[1] = s->unmapped[0] = s->unmapped[1] = 0;
	for (const gs_node *n = gs_set_first(&p->regions); n; n = gs_set_next(n)) {
		const gs_region *region = (const gs_region *)n;
		gs_status status;
		if (region->blocks_of != &block_pools[0] && region->blocks_of != &block_pools[1])
			continue;
		s->regions++;
		if ((status = check_region(p, region, s, err)))
			return status;
	}
	for (int c = 0; c < 2; c++) {
		size_t count;
		if (block_pools[c].class != (gs_pool_class)c || !counts_free(&block_pools[c], &count) ||
			!gs_set_is_sound(&block_pools[c].unmapped))
			return WRONG("a free set of class %d is out of order", c);
		if (count != s->free[c] || block_pools[c].unmapped.count != s->unmapped[c])
			return WRONG(
				"free set of class %d has %zu blocks, its regions %zu", c, count, s->free[c]);
	}
	return GS_OK;
}

static gs_status check_sums(const gs_pool *p, const sums *s, gs_error *err)
{
	for (int a = 0; a < GS_STAT_ARRAYS; a++) {
		for (int c = 0; c < 2; c++) {
			const gs_tally *t = &p->tally[a][c];
			if (t->current != s->array[a][c] || t->peak < t->current || t->freed < 0 ||
				t->current + t->freed < t->base)
				return WRONG("statistic %s of class %d is %" PRId64 ", the blocks say %" PRId64,
					gs_pool_array_name((gs_pool_array)a), c, t->current, s->array[a][c]);
		}
		if (p->peak_all[a] < p->tally[a][0].current + p->tally[a][1].current)
			return WRONG("peak of statistic %s is below what there is",
				gs_pool_array_name((gs_pool_array)a));
	}
	if (p->reserved != s->reserved)
		return WRONG("reserved is %" PRIu64 ", the blocks say %" PRIu64, p->reserved, s->reserved);
	if (!(p->flags & GS_POOL_NO_INDEX) && p->index.count != s->live)
		return WRONG("%zu addresses indexed, %zu blocks live", p->index.count, s->live);
	if (p->regions.count != s->regions || !gs_set_is_sound(&p->regions))
		return WRONG("%zu regions in the set, %zu belong to a pool", p->regions.count, s->regions);
	if (p->blocks.blocks_of - p->blocks.spare != s->blocks ||
		p->regions_slab.blocks_of - p->regions_slab.spare != s->regions)
		return WRONG("%zu block objects taken, %zu in use", p->blocks.blocks_of - p->blocks.spare,
			s->blocks);
	return GS_OK;
}

static gs_status check_waiting(const gs_pool *p, const sums *s, gs_error *err)
{
	size_t manual = 0, deferred = 0;
	for (const gs_pool_block *b = p->manual.head; b; b = (const gs_pool_block *)b->node.child[1])
		manual += (b->node.note & (GS_MANUAL | GS_EVENTS)) == (GS_MANUAL | GS_EVENTS) &&
			b->events == 1;
	for (const gs_pool_block *b = p->deferred.head; b; b = (const gs_pool_block *)b->node.child[1])
		deferred += (b->node.note & (GS_DEFERRED | GS_USES)) == (GS_DEFERRED | GS_USES);
	if (manual != s->manual || deferred != s->deferred)
		return WRONG("%zu + %zu blocks wait in lists, %zu + %zu are marked", manual, deferred,
			s->manual, s->deferred);
	const gs_order_slot *q;
	for (size_t at = 0; (q = gs_order_from(&p->queues, &at)); at++)
		for (const gs_event_entry *e = q->first; e; e = e->next)
			if (!(e->block->node.note & GS_EVENTS) || (!e->next && q->last != e))
				return WRONG("an event in queue %zu belongs to no waiting block", at);
	const gs_order_slot *u;
	for (size_t at = 0; (u = gs_order_from(&p->unused, &at)); at++)
		if (((const gs_private *)u->first)->users)
			return WRONG("a private pool in use is listed as unused");
	return GS_OK;
}

gs_status gs_pool_check(const gs_pool *p, gs_error *err)
{
	sums s = {0};
	gs_status status = check_block_pools(p, p->block_pools, &s, err);
	for (const gs_private *q = p->privates; q && !status; q = q->next)
		status = q->users < 0 || q->allocations < 0 ? WRONG("a private pool's counts are negative")
													: check_block_pools(p, q->block_pools, &s, err);
	if (!status)
		status = check_sums(p, &s, err);
	return status ? status : check_waiting(p, &s, err);
}
