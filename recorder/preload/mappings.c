/* Handles with their holds, and mappings by address. */
#include "recorder/preload/mappings.h"

enum { GRANULE = 64 << 10 }; /* mappings begin at multiples of at least this */

static void hold(gs_mappings *m, uint64_t handle, uint64_t bytes, gs_pages *pages)
{
	gs_live_block b = {.address = handle, .size = bytes, .stream = 0};
	gs_live_take(&m->handles, handle, &b);
	b.stream++;
	gs_live_add(&m->handles, &b, pages);
}

void gs_mappings_create(gs_mappings *m, uint64_t handle, uint64_t bytes, gs_pages *pages)
{
	hold(m, handle, bytes, pages);
}

bool gs_mappings_knows(const gs_mappings *m, uint64_t handle)
{
	return gs_live_find(&m->handles, handle) != NULL;
}

bool gs_mappings_release(gs_mappings *m, uint64_t handle)
{
	gs_live_block b;
	if (!gs_live_take(&m->handles, handle, &b))
		return false;
	if (--b.stream == 0)
		return true;
	gs_live_add(&m->handles, &b, NULL); /* a slot is free: nothing grows */
	return false;
}

void gs_mappings_map(
	gs_mappings *m, uint64_t address, uint64_t bytes, uint64_t handle, gs_pages *pages)
{
	gs_live_block range = {.address = address, .size = bytes, .stream = handle};
	gs_live_add(&m->ranges, &range, pages);
	hold(m, handle, bytes, pages);
}

uint64_t gs_mappings_unmap(gs_mappings *m, uint64_t *at, uint64_t end)
{
	gs_live_block range;
	while (*at < end && m->ranges.n) {
		if (gs_live_take(&m->ranges, *at, &range)) {
			*at += range.size ? range.size : GRANULE;
			return range.stream;
		}
		if (end - *at <= GRANULE)
			break;
		*at += GRANULE;
	}
	return 0;
}

uint64_t gs_mappings_at(const gs_mappings *m, uint64_t address)
{
	const gs_live_block *range = gs_live_find(&m->ranges, address);
	return range ? range->stream : 0;
}
