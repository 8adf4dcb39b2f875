/* Address to block: a hash with open addressing. One entry a live allocation. */
#ifndef GS_RECORDER_POOL_INDEX_H
#define GS_RECORDER_POOL_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/pool/memory.h"

struct gs_pool_block;

typedef struct gs_index_entry {
	uint64_t address;
	struct gs_pool_block *block;
} gs_index_entry;

typedef struct gs_index {
	const gs_pool_memory *memory;
	gs_index_entry *entries; /* address 0: empty */
	size_t count, cap;       /* cap: a power of two, or 0 */
	unsigned shift;
} gs_index;

/* Empty, without memory. */
void gs_index_init(gs_index *index, const gs_pool_memory *memory);
void gs_index_release(gs_index *index);
bool gs_index_grow(gs_index *index);

/* Makes room for one more; false when memory is short. */
static inline bool gs_index_reserve(gs_index *index)
{
	return index->count + 1 <= index->cap / 2 || gs_index_grow(index);
}

/* Pre: room was made, the address is not in it. */
void gs_index_add(gs_index *index, uint64_t address, struct gs_pool_block *block);

/* NULL where there is none. */
struct gs_pool_block *gs_index_find(const gs_index *index, uint64_t address);
/* Takes the entry out and returns its block; NULL when there is none. */
struct gs_pool_block *gs_index_take(gs_index *index, uint64_t address);

#endif
