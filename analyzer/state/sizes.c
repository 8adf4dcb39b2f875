/* Sizes of blocks by event, in 32 bits each (gs_history_size). */
#include "analyzer/model/array.h"
#include "analyzer/state/history_internal.h"

static uint32_t packed_size(gs_history *h, uint32_t was, uint64_t size)
{
	gs_history_tables *w = h->tables;
	const size_t most = UINT32_MAX - GS_SIZE_IS_LARGE;
	if (size < GS_SIZE_IN_UNITS)
		return (uint32_t)size;
	if (size % GS_SIZE_UNIT == 0 && size / GS_SIZE_UNIT < GS_SIZE_IS_LARGE - GS_SIZE_IN_UNITS)
		return GS_SIZE_IN_UNITS + (uint32_t)(size / GS_SIZE_UNIT);
	uint32_t at = was >= GS_SIZE_IS_LARGE ? was : GS_SIZE_IS_LARGE + (uint32_t)h->nlarge;
	if (was < GS_SIZE_IS_LARGE) {
		if (h->nlarge > most || !GS_ARRAY_RESERVE(h->large, w->cap_large, h->nlarge + 1)) {
			w->short_of_memory = true;
			return 0;
		}
		h->nlarge++;
	}
	h->large[at - GS_SIZE_IS_LARGE] = size;
	return at;
}

void gs_history_set_size(gs_history *h, size_t i, uint64_t size)
{
	h->sizes[i] = packed_size(h, h->sizes[i], size);
}
