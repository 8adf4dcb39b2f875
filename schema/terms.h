/* The field's words that recorder, file and analyzer share: actions, states, pool classes and pool
 * ids. */
#ifndef GS_SCHEMA_TERMS_H
#define GS_SCHEMA_TERMS_H

#include <stdint.h>

#define GS_NONE INT64_MIN /* an int64_t fact that is not known */

typedef uint32_t gs_id; /* of a string, frame, stack …: from 1, 0 is none */

typedef enum gs_action {
#define GS_ACT(name, text) GS_ACTION_##name,
#include "schema/actions.def"
#undef GS_ACT
	GS_ACTION_COUNT
} gs_action;

typedef enum gs_block_state {
#define GS_STATE_ROW(name, text) GS_##name,
#include "schema/block_states.def"
#undef GS_STATE_ROW
	GS_BLOCK_STATES
} gs_block_state;
typedef enum gs_pool_class {
#define GS_CLASS_ROW(name, text) GS_##name,
#include "schema/pool_classes.def"
#undef GS_CLASS_ROW
	GS_CLASS_UNKNOWN
} gs_pool_class;

/* PyTorch's pair: (0,0) is the default pool, (0,n) a user's MemPool, (n,0) a graph capture's. */
typedef struct gs_pool_id {
	uint64_t a, b;
} gs_pool_id;

#endif
