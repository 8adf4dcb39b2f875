/* Where a pool gets the memory of its own bookkeeping: chunks of a few sizes, taken rarely. */
#ifndef GS_RECORDER_POOL_MEMORY_H
#define GS_RECORDER_POOL_MEMORY_H

#include <stddef.h>

typedef struct gs_pool_memory {
	/* Zeroed or not, aligned to 64 bytes or more; NULL when there is none (the call that needed it
	 * fails with GS_NO_MEMORY and changes nothing). Taken before anything is changed. */
	void *(*take)(void *user, size_t bytes);
	void (*give)(void *user, void *chunk, size_t bytes); /* as taken */
	void *user;
} gs_pool_memory;

/* From the C library's heap. For tools, tests and replay. */
extern const gs_pool_memory gs_pool_heap;

#endif
