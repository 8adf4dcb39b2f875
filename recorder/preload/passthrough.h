/* Pass-through recording: what the program asks of CUDA itself, a segment with one block each.
 *
 * Called by the hooks at the outermost call, after the real function returned. Opens the recorder
 * at the first call (GPUSNAP_* variables; GPUSNAP_DISABLE leaves all off). Thread-safe; never
 * changes errno or the program's results. */
#ifndef GS_RECORDER_PRELOAD_PASSTHROUGH_H
#define GS_RECORDER_PRELOAD_PASSTHROUGH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/capture/unwind.h"

enum { GS_PASSTHROUGH_OUT_OF_MEMORY = 2 }; /* both CUDA interfaces' code */

/* The call asked for bytes on a stream and ended with result: 0 records an allocation at address,
 * GS_PASSTHROUGH_OUT_OF_MEMORY a refusal, anything else nothing. from: where the caller of the
 * hooked function is (its stack is recorded). above: the caching allocator that it belongs to, or
 * NULL. */
void gs_passthrough_allocated(const gs_regs *from, const char *above, int result, uint64_t address,
	uint64_t bytes, uint64_t stream);

/* The call will free what stands at address (0: nothing). Called before the real function, since
 * another thread may get the address as soon as it is free. */
void gs_passthrough_freeing(uint64_t address, uint64_t stream);

/* Memory with a handle and no address (physical memory, arrays): a handle was asked for; will be
 * released; was retained once more; was mapped;
 * mappings in a range will go. Its memory is recorded as freed when nothing holds it any more. */
void gs_passthrough_created(const gs_regs *from, int result, uint64_t handle, uint64_t bytes);
void gs_passthrough_releasing(uint64_t handle);
void gs_passthrough_retained(uint64_t handle);
void gs_passthrough_mapped(uint64_t address, uint64_t bytes, uint64_t handle);
void gs_passthrough_unmapping(uint64_t address, uint64_t bytes);

#endif
