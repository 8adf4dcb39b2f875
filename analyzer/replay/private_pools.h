/* Which private pool a request went to. Traces tell from PyTorch 2.12 on; before, the segments that
 * survive to the capture do: what was allocated in one since it was made belongs to its pool. */
#ifndef GS_ANALYZER_REPLAY_PRIVATE_POOLS_H
#define GS_ANALYZER_REPLAY_PRIVATE_POOLS_H

#include "analyzer/model/snapshot.h"

typedef struct gs_replay_pools {
	gs_pool_id *ids; /* those of the snapshot's events, then those of segments only */
	uint32_t n;
	struct gs_private_range {
		uint64_t from, to;
		int64_t since;
		gs_pool_id id;
		uint32_t pool;
	} * ranges; /* ascending addresses */
	size_t nranges;
} gs_replay_pools;

/* Private segments of the capture. GS_NO_MEMORY. Release in any case. */
gs_status gs_replay_pools_init(gs_replay_pools *p, const gs_device *d);
/* Event i; all are to be seen. */
void gs_replay_pools_see(gs_replay_pools *p, const gs_event *e, int64_t i);
/* The pools that events name have numbers by now. GS_NO_MEMORY. */
gs_status gs_replay_pools_number(gs_replay_pools *p, const gs_snapshot *s);
void gs_replay_pools_release(gs_replay_pools *p);

/* Index + 1 in ids of the pool of an allocation that event i made at an address; 0: the default
 * pool, as far as is known. */
uint32_t gs_replay_pools_find(const gs_replay_pools *p, const gs_event *e, int64_t i);

#endif
