/* Segments from before: put in as they were, without asking the device. */
#include <inttypes.h>

#include "recorder/pool/pool_internal.h"

static gs_status check_seed(const gs_pool *p, const gs_pool_seed *seed, gs_error *err)
{
	uint64_t sum = 0;
	if (!seed->address || !seed->size || !seed->nblocks ||
		seed->address + seed->size < seed->address)
		return gs_fail(err, GS_INVALID, "segment 0x%" PRIx64 " of %" PRIu64 " bytes is no segment",
			seed->address, seed->size);
	for (size_t i = 0; i < seed->nblocks; i++) {
		if (!seed->blocks[i].size || seed->blocks[i].size > seed->size - sum)
			return gs_fail(
				err, GS_INVALID, "segment 0x%" PRIx64 ": block %zu does not fit", seed->address, i);
		sum += seed->blocks[i].size;
	}
	if (sum != seed->size)
		return gs_fail(err, GS_INVALID,
			"segment 0x%" PRIx64 ": its blocks have %" PRIu64 " of %" PRIu64 " bytes",
			seed->address, sum, seed->size);
	if (seed->pool != GS_SMALL && seed->pool != GS_LARGE)
		return gs_fail(err, GS_INVALID, "segment 0x%" PRIx64 " has no pool class", seed->address);
	if (seed->expandable &&
		(!p->ops->reserve || seed->size % gs_rules_page_size(&p->settings, seed->pool)))
		return gs_fail(err, GS_INVALID,
			"segment 0x%" PRIx64 ": %" PRIu64 " bytes are no whole pages", seed->address,
			seed->size);
	return GS_OK;
}

static gs_region *region_at(const gs_pool *p, uint64_t address)
{
	gs_region *r = (gs_region *)gs_set_covering(&p->regions, 0, address);
	return r && address - r->node.address < r->size ? r : NULL;
}

static bool is_vacant(const gs_pool *p, uint64_t address, uint64_t size)
{
	const gs_node *n = gs_set_covering(&p->regions, 0, address + size - 1);
	return !n || n->address + ((const gs_region *)n)->size <= address;
}

static gs_block_pool *block_pool_of(gs_pool *p, const gs_pool_seed *seed)
{
	if (!seed->pool_id.a && !seed->pool_id.b)
		return &p->block_pools[seed->pool];
	for (;;) {
		for (gs_private *q = p->privates; q; q = q->next)
			if (q->id.a == seed->pool_id.a && q->id.b == seed->pool_id.b)
				return &q->block_pools[seed->pool];
		if (gs_pool_hold_private(p, seed->pool_id))
			return NULL;
	}
}

/* The block that stands for the seed's whole segment, in no set. */
static gs_pool_block *plain_segment(
	gs_pool *p, const gs_pool_seed *seed, gs_block_pool *blocks_of, gs_error *err)
{
	if (!is_vacant(p, seed->address, seed->size)) {
		gs_fail(err, GS_INVALID, "segment 0x%" PRIx64 " overlaps another", seed->address);
		return NULL;
	}
	gs_region *region = gs_region_new(
		p, blocks_of, seed->address, seed->size, seed->stream, seed->ctx);
	region->first = gs_block_new(p, region, seed->address, seed->size);
	gs_stat_add(p, GS_STAT_SEGMENT, blocks_of->class, 1);
	if (seed->size >= p->settings.max_split)
		gs_tally_change(&p->oversize_segments, 1);
	return region->first;
}

static gs_region *reservation_for(gs_pool *p, const gs_pool_seed *seed, gs_block_pool *blocks_of)
{
	uint64_t base = seed->reservation_address ? seed->reservation_address : seed->address;
	uint64_t page = gs_rules_page_size(&p->settings, seed->pool);
	uint64_t size = seed->reservation_size
		? seed->reservation_size
		: gs_rules_reservation(&p->settings, seed->pool, p->capacity);
	if (size < seed->address - base + seed->size)
		size = seed->address - base + seed->size;
	size = (size + page - 1) / page * page;
	if (base > seed->address || (seed->address - base) % page || !is_vacant(p, base, size) ||
		!gs_block_pool_reserve(p, blocks_of, seed->stream, size))
		return NULL;
	gs_region *region = gs_region_new(p, blocks_of, base, size, seed->stream, seed->ctx);
	region->page = page;
	gs_pool_block *b = gs_block_new(p, region, base, size);
	region->first = b;
	b->node.note |= GS_UNMAPPED;
	gs_block_insert_unmapped(p, b);
	return region;
}

/* Takes the seed's bytes out of the unmapped block that covers them; that block, mapped and in no
 * set. */
static gs_pool_block *mapped_run(
	gs_pool *p, const gs_pool_seed *seed, gs_block_pool *blocks_of, gs_error *err)
{
	gs_region *region = region_at(p, seed->address);
	if (!region && !(region = reservation_for(p, seed, blocks_of))) {
		gs_fail(err, GS_INVALID, "segment 0x%" PRIx64 " does not fit a reservation of its own",
			seed->address);
		return NULL;
	}
	gs_node *n = region->blocks_of == blocks_of && region->page
		? gs_set_covering(&blocks_of->unmapped, seed->stream, seed->address)
		: NULL;
	gs_pool_block *b = n ? gs_block_of(n) : NULL;
	uint64_t begin = (seed->address - region->node.address);
	if (!b || b->region != region || begin % region->page ||
		seed->address + seed->size > b->node.address + b->node.size ||
		!gs_region_reserve_handles(p, region, (begin + seed->size) / region->page)) {
		gs_fail(
			err, GS_INVALID, "segment 0x%" PRIx64 " does not fit its reservation", seed->address);
		return NULL;
	}
	gs_set_erase(&blocks_of->unmapped, n);
	uint64_t before = seed->address - b->node.address, after = b->node.size - before - seed->size;
	if (before) {
		gs_pool_block *piece = gs_block_new(p, region, b->node.address, before);
		piece->node.note |= GS_UNMAPPED;
		gs_block_link_before(piece, b);
		gs_block_insert_unmapped(p, piece);
	}
	if (after) {
		gs_pool_block *piece = gs_block_new(p, region, seed->address + seed->size, after);
		piece->node.note |= GS_UNMAPPED;
		gs_block_link_after(piece, b);
		gs_block_insert_unmapped(p, piece);
	}
	b->node.address = seed->address;
	b->node.size = seed->size;
	b->node.note &= ~(uint32_t)GS_UNMAPPED;
	uint64_t first = begin / region->page, pages = seed->size / region->page;
	for (uint64_t i = 0; i < pages; i++)
		region->handles[first + i] = 1;
	region->mapped += (uint32_t)pages;
	return b;
}

/* Makes b, in no set, what the seed says it is. */
static gs_pool_block *settle(gs_pool *p, gs_pool_block *b, const gs_pool_seed_block *seed)
{
	gs_pool_class c = gs_block_pool_of(b)->class;
	int64_t size = (int64_t)b->node.size;
	b->requested = seed->requested;
	b->ctx = seed->ctx;
	if (seed->state == GS_INACTIVE) {
		gs_block_merge(p, b, b->prev);
		gs_block_merge(p, b, b->next);
		gs_block_insert_free(p, b);
		return NULL;
	}
	gs_stat_add(p, GS_STAT_ACTIVE, c, 1);
	gs_stat_add(p, GS_STAT_ACTIVE_BYTES, c, size);
	gs_stat_add(p, GS_STAT_REQUESTED_BYTES, c, (int64_t)seed->requested);
	if (seed->state == GS_ACTIVE_PENDING_FREE) {
		b->events = 1;
		b->node.note |= GS_EVENTS | GS_MANUAL;
		gs_list_push(&p->manual, b);
		return b;
	}
	b->node.note |= GS_ALLOCATED;
	gs_stat_add(p, GS_STAT_ALLOCATION, c, 1);
	gs_stat_add(p, GS_STAT_ALLOCATED_BYTES, c, size);
	if (b->node.size >= p->settings.max_split)
		gs_tally_change(&p->oversize_allocations, 1);
	if (!(p->flags & GS_POOL_NO_INDEX))
		gs_index_add(&p->index, b->node.address, b);
	return b;
}

static void count_split_off(gs_pool *p, const gs_region *region)
{
	for (const gs_pool_block *b = region->first; b && !region->page; b = b->next) {
		if (!gs_block_is_free(b) || !gs_block_is_split(b))
			continue;
		gs_stat_add(p, GS_STAT_INACTIVE_SPLIT, region->blocks_of->class, 1);
		gs_stat_add(
			p, GS_STAT_INACTIVE_SPLIT_BYTES, region->blocks_of->class, (int64_t)b->node.size);
	}
}

static gs_status fill_segment(
	gs_pool *p, const gs_pool_seed *seed, gs_pool_block *rest, gs_pool_block **out)
{
	for (size_t i = 0; i < seed->nblocks; i++) {
		const gs_pool_seed_block *sb = &seed->blocks[i];
		gs_pool_block *b = rest;
		if (!gs_slab_reserve(&p->blocks, 1) ||
			(!(p->flags & GS_POOL_NO_INDEX) && !gs_index_reserve(&p->index))) {
			rest->node.note &= ~(uint32_t)GS_USES;
			settle(p, rest, &(gs_pool_seed_block){.state = GS_INACTIVE});
			return GS_NO_MEMORY;
		}
		if (i + 1 < seed->nblocks) {
			b = gs_block_new(p, rest->region, rest->node.address, sb->size);
			rest->node.address += sb->size;
			rest->node.size -= sb->size;
			gs_block_link_before(b, rest);
			rest->node.note |= GS_USES; /* not to be merged while it is in no set */
		} else {
			rest->node.note &= ~(uint32_t)GS_USES;
		}
		gs_pool_block *settled = settle(p, b, sb);
		if (out)
			out[i] = settled;
	}
	return GS_OK;
}

gs_status gs_pool_adopt(
	gs_pool *p, const gs_pool_seed *seed, gs_pool_block **blocks_out, gs_error *err)
{
	gs_status status = check_seed(p, seed, err);
	if (status)
		return status;
	gs_block_pool *blocks_of = block_pool_of(p, seed);
	if (!blocks_of || !gs_slab_reserve(&p->blocks, 4) || !gs_slab_reserve(&p->regions_slab, 1) ||
		!gs_block_pool_reserve(p, blocks_of, seed->stream, seed->size))
		return gs_fail(err, GS_NO_MEMORY, "no memory for the bookkeeping of a segment");
	gs_pool_block *b = seed->expandable ? mapped_run(p, seed, blocks_of, err)
										: plain_segment(p, seed, blocks_of, err);
	if (!b)
		return GS_INVALID;
	gs_region *region = b->region;
	p->reserved += seed->size;
	gs_stat_add(p, GS_STAT_RESERVED_BYTES, blocks_of->class, (int64_t)seed->size);
	if (blocks_of->owner)
		blocks_of->owner->allocations++;
	status = fill_segment(p, seed, b, blocks_out);
	count_split_off(p, region);
	return status ? gs_fail(err, status, "no memory for the bookkeeping of a segment") : GS_OK;
}
