/* What a history keeps for itself (state.h), shared by the files that make it and play it. */
#ifndef GS_ANALYZER_STATE_WORK_H
#define GS_ANALYZER_STATE_WORK_H

#include "analyzer/policy/policy.h"
#include "analyzer/state/state.h"
#include "analyzer/state/mapped_memory.h"
#include "analyzer/state/address_index.h"

/* How a block's size is known, and marks on events. */
enum gs_how {
	GS_HOW_RULE = 0,   /* rounding and splitting say so; no address contradicts */
	GS_HOW_PROVEN = 1, /* the captured layout or an allocation behind it says so */
	GS_HOW_OPEN = 2,   /* between bounds */
	GS_HOW_MASK = 3,
	GS_HOW_OWN_SEGMENT = 4, /* the block is a segment of its own which no event told */
	GS_HOW_DIRECT = 8       /* free_completed without free_requested before */
};

/* A block that was there before the first event. */
typedef struct gs_born {
	uint64_t size, high; /* high: of an open size, the greatest that the addresses allow */
	uint64_t requested;
	uint32_t place;
	uint32_t captured; /* index + 1 of the captured block that it still is; 0: freed in the trace */
	gs_id stack, tag;
	uint8_t state; /* gs_block_state */
	uint8_t how;
} gs_born;

/* An event about segments, with the traits of its bytes. */
typedef struct gs_move {
	uint32_t event, traits;
} gs_move;

typedef struct gs_piece {
	uint64_t size;
	uint32_t place, traits;
} gs_piece;

typedef struct gs_history_work {
	const gs_policy *policy;
	gs_pool_settings settings;
	gs_places places;
	uint32_t *at;       /* by event: place, GS_NO_PLACE where it has none */
	uint8_t *how;       /* by event: alloc: gs_how of the block; free_completed: GS_HOW_DIRECT */
	uint32_t *survivor; /* by place: index + 1 of the captured active block there */
	int32_t *kept;      /* by place: alloc event of that block, -1 born before; -2 no such block */
	gs_born *born;
	uint32_t nborn;
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
	size_t conflicts;      /* sizes that the rules foretold otherwise than the addresses say */
	int64_t last_change;   /* the last event that changes anything, -1 */
	int64_t peak_allocated, peak_reserved;
} gs_history_work;

/* Records a contradiction; the first one's text becomes the note. */
void gs_history_contradict(gs_history *h, size_t event, uint64_t address, const char *what);

/* The state as events are played: who is active, since when, and what is mapped. */
typedef struct gs_playback {
	const gs_history *h;
	gs_place_set active;
	uint8_t *pending; /* by place */
	int32_t *birth;   /* by place, of active ones: alloc event, or -2 - index in born */
	gs_map map;
	size_t move; /* next of h->work->moves */
} gs_playback;

gs_status gs_playback_init(gs_playback *r, const gs_history *h); /* before the first event */
void gs_playback_release(gs_playback *r);
gs_status gs_playback_step(gs_playback *r, size_t i); /* events must be played in order */

uint64_t gs_playback_size(const gs_playback *r, uint32_t place); /* of the active block there */
uint8_t gs_playback_how(const gs_playback *r, uint32_t place);
/* Where the free memory that begins at place ends: the next active block or the end of the piece.
 */
uint64_t gs_playback_free_end(const gs_playback *r, uint32_t piece, uint32_t place);

/* Plays all events: finds the sizes of blocks, and what does not agree. */
gs_status gs_history_learn(gs_history *h);

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

#endif
