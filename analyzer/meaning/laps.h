/* Whether a place in the program keeps something each time that the program comes round, where no
 * steps are known: a leak has laps, a structure that is built once has not. Private to this room.
 */
#ifndef GS_ANALYZER_MEANING_LAPS_H
#define GS_ANALYZER_MEANING_LAPS_H

#include "analyzer/meaning/meaning.h"

typedef struct gs_laps {
	const gs_meaning *m;
	size_t until; /* events looked at */
	bool *gone;   /* by event: an allocation that was freed by then */
	uint64_t *
		kept; /* by event, with one more: bytes of allocations before it that stay, but workspace */
	uint32_t *freed;     /* likewise: how many of them go */
	uint32_t *allocs;    /* likewise: how many there are */
	uint32_t *survivors; /* events, by stack, each stack's ascending */
	uint32_t *first;     /* by stack, with two more: where its survivors begin */
} gs_laps;

/* Linear in events and stacks. GS_OK or GS_NO_MEMORY. Release in any case. */
gs_status gs_laps_init(gs_laps *l, const gs_meaning *m, size_t until);
void gs_laps_release(gs_laps *l);

/* What a stack keeps is a leak's: in each lap of the program, which for the rest comes back to
 * where it was. Others keep no more than a quarter of its bytes meanwhile, or no more than it where
 * the program gives back half of what else it allocates; leaks are those found already, which count
 * for nothing. Where nothing is given back at all it must go on alone behind something else, with
 * blocks of one size, as a list is filled that has no end. It keeps blocks evenly, or many all
 * along, up to the end: at least six of a line of the user's, three where a loop's laps are known
 * (stepped). O(n log n) in the stack's
 * survivors. GS_NO_MEMORY counts as no. */
bool gs_laps_leak(const gs_laps *l, gs_id stack, uint64_t leaks, bool stepped);

#endif
