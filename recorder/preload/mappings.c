/* Handles with their holds, and mappings by address. */
#include "recorder/preload/mappings.h"

#include <stdatomic.h>

enum { GRANULE = 64 << 10 }; /* mappings begin at multiples of at least this */
enum { PAGE = 2 << 20 };

/* From 2^60 on: beyond every address of a processor or a device. */
uint64_t gs_mappings_place(uint64_t bytes)
{
	static _Atomic uint64_t next = 1ull << 60;
	return atomic_fetch_add(&next, (bytes + PAGE - 1) / PAGE * PAGE);
}

static void hold(gs_mappings *m, uint64_t handle, uint64_t place, gs_pages *pages)
{
	gs_live_block b = {.address = handle, .size = place, .stream = 0};
	gs_live_take(&m->handles, handle, &b);
	b.stream++;
	gs_live_add(&m->handles, &b, pages);
}

void gs_mappings_create(gs_mappings *m, uint64_t handle, uint64_t place, gs_pages *pages)
{
	hold(m, handle, place, pages);
}

bool gs_mappings_knows(const gs_mappings *m, uint64_t handle)
{
	return gs_live_find(&m->handles, handle) != NULL;
}

uint64_t gs_mappings_release(gs_mappings *m, uint64_t handle)
{
	gs_live_block b;
	if (!gs_live_take(&m->handles, handle, &b))
		return 0;
	if (--b.stream == 0)
		return b.size;
	gs_live_add(&m->handles, &b, NULL); /* a slot is free: nothing grows */
	return 0;
}

void gs_mappings_map(
	gs_mappings *m, uint64_t address, uint64_t bytes, uint64_t handle, gs_pages *pages)
{
	gs_live_block range = {.address = address, .size = bytes, .stream = handle};
	gs_live_add(&m->ranges, &range, pages);
	hold(m, handle, 0, pages);
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
