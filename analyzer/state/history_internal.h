/* What a history keeps for itself (state.h), shared by the files that make it and play it. */
#ifndef GS_ANALYZER_STATE_HISTORY_INTERNAL_H
#define GS_ANALYZER_STATE_HISTORY_INTERNAL_H

#include "analyzer/policy/policy.h"
#include "analyzer/state/state.h"
#include "analyzer/state/mapped_memory.h"
#include "analyzer/state/address_index.h"

/* How a block's size is known, and marks on events. */
enum gs_size_source {
	GS_SIZE_BY_RULE = 0, /* rounding and splitting say so; no address contradicts */
	GS_SIZE_PROVEN = 1,  /* the captured layout or an allocation behind it says so */
	GS_SIZE_OPEN = 2,    /* between bounds */
	GS_SIZE_SOURCE_MASK = 3,
	GS_SIZE_OF_OWN_SEGMENT = 4, /* the block is a segment of its own which no event told */
	GS_FREE_DIRECT = 8          /* free_completed without free_requested before */
};

/* A block that was there before the first event. */
typedef struct gs_preexisting_block {
	uint64_t size, high; /* high: of an open size, the greatest that the addresses allow */
	uint64_t requested;
	uint32_t number;
	uint32_t captured; /* index + 1 of the captured block that it still is; 0: freed in the trace */
	gs_id stack, tag;
	uint8_t state; /* gs_block_state */
	uint8_t size_source;
} gs_preexisting_block;

/* An event about segments, with the traits of its bytes. */
typedef struct gs_move {
	uint32_t event, traits;
} gs_move;

typedef struct gs_piece {
	uint64_t size;
	uint32_t number, traits;
} gs_piece;

typedef struct gs_history_tables {
	const gs_policy *policy;
	gs_pool_settings settings;
	gs_address_index addresses;
	uint32_t *at;         /* by event: address number, GS_NO_ADDRESS where it has none */
	uint8_t *size_source; /* by event: alloc: gs_size_source of the block; free_completed:
							 GS_FREE_DIRECT */
	uint32_t *survivor;   /* by address number: index + 1 of the captured active block there */
	int32_t
		*kept; /* by address number: alloc event of that block, -1 there before; -2 no such block */
	gs_preexisting_block *preexisting;
	uint32_t npreexisting;
	gs_piece *pieces; /* mapped before the first event */
	uint32_t npieces;
	gs_move *moves; /* segment events in order */
	size_t nmoves;
	gs_traits_table traits;
	bool own_segments;     /* a log of blocks without segments: each is one */
	uint32_t own_traits;   /* then: traits of the first stream's, the others follow */
	bool private_pools;    /* some pool id other than (0,0) is known */
	bool frees_tell_birth; /* the stack of a free is that of its allocation, not of the call that
							  freed */
	bool mixed;            /* segments both expandable and not: the setting may have changed */
	size_t cap_large;      /* of the history's large */
	bool short_of_memory;  /* a size could not be kept */
	size_t conflicts;      /* sizes that the rules foretold otherwise than the addresses say */
	int64_t last_change;   /* the last event that changes anything, -1 */
	int64_t peak_allocated, peak_reserved;
	gs_running_totals at_peak; /* after the event peak_allocated */
} gs_history_tables;

/* Where memory is short, short_of_memory is set. */
void gs_history_set_size(gs_history *h, size_t i, uint64_t size);

/* Records a contradiction; the first one's text becomes the note. */
void gs_history_contradict(gs_history *h, size_t event, uint64_t address, const char *what);

/* The state as events are played: who is active, since when, and what is mapped. */
typedef struct gs_playback {
	const gs_history *h;
	gs_address_set active;
	uint8_t *pending; /* by address number */
	int32_t
		*birth; /* by address number, of active ones: alloc event, or -2 - index in preexisting */
	gs_mapped_memory map;
	size_t move; /* next of h->tables->moves */
} gs_playback;

gs_status gs_playback_init(gs_playback *r, const gs_history *h); /* before the first event */
void gs_playback_release(gs_playback *r);
void gs_playback_step(gs_playback *r, size_t i); /* events must be played in order */

uint64_t gs_playback_size(const gs_playback *r, uint32_t number); /* of the active block there */
uint8_t gs_playback_size_source(const gs_playback *r, uint32_t number);
/* Where the free memory that begins at an address ends: the next active block or the end of the
 * piece.
 */
uint64_t gs_playback_free_end(const gs_playback *r, uint32_t piece, uint32_t number);

/* Before the first event: the blocks that were there (fills preexisting, survivor, kept); then the
 * pieces of memory (fills moves, pieces, traits). */
gs_status gs_history_find_preexisting(gs_history *h);
gs_status gs_history_find_pieces(gs_history *h);

/* Plays all events: finds the sizes of blocks, and what does not agree. */
gs_status gs_history_infer(gs_history *h);

static inline bool gs_action_is_block(gs_action a)
{
	return a == GS_ACTION_ALLOC || a == GS_ACTION_FREE_REQUESTED || a == GS_ACTION_FREE_COMPLETED;
}
static inline bool gs_action_is_segment(gs_action a)
{
	return a >= GS_ACTION_SEGMENT_ALLOC && a <= GS_ACTION_SEGMENT_UNMAP;
}
static inline bool gs_action_adds_memory(gs_action a)
{
	return a == GS_ACTION_SEGMENT_ALLOC || a == GS_ACTION_SEGMENT_MAP;
}

static inline void gs_take_bytes(uint64_t *from, uint64_t bytes)
{
	*from -= bytes < *from ? bytes : *from;
}

/* gs_running_totals_step, for loops over the whole trace. */
static inline void gs_history_add_up(const gs_history *h, size_t i, gs_running_totals *g)
{
	const gs_history_tables *w = h->tables;
	const gs_event *e = &h->device->trace.events[i];
	uint64_t size = gs_history_size(h, i);
	if (w->at[i] == GS_NO_ADDRESS)
		return;
	switch (gs_event_action(e)) {
	case GS_ACTION_ALLOC:
		g->allocated += size;
		g->reserved += w->size_source[i] & GS_SIZE_OF_OWN_SEGMENT ? size : 0;
		break;
	case GS_ACTION_FREE_REQUESTED:
		gs_take_bytes(&g->allocated, size);
		g->pending += size;
		break;
	case GS_ACTION_FREE_COMPLETED:
		gs_take_bytes(w->size_source[i] & GS_FREE_DIRECT ? &g->allocated : &g->pending, size);
		gs_take_bytes(&g->reserved, w->own_segments ? size : 0);
		break;
	case GS_ACTION_SEGMENT_ALLOC:
	case GS_ACTION_SEGMENT_MAP: g->reserved += e->size; break;
	default: gs_take_bytes(&g->reserved, e->size); break;
	}
}

#endif
