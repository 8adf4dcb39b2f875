/* The ring of events. */
#include "recorder/dump/ring.h"

#include <string.h>

gs_status gs_ring_init(gs_ring *r, uint32_t cap, gs_pages *pages)
{
	memset(r, 0, sizeof *r);
	r->npools = 1; /* the default pool, (0,0) */
	r->events = gs_pages_take(pages, cap * sizeof *r->events);
	if (cap && !r->events)
		return GS_NO_MEMORY;
	r->cap = cap;
	return GS_OK;
}

void gs_ring_release(gs_ring *r, gs_pages *pages)
{
	gs_pages_give(pages, r->events, r->cap * sizeof *r->events);
	memset(r, 0, sizeof *r);
}

uint8_t gs_ring_pool_slowly(gs_ring *r, gs_pool_id id)
{
	uint32_t i = 0;
	while (i < r->npools && (r->pools[i].a != id.a || r->pools[i].b != id.b))
		i++;
	if (i == GS_RING_POOLS)
		return GS_RING_POOLS;
	if (i == r->npools)
		r->pools[r->npools++] = id;
	r->last_pool = i;
	return (uint8_t)i;
}

void gs_ring_copy(const gs_ring *r, gs_ring_event *to)
{
	uint32_t kept = gs_ring_kept(r), old = kept == r->cap ? r->cap - r->next : 0;
	if (!kept)
		return;
	if (kept < r->cap) {
		memcpy(to, r->events, kept * sizeof *to);
		return;
	}
	memcpy(to, r->events + r->next, old * sizeof *to);
	memcpy(to + old, r->events, r->next * sizeof *to);
}
