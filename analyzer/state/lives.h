/* The life of every block of a history: the events that made it, asked for it to be freed, and
 * freed it.
 *
 * Lives are numbered by birth; those of blocks that were there before the first event come first,
 * by address. At any event the blocks that live are those of the layout which is played to there
 * (gs_history_layout). Facts of a block are those of the history; they are looked up, not copied,
 * so that a life costs 12 bytes and 64 events 12. The history must outlive the lives. */
#ifndef GS_ANALYZER_STATE_LIVES_H
#define GS_ANALYZER_STATE_LIVES_H

#include "analyzer/state/state.h"

enum { GS_LIFE_BEFORE = -1, GS_LIFE_NEVER = INT32_MAX };
#define GS_NO_LIFE UINT32_MAX

typedef struct gs_life {
	int32_t birth; /* event of its allocation; GS_LIFE_BEFORE: it was there */
	int32_t freed; /* event that asked for it to be freed (it is pending then), or that freed it at
					  once; GS_LIFE_BEFORE: it was pending before the first; GS_LIFE_NEVER */
	int32_t death; /* event after which it is gone, GS_LIFE_NEVER */
} gs_life;

/* A block that was there: where it is in history->initial, its segment's stream and pool. */
typedef struct gs_life_before {
	uint32_t block;
	uint16_t stream, pool; /* as gs_life_stream and gs_life_pool */
} gs_life_before;

/* A block that was not seen to go before its address was given away again: it ends with that event.
 */
typedef struct gs_life_unseen {
	int32_t event;
	uint32_t life;
} gs_life_unseen;

/* An event whose life is not the one that its block's birth tells. */
typedef struct gs_life_of_event {
	uint32_t event, life;
} gs_life_of_event;

typedef struct gs_lives {
	const gs_history *history;
	gs_life *all;
	gs_life_before *first; /* of the first `before` lives */
	uint32_t n, before;    /* before: how many were there before the first event */
	uint64_t *begins;      /* a bit an event: it begins a life */
	uint32_t *begun;       /* by 64 events: the lives that are there before the first of them */
	gs_life_of_event *odd; /* ascending; none in a trace without contradictions */
	size_t nodd, cap_odd;
	gs_life_unseen *unseen; /* ascending by event; none in a trace without contradictions */
	size_t nunseen;
	gs_pool_id *pools; /* the snapshot's, then those that segments alone tell of */
	uint16_t npools;
	uint16_t usual_pool; /* of a life whose own is not told; as gs_life_pool */
	uint16_t *lie_in;    /* the same by life behind the first `before`; NULL: usual_pool for all */
} gs_lives;

#define GS_LIVES_INIT \
	{                 \
		0             \
	}

/* O(events). GS_NO_MEMORY. Release in any case. */
gs_status gs_lives_init(gs_lives *lives, const gs_history *h, gs_error *err);
void gs_lives_release(gs_lives *lives);
/* A part of gs_lives_init: pools, usual_pool, lie_in; births: allocations among the events.
 * GS_NO_MEMORY. */
gs_status gs_lives_find_pools(gs_lives *lives, size_t births);

/* Its address, its rounded size in bytes, the stack that allocated it; and the whole block, as a
 * layout shows it (segment 0, allocated). */
uint64_t gs_life_address(const gs_lives *lives, uint32_t life);
uint64_t gs_life_size(const gs_lives *lives, uint32_t life);
gs_block gs_life_block(const gs_lives *lives, uint32_t life);

/* The tag that it was allocated under, 0 none. */
gs_id gs_life_tag(const gs_lives *lives, uint32_t life);

/* Whether it lives (allocated or pending) after event idx, -1 before the first. */
static inline bool gs_life_lives(const gs_life *life, int64_t idx)
{
	return life->birth <= idx && idx < life->death;
}

/* The stream and the pool of a life: index + 1 in the snapshot's streams and in lives->pools, 0
 * unknown. Of a block that was there before, the segment's; where events tell no pool, that of the
 * segment in which the block was born. */
uint16_t gs_life_stream(const gs_lives *lives, uint32_t life);
uint16_t gs_life_pool(const gs_lives *lives, uint32_t life);

/* The life that an event begins, asks to free, or ends; GS_NO_LIFE. A few steps, of a block that
 * was there before some more. */
uint32_t gs_life_at(const gs_lives *lives, size_t event);

/* The life of a live block of a layout of the same history; GS_NO_LIFE where the layout contradicts
 * the trace. */
uint32_t gs_lives_of_block(const gs_lives *lives, const gs_block *b);

#endif
