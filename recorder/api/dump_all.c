/* A dump of every device of a recorder: on demand, and when a signal comes. */
#include "recorder/api/recorder.h"

gs_status gs_recorder_dump_all(gs_recorder *r, gs_dump_reason reason)
{
	gs_dump_request request = {.reason = reason};
	gs_status result = GS_OK;
	if (r->dump_all)
		return r->dump_all(reason);
	for (uint32_t i = 0; i < GS_DEVICES_MAX; i++) {
		gs_heap *h = r->heaps[i];
		if (!h || !gs_heap_has_events(h))
			continue;
		gs_status status = gs_heap_dump(h, &request, NULL, 0, NULL);
		if (status && !result)
			result = status;
	}
	return result;
}
