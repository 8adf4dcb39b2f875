#include "recorder/pool/slab.h"

#include <stdint.h>

enum { HEAD = 64 }; /* bytes before the objects of a chunk, so that they start on a cache line */

struct gs_chunk {
	struct gs_chunk *next;
};

void gs_slab_init(gs_slab *slab, const gs_pool_memory *memory, size_t object, size_t chunk)
{
	*slab = (gs_slab){.memory = memory, .object = object, .chunk = chunk};
}

void gs_slab_release(gs_slab *slab)
{
	while (slab->chunks) {
		struct gs_chunk *c = slab->chunks;
		slab->chunks = c->next;
		slab->memory->give(slab->memory->user, c, slab->chunk);
	}
}

bool gs_slab_grow(gs_slab *slab)
{
	struct gs_chunk *c = slab->memory->take(slab->memory->user, slab->chunk);
	if (!c)
		return false;
	c->next = slab->chunks;
	slab->chunks = c;
	slab->bytes += slab->chunk;
	size_t n = (slab->chunk - HEAD) / slab->object;
	slab->blocks_of += n;
	for (size_t i = n; i-- > 0;) /* lowest address is handed out first */
		gs_slab_put(slab, (char *)c + HEAD + i * slab->object);
	return true;
}
