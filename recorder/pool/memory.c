#include "recorder/pool/memory.h"

#include <stdlib.h>

static void *heap_take(void *user, size_t bytes)
{
	(void)user;
	return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void heap_give(void *user, void *chunk, size_t bytes)
{
	(void)user;
	(void)bytes;
	free(chunk);
}

const gs_pool_memory gs_pool_heap = {heap_take, heap_give, NULL};
