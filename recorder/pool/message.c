/* The out-of-memory text of the current PyTorch. */
#include <inttypes.h>
#include <stdio.h>

#include "recorder/pool/pool_internal.h"

char *gs_pool_format_size(char *buf, size_t cap, uint64_t bytes)
{
	static const char *const units[] = {"KiB", "MiB", "GiB"};
	if (bytes <= 1024) {
		snprintf(buf, cap, "%" PRIu64 " bytes", bytes);
		return buf;
	}
	int u = bytes <= (1 << 20) ? 0 : bytes <= (1 << 30) ? 1 : 2;
	snprintf(
		buf, cap, "%.2f %s", (double)bytes / (double)(UINT64_C(1) << (10 * (u + 1))), units[u]);
	return buf;
}

char *gs_pool_oom_message(const gs_pool_oom *oom, char *buf, size_t cap)
{
	char size[7][32], allowed[64] = "", private[96] = "";
	uint64_t held = oom->allocated + oom->private_free;
	uint64_t unallocated = oom->reserved > held ? oom->reserved - held : 0;
	if (oom->allowed != UINT64_MAX)
		snprintf(allowed, sizeof allowed, "%s allowed; ",
			gs_pool_format_size(size[5], sizeof size[5], oom->allowed));
	if (oom->private_free)
		snprintf(private, sizeof private,
			"with %s allocated in private pools (e.g., CUDA Graphs), ",
			gs_pool_format_size(size[6], sizeof size[6], oom->private_free));
	snprintf(buf, cap,
		"CUDA out of memory. Tried to allocate %s. GPU %" PRId32
		" has a total capacity of %s of which %s is free. %s"
		"Of the allocated memory %s is allocated by PyTorch, %sand %s is reserved by PyTorch but unallocated. "
		"If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  "
		"See documentation for Memory Management  "
		"(https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-pytorch-cuda-alloc-conf)",
		gs_pool_format_size(size[0], sizeof size[0], oom->needed), oom->device,
		gs_pool_format_size(size[1], sizeof size[1], oom->capacity),
		gs_pool_format_size(size[2], sizeof size[2], oom->device_free), allowed,
		gs_pool_format_size(size[3], sizeof size[3], held), private,
		gs_pool_format_size(size[4], sizeof size[4], unallocated));
	return buf;
}
