/* What is computed from all events of a device: bytes over time, stacks that only grow, stacks of many sizes. */
#include "analyzer/store_inner.h"

gs_status gs_fill_series(gs_fill *f, const gs_history *h, gs_error *err)
{
	(void)f;
	(void)h;
	(void)err;
	return GS_OK;
}
