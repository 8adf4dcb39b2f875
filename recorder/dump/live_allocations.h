/* The allocations that are live, by address: what a pass-through recording knows of the heap.
 * Memory from pages.h; not thread-safe. */
#ifndef GS_RECORDER_DUMP_LIVE_ALLOCATIONS_H
#define GS_RECORDER_DUMP_LIVE_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/capture/pages.h"
#include "recorder/dump/staging.h"

typedef struct gs_live_block {
	uint64_t address, size, stream; /* address 0: an empty slot */
	gs_id stack;
	uint16_t tag;
	uint64_t block;  /* bytes as rounded; 0 not known */
	uint64_t number; /* of the event that allocated it */
} gs_live_block;

typedef struct gs_live {
	gs_live_block *slots;
	size_t cap, n; /* cap is 0 or a power of two */
	uint64_t bytes, peak;
	uint64_t lost; /* allocations that there was no memory to keep */
} gs_live;

/* Keeps an allocation; one that stands at the same address already is replaced (its free was not
 * seen). */
void gs_live_add(gs_live *l, const gs_live_block *block, gs_pages *pages);
/* The one at that address, or NULL. */
const gs_live_block *gs_live_find(const gs_live *l, uint64_t address);
/* Takes one out; false when there is none at that address. */
bool gs_live_take(gs_live *l, uint64_t address, gs_live_block *block);

/* Copies all, ascending, as segments with one block each. The staging has room
 * (gs_live_staging_bytes). */
void gs_live_copy(const gs_live *l, gs_staging *staging);

/* Bytes to hand to gs_staging_reserve so that a staging has room for all. */
size_t gs_live_staging_bytes(const gs_live *l);

#endif
