/* Memory from mmap. */
#include "recorder/capture/pages.h"

#include <sys/mman.h>

void *gs_pages_take(gs_pages *p, size_t bytes)
{
	if (!bytes)
		return NULL;
	void *at = mmap(
		NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return NULL;
	atomic_fetch_add_explicit(&p->bytes, bytes, memory_order_relaxed);
	return at;
}

void gs_pages_give(gs_pages *p, void *at, size_t bytes)
{
	if (!at)
		return;
	munmap(at, bytes);
	atomic_fetch_sub_explicit(&p->bytes, bytes, memory_order_relaxed);
}
