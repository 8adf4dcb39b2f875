/* The last events of a device: a ring that overwrites the oldest. Not thread-safe: the device's
 * lock guards it. */
#ifndef GS_RECORDER_DUMP_RING_H
#define GS_RECORDER_DUMP_RING_H

#include <stdint.h>

#include "recorder/capture/cache_line.h"
#include "recorder/capture/pages.h"
#include "schema/status.h"
#include "schema/terms.h"

enum { GS_RING_POOLS = 255, GS_RING_AHEAD = 6 };

typedef struct gs_ring_event {
	union {
		uint64_t address;
		uint64_t device_free; /* of an oom and a refusal, which have no address; ≥ 2^63 unknown */
	};
	uint64_t size, ticks, stream;
	gs_id stack;
	uint16_t tag;
	uint8_t pool;   /* index in pools, GS_RING_POOLS: not kept */
	uint8_t action; /* gs_action */
} gs_ring_event;

typedef struct gs_ring {
	gs_ring_event *events;
	uint32_t cap;
	uint32_t next;  /* where the next one goes */
	uint64_t count; /* events ever */
	uint64_t ticks; /* of the last one: times never run backwards */
	/* a stream's thread reads them at every event; the fields before are written at every event */
	_Alignas(GS_CACHE_LINE) gs_pool_id pools[GS_RING_POOLS];
	_Alignas(GS_CACHE_LINE) uint32_t npools, last_pool;
} gs_ring;

/* A ring of cap events (0: keeps none, counts them). */
gs_status gs_ring_init(gs_ring *r, uint32_t cap, gs_pages *pages);
void gs_ring_release(gs_ring *r, gs_pages *pages);

/* Index of a pool id in pools, added when new. */
uint8_t gs_ring_pool_slowly(gs_ring *r, gs_pool_id id);

/* The same, at once where it is that of the event before. */
static inline uint8_t gs_ring_pool(gs_ring *r, gs_pool_id id)
{
	const gs_pool_id *last = &r->pools[r->last_pool];
	return last->a == id.a && last->b == id.b ? (uint8_t)r->last_pool : gs_ring_pool_slowly(r, id);
}

/* Adds an event, over the oldest where the ring is full; one that is earlier than the last gets its
 * time. */
static inline void gs_ring_push(gs_ring *r, const gs_ring_event *e)
{
	r->count++;
	if (!r->cap)
		return;
	/* the line is not in the cache any more, and a store waits for it; it is there when its turn
	 * comes */
	__builtin_prefetch(&r->events[r->next] + GS_RING_AHEAD, 1);
	r->events[r->next] = *e;
	if (e->ticks < r->ticks)
		r->events[r->next].ticks = r->ticks;
	else
		r->ticks = e->ticks;
	if (++r->next == r->cap)
		r->next = 0;
}

/* How many events it holds. */
static inline uint32_t gs_ring_kept(const gs_ring *r)
{
	return r->count < r->cap ? (uint32_t)r->count : r->cap;
}

/* Copies what it holds, oldest first; to has room for cap events. */
void gs_ring_copy(const gs_ring *r, gs_ring_event *to);

#endif
