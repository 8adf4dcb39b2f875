/* The free blocks of one block pool and one stream, in order of (size, order, address), in bins by
 * size.
 *
 * A bin holds a narrow range of sizes (256 to a power of two, so sizes below 128 KiB have one
 * each) as a small tree; bits tell which bins are in use. So a search looks at a few words and a
 * few nodes, however many blocks there are: one tree of 65,536 would cost a cache miss a level.
 * Memory for a power of two is taken by gs_size_bins_reserve, before blocks of that size can be put
 * in: no other call takes any. */
#ifndef GS_RECORDER_POOL_SIZE_BINS_H
#define GS_RECORDER_POOL_SIZE_BINS_H

#include "recorder/pool/memory.h"
#include "recorder/pool/set.h"

enum {
	GS_SIZE_BIN_BITS = 8,
	GS_SIZE_BINS = 1 << GS_SIZE_BIN_BITS,
	GS_OCTAVES = 56 - GS_SIZE_BIN_BITS
};

typedef struct gs_octave {
	uint64_t used[GS_SIZE_BINS / 64];
	gs_node *root[GS_SIZE_BINS];
} gs_octave;

typedef struct gs_size_bins {
	struct gs_size_bins *next; /* of a higher stream of the same block pool */
	uint64_t stream;
	size_t count;
	uint64_t used; /* octaves that hold something */
	gs_octave *octave[GS_OCTAVES];
} gs_size_bins;

/* NULL when memory is short. */
gs_size_bins *gs_size_bins_new(const gs_pool_memory *memory, uint64_t stream);
void gs_size_bins_free(const gs_pool_memory *memory, gs_size_bins *s);
/* Makes ready for blocks up to that size; false when memory is short. */
bool gs_size_bins_reserve(const gs_pool_memory *memory, gs_size_bins *s, uint64_t size);
size_t gs_size_bins_bytes(const gs_size_bins *s); /* taken from memory */

/* Pre of insert: the size was reserved, the node is in no bins; of erase: it is in these. */
void gs_size_bins_insert(gs_size_bins *s, gs_node *node);
void gs_size_bins_erase(gs_size_bins *s, gs_node *node);
/* Gives node, which is in, the key (size, address). */
void gs_size_bins_rekey(gs_size_bins *s, gs_node *node, uint64_t size, uint64_t address);
/* The first of at least that size; the last of less; in order from the first. NULL when there is
 * none. */
gs_node *gs_size_bins_at_least(const gs_size_bins *s, uint64_t size);
gs_node *gs_size_bins_before(const gs_size_bins *s, uint64_t size);
gs_node *gs_size_bins_first(const gs_size_bins *s);
gs_node *gs_size_bins_next(const gs_size_bins *s, const gs_node *node);
gs_node *gs_size_bins_prev(const gs_size_bins *s, const gs_node *node);
/* Whether all invariants hold: for tests. */
bool gs_size_bins_are_sound(const gs_size_bins *s);

#endif
