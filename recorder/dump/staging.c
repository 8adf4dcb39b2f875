/* Copying a pool and its ring. */
#include "recorder/dump/staging.h"

#include <string.h>

gs_status gs_staging_init(gs_staging *s, uint32_t events, gs_pages *pages)
{
	memset(s, 0, sizeof *s);
	s->pages = pages;
	s->events = gs_pages_take(pages, events * sizeof *s->events);
	if (events && !s->events)
		return GS_NO_MEMORY;
	s->cap_events = events;
	return GS_OK;
}

static void give_arrays(
	gs_staging *s, gs_stage_segment *segments, gs_stage_block *blocks, size_t room)
{
	gs_pages_give(s->pages, segments, room * sizeof *segments);
	gs_pages_give(s->pages, blocks, room * sizeof *blocks);
}

void gs_staging_release(gs_staging *s)
{
	if (!s->pages)
		return;
	gs_pages_give(s->pages, s->events, s->cap_events * sizeof *s->events);
	give_arrays(s, s->segments, s->blocks, s->room);
	give_arrays(s, s->next_segments, s->next_blocks, s->next_room);
	memset(s, 0, sizeof *s);
}

/* Takes the larger arrays into use, if there are any and nobody reads the present ones. */
static void settle(gs_staging *s)
{
	if (s->in_use || !s->next_room)
		return;
	give_arrays(s, s->segments, s->blocks, s->room);
	s->segments = s->next_segments;
	s->blocks = s->next_blocks;
	s->room = s->next_room;
	s->next_segments = NULL;
	s->next_blocks = NULL;
	s->next_room = 0;
}

gs_status gs_staging_reserve(gs_staging *s, size_t metadata_bytes)
{
	size_t room = metadata_bytes / GS_STAGE_OBJECT + 1;
	if (room <= s->room || room <= s->next_room)
		return GS_OK;
	room += room / 2;
	gs_stage_segment *segments = gs_pages_take(s->pages, room * sizeof *segments);
	gs_stage_block *blocks = gs_pages_take(s->pages, room * sizeof *blocks);
	if (!segments || !blocks) {
		give_arrays(s, segments, blocks, room);
		return GS_NO_MEMORY;
	}
	give_arrays(s, s->next_segments, s->next_blocks, s->next_room);
	s->next_segments = segments;
	s->next_blocks = blocks;
	s->next_room = room;
	settle(s);
	return GS_OK;
}

static gs_status take_segment(void *user, const gs_pool_segment_info *i)
{
	gs_staging *s = user;
	if (s->nsegments == s->room) {
		s->whole = false;
		return GS_LIMIT;
	}
	s->segments[s->nsegments++] = (gs_stage_segment){
		i->address, i->size, i->stream, i->pool_id, i->ctx.stack, (uint8_t)i->pool, i->expandable};
	return GS_OK;
}

static gs_status take_block(void *user, const gs_pool_block_info *i)
{
	gs_staging *s = user;
	if (s->nblocks == s->room || !s->nsegments) {
		s->whole = false;
		return GS_LIMIT;
	}
	bool live = i->state != GS_INACTIVE;
	s->blocks[s->nblocks++] = (gs_stage_block){i->address, i->size, i->requested,
		(uint32_t)(s->nsegments - 1), live ? i->ctx.stack : 0, live ? (uint16_t)i->ctx.tag : 0,
		(uint8_t)i->state};
	return GS_OK;
}

void gs_staging_copy(gs_staging *s, const gs_pool *pool, const gs_ring *ring)
{
	static const gs_pool_visitor visitor = {take_segment, take_block};
	settle(s);
	s->nsegments = s->nblocks = 0;
	s->whole = true;
	gs_pool_walk(pool, &visitor, s);
	gs_pool_get_stats(pool, &s->stats);
	s->settings = *gs_pool_get_settings(pool);
	s->rules = gs_pool_rules_name(pool);
	uint64_t allowed = gs_pool_allowed(pool);
	s->allowed = allowed > INT64_MAX ? GS_NONE : (int64_t)allowed;
	s->count = ring->count;
	memcpy(s->pools, ring->pools, sizeof s->pools);
	s->nevents = s->cap_events ? gs_ring_kept(ring) : 0; /* a stream's layouts need none */
	if (s->nevents)
		gs_ring_copy(ring, s->events);
}
