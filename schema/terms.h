/* The field's words that recorder, file and analyzer share: actions, states, pool classes and pool
 * ids. */
#ifndef GS_SCHEMA_TERMS_H
#define GS_SCHEMA_TERMS_H

#include <stdint.h>

#define GS_NONE INT64_MIN /* an int64_t fact that is not known */

typedef uint32_t gs_id; /* of a string, frame, stack …: from 1, 0 is none */

/* Actions of allocator events, PyTorch's words. GS_ACT(NAME, "text"). The number is stored in
 * files: append only. */
#define GS_ACTIONS(GS_ACT)                   \
	GS_ACT(ALLOC, "alloc")                   \
	GS_ACT(FREE_REQUESTED, "free_requested") \
	GS_ACT(FREE_COMPLETED, "free_completed") \
	GS_ACT(SEGMENT_ALLOC, "segment_alloc")   \
	GS_ACT(SEGMENT_FREE, "segment_free")     \
	GS_ACT(SEGMENT_MAP, "segment_map")       \
	GS_ACT(SEGMENT_UNMAP, "segment_unmap")   \
	GS_ACT(SNAPSHOT, "snapshot")             \
	GS_ACT(OOM, "oom")                       \
	GS_ACT(REFUSED, "refused")               \
	GS_ACT(RECORD_STREAM, "record_stream")   \
	GS_ACT(EMPTY_CACHE, "empty_cache")       \
	GS_ACT(ANNOTATE, "annotate")             \
	GS_ACT(UNKNOWN, "unknown")

typedef enum gs_action {
#define GS_ACT(name, text) GS_ACTION_##name,
	GS_ACTIONS(GS_ACT)
#undef GS_ACT
		GS_ACTION_COUNT
} gs_action;

typedef enum gs_block_state {
	GS_ACTIVE_ALLOCATED,
	GS_ACTIVE_PENDING_FREE,
	GS_INACTIVE
} gs_block_state;
typedef enum gs_pool_class { GS_SMALL, GS_LARGE, GS_CLASS_UNKNOWN } gs_pool_class;

/* PyTorch's pair: (0,0) is the default pool, (0,n) a user's MemPool, (n,0) a graph capture's. */
typedef struct gs_pool_id {
	uint64_t a, b;
} gs_pool_id;

#endif
