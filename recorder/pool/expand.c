/* Expandable segments: reservations whose pages get memory as they are needed. */
#include "recorder/pool/pool_internal.h"

/* Do free and unmapped neighbours from b on add up to size. */
static bool has_room(const gs_pool_block *b, uint64_t size)
{
	uint64_t sum = 0;
	for (; b && sum < size && !(b->node.note & GS_BUSY); b = b->next)
		sum += b->node.size;
	return sum >= size;
}

/* The lowest place of the stream, by unmapped blocks, where size fits; it may begin with the free
 * block before. */
static gs_pool_block *find_place(const gs_block_pool *blocks_of, uint64_t stream, uint64_t size)
{
	for (gs_node *n = gs_set_at_least(&blocks_of->unmapped, stream, 0); n && n->stream == stream;
		 n = gs_set_next(n)) {
		gs_pool_block *b = gs_block_of(n);
		if (b->prev && !(b->prev->node.note & GS_BUSY))
			b = b->prev;
		if (has_room(b, size))
			return b;
	}
	return NULL;
}

static gs_pool_block *reserve(gs_pool *p, gs_request *r)
{
	uint64_t size = gs_rules_reservation(&p->settings, r->blocks_of->class, p->capacity),
			 address = 0;
	if (!gs_slab_reserve(&p->regions_slab, 1) || !gs_slab_reserve(&p->blocks, 2) ||
		!gs_block_pool_reserve(p, r->blocks_of, r->stream, size)) {
		r->status = GS_NO_MEMORY;
		return NULL;
	}
	if ((r->status = p->ops->reserve(p->device, size, &address)))
		return NULL;
	gs_region *region = gs_region_new(p, r->blocks_of, address, size, r->stream, r->ctx);
	region->page = gs_rules_page_size(&p->settings, r->blocks_of->class);
	gs_pool_block *b = gs_block_new(p, region, address, size);
	region->first = b;
	b->node.note |= GS_UNMAPPED;
	gs_block_insert_unmapped(p, b);
	return b;
}

/* Cuts from b's end what lies behind size and returns it, unmapped. */
static void cut_unmapped(gs_pool *p, gs_pool_block *b, uint64_t size)
{
	gs_pool_block *rest = gs_block_new(p, b->region, b->node.address + size, b->node.size - size);
	rest->node.note |= GS_UNMAPPED;
	gs_block_link_after(rest, b);
	gs_block_insert_unmapped(p, rest);
	b->node.size = size;
}

/* Puts memory behind the first size bytes of an unmapped block, in whole pages, and joins it with
 * free neighbours. The block is then in the free set. False when the device has not enough (or
 * r->status is set). */
static bool map(gs_pool *p, gs_request *r, gs_pool_block *b, uint64_t size)
{
	gs_region *region = b->region;
	uint64_t at = b->node.address, begin = (at - region->node.address) / region->page;
	uint64_t pages = (size + region->page - 1) / region->page;
	if (!gs_slab_reserve(&p->blocks, 2) || !gs_region_reserve_handles(p, region, begin + pages)) {
		r->status = GS_NO_MEMORY;
		return false;
	}
	gs_status status = p->ops->map(
		p->device, at, region->page, (uint32_t)pages, region->handles + begin);
	if (status) {
		r->status = status == GS_DEVICE_MEMORY ? GS_OK : status;
		return false;
	}
	uint64_t mapped = pages * region->page;
	gs_set_erase(&region->blocks_of->unmapped, &b->node);
	b->node.note &= ~(uint32_t)GS_UNMAPPED;
	region->mapped += (uint32_t)pages;
	if (mapped < b->node.size)
		cut_unmapped(p, b, mapped);
	gs_block_merge(p, b, b->prev);
	gs_block_merge(p, b, b->next);
	gs_block_insert_free(p, b);
	p->reserved += mapped;
	gs_stat_add(p, GS_STAT_RESERVED_BYTES, region->blocks_of->class, (int64_t)mapped);
	p->device_allocs++;
	gs_pool_tell(p, GS_ACTION_SEGMENT_MAP, region, at, mapped, b->node.stream, r->ctx);
	return true;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

gs_pool_block *gs_expandable_allocate(gs_pool *p, gs_request *r)
{
	gs_pool_block *b = find_place(r->blocks_of, r->stream, r->rounded);
	if (!b && !(b = reserve(p, r)))
		return NULL;
	if ((b->node.note & GS_UNMAPPED) && !map(p, r, b, least(b->node.size, r->rounded)))
		return NULL;
	while (b->node.size < r->rounded) {
		gs_pool_block *next = b->next; /* unmapped, for b is free and grew as far as it is mapped */
		if (!next || !(next->node.note & GS_UNMAPPED) ||
			!map(p, r, next, least(r->rounded - b->node.size, next->node.size)))
			return NULL;
		b = next; /* which swallowed b */
	}
	gs_size_bins_erase(b->region->bins, &b->node);
	return b;
}

/* The parts of b before and behind the pages that lose their memory stay as free blocks of their
 * own. */
static void keep_edges(gs_pool *p, gs_pool_block *b, uint64_t begin, uint64_t end)
{
	uint64_t before = begin - b->node.address, after = b->node.address + b->node.size - end;
	if (before) {
		gs_pool_block *piece = gs_block_new(p, b->region, b->node.address, before);
		gs_block_link_before(piece, b);
		gs_block_insert_free(p, piece);
	}
	if (after) {
		gs_pool_block *piece = gs_block_new(p, b->region, end, after);
		gs_block_link_after(piece, b);
		gs_block_insert_free(p, piece);
	}
	b->node.address = begin;
	b->node.size = end - begin;
}

static gs_status drop_reservation(gs_pool *p, gs_pool_block *b)
{
	gs_region *region = b->region;
	gs_status status = p->ops->unreserve(p->device, region->node.address, region->size);
	gs_set_erase(&region->blocks_of->unmapped, &b->node);
	gs_slab_put(&p->blocks, b);
	gs_region_drop(p, region);
	return status;
}

gs_status gs_expandable_unmap(gs_pool *p, gs_pool_block *b)
{
	gs_region *region = b->region;
	gs_block_pool *blocks_of = region->blocks_of;
	uint64_t base = region->node.address, page = region->page;
	uint64_t first = (b->node.address - base + page - 1) / page,
			 last = (b->node.address + b->node.size - base) / page;
	if (first >= last)
		return GS_OK;
	if (!gs_slab_reserve(&p->blocks, 2))
		return GS_NO_MEMORY;
	gs_status status = p->ops->stream_sync ? p->ops->stream_sync(p->device, b->node.stream) : GS_OK;
	if (!status)
		status = p->ops->unmap(p->device, base + first * page, page, (uint32_t)(last - first),
			region->handles + first);
	if (status)
		return status;
	uint64_t begin = base + first * page, bytes = (last - first) * page;
	gs_size_bins_erase(region->bins, &b->node);
	keep_edges(p, b, begin, begin + bytes);
	b->node.note |= GS_UNMAPPED;
	gs_block_merge(p, b, b->prev);
	gs_block_merge(p, b, b->next);
	gs_block_insert_unmapped(p, b);
	region->mapped -= (uint32_t)(last - first);
	p->reserved -= bytes;
	gs_stat_sub(p, GS_STAT_RESERVED_BYTES, blocks_of->class, (int64_t)bytes);
	if (blocks_of->owner && blocks_of->owner->allocations > 0)
		blocks_of->owner->allocations--;
	p->device_frees++;
	gs_pool_tell(p, GS_ACTION_SEGMENT_UNMAP, region, begin, bytes, b->node.stream, region->ctx);
	return gs_block_is_split(b) ? GS_OK : drop_reservation(p, b);
}
