/* The free blocks of one room and one stream, in order of (size, order, address), on shelves by
 * size.
 *
 * A shelf holds a narrow range of sizes (256 to a power of two, so sizes below 128 KiB have one
 * each) as a small tree; bits tell which shelves are in use. So a search looks at a few words and a
 * few nodes, however many blocks there are: one tree of 65,536 would cost a cache miss a level.
 * Memory for a power of two is taken by gs_shelves_reserve, before blocks of that size can be put
 * in: no other call takes any. */
#ifndef GS_POOL_SHELF_H
#define GS_POOL_SHELF_H

#include "recorder/pool/memory.h"
#include "recorder/pool/set.h"

enum { GS_SHELF_BITS = 8, GS_SHELVES = 1 << GS_SHELF_BITS, GS_OCTAVES = 56 - GS_SHELF_BITS };

typedef struct gs_octave {
	uint64_t used[GS_SHELVES / 64];
	gs_node *root[GS_SHELVES];
} gs_octave;

typedef struct gs_shelves {
	struct gs_shelves *next; /* of a higher stream of the same room */
	uint64_t stream;
	size_t count;
	uint64_t used; /* octaves that hold something */
	gs_octave *octave[GS_OCTAVES];
} gs_shelves;

/* NULL when memory is short. */
gs_shelves *gs_shelves_new(const gs_pool_memory *memory, uint64_t stream);
void gs_shelves_free(const gs_pool_memory *memory, gs_shelves *s);
/* Makes ready for blocks up to that size; false when memory is short. */
bool gs_shelves_reserve(const gs_pool_memory *memory, gs_shelves *s, uint64_t size);
size_t gs_shelves_bytes(const gs_shelves *s); /* taken from memory */

void gs_shelves_insert(gs_shelves *s, gs_node *node);
void gs_shelves_erase(gs_shelves *s, gs_node *node);
/* Gives node, which is in, the key (size, address). */
void gs_shelves_rekey(gs_shelves *s, gs_node *node, uint64_t size, uint64_t address);
/* The first of at least that size; the last of less; NULL when there is none. */
gs_node *gs_shelves_at_least(const gs_shelves *s, uint64_t size);
gs_node *gs_shelves_before(const gs_shelves *s, uint64_t size);
gs_node *gs_shelves_first(const gs_shelves *s);
gs_node *gs_shelves_next(const gs_shelves *s, const gs_node *node);
gs_node *gs_shelves_prev(const gs_shelves *s, const gs_node *node);
bool gs_shelves_are_sound(const gs_shelves *s);

#endif
