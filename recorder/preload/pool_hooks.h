/* `gpusnap run --pool`: cudaMalloc/cudaFree and cuMemAlloc/cuMemFree served from the recording
 * pool.
 *
 * What a program may rely on stays true: a free synchronises (the context is synchronised before a
 * block can be reused), addresses are multiples of 512 bytes, address-range questions are answered
 * for the block, an export for other processes is refused (a block has neighbours that were not
 * asked for). Each function returns whether the pool deals with the call; if not, the caller goes
 * on to the real function. Thread-safe. */
#ifndef GS_RECORDER_PRELOAD_POOL_HOOKS_H
#define GS_RECORDER_PRELOAD_POOL_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/capture/unwind.h"

/* from: where the hooked function was called. An allocation that fails leaves its dump and is not
 * served: the real call then fails as well and leaves the program the error it looks for. False too
 * when --pool is off, the call is the pool's own, or its caller is a library that is left out
 * (gpusnap_preload_leave_out): an allocator that records itself. */
bool gs_pool_hook_alloc(const gs_regs *from, size_t bytes, unsigned long long *address);
bool gs_pool_hook_free(uint64_t address);

/* Whether the allocation last asked of this thread failed in the pool, so that its dump is there;
 * forgets it. */
bool gs_pool_hook_failed(void);

/* The block that holds address, if the pool served it. */
bool gs_pool_hook_range(uint64_t address, uint64_t *start, uint64_t *bytes);

/* True when address is in a block of the pool; says so on stderr once. */
bool gs_pool_hook_refuses_export(uint64_t address);

#endif
