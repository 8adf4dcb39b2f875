/* What failed at a moment of a device, and which of its segments might have served it. */
#ifndef GS_ANALYZER_DIAGNOSE_SERVING_H
#define GS_ANALYZER_DIAGNOSE_SERVING_H

#include "analyzer/model/snapshot.h"

/* pool: "small", "large", NULL unknown. Borrows from the snapshot. */
typedef struct gs_failed_request {
	const gs_oom *oom; /* NULL: nothing failed there, or it tells no size */
	uint64_t bytes, stream;
	gs_pool_id pool_id;
	const char *pool;
} gs_failed_request;

/* The last failure of the device at event idx; GS_NONE: at the captured layout. Pure. */
gs_failed_request gs_failed_request_at(const gs_snapshot *s, const gs_device *device, int64_t idx);

/* Why no free memory of the segment may serve it: "other_pool", "other_stream", "other_class"
 * (small or large); "same": it may where it is large enough. Rules: gs_policy_relation. Pure. */
const char *gs_failed_request_relation(
	const gs_snapshot *s, const gs_failed_request *request, const gs_segment *segment);

#endif
