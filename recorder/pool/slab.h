/* Objects of one size, cut from chunks and kept for reuse; the memory goes back only when the slab
 * is released. */
#ifndef GS_RECORDER_POOL_SLAB_H
#define GS_RECORDER_POOL_SLAB_H

#include <stdbool.h>
#include <stddef.h>

#include "recorder/pool/memory.h"

typedef struct gs_slab {
	const gs_pool_memory *memory;
	struct gs_chunk *chunks;
	void *free;       /* list through the first word of free objects */
	size_t object;    /* bytes of one, a multiple of 16 */
	size_t chunk;     /* bytes of a chunk */
	size_t spare;     /* free objects */
	size_t blocks_of; /* objects in all chunks */
	size_t bytes;     /* taken */
} gs_slab;

/* Empty: objects of that many bytes, cut from chunks of that many. */
void gs_slab_init(gs_slab *slab, const gs_pool_memory *memory, size_t object, size_t chunk);
void gs_slab_release(gs_slab *slab);

/* One more chunk; false when memory is short. */
bool gs_slab_grow(gs_slab *slab);

/* Makes sure that n objects can be had without failing; false when memory is short. n is less than
 * a chunk holds. */
static inline bool gs_slab_reserve(gs_slab *slab, size_t n)
{
	return slab->spare >= n || gs_slab_grow(slab);
}

/* Pre: spare > 0. The object's content is undefined. */
static inline void *gs_slab_get(gs_slab *slab)
{
	void *object = slab->free;
	slab->free = *(void **)object;
	slab->spare--;
	return object;
}

/* The object came from gs_slab_get. */
static inline void gs_slab_put(gs_slab *slab, void *object)
{
	*(void **)object = slab->free;
	slab->free = object;
	slab->spare++;
}

#endif
