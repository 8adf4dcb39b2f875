/* What an allocator's rules say, so that states, the ladder and blame need no special cases: one
 * small table of functions an allocator. Functions are pure; thread-safe. */
#ifndef GS_ANALYZER_POLICY_POLICY_H
#define GS_ANALYZER_POLICY_POLICY_H

#include "analyzer/model/snapshot.h"
#include "recorder/pool/settings.h"

/* A request as the allocator sees it, and what was left on the device. */
typedef struct gs_policy_request {
	uint64_t size; /* rounded */
	uint64_t stream;
	gs_pool_id pool_id;
	gs_pool_class pool;
	uint64_t base; /* lowest address known to have been mapped for that pool's expandable segments;
					  0 unknown */
} gs_policy_request;

typedef struct gs_policy {
	const char *name; /* "pytorch", "bfc", "rmm", "passthrough" */
	bool classes;     /* small and large pools are kept apart */
	bool caches;      /* freed memory stays in segments and is searched */
	bool releases;    /* before failing, segments that are wholly free go back to the driver */
	bool limit_step;  /* a limit beside the device's own memory can refuse */

	/* Block size for a request of bytes. */
	uint64_t (*round)(const gs_pool_settings *settings, uint64_t bytes);
	/* Segment size asked of the driver for a rounded request. */
	uint64_t (*segment)(const gs_pool_settings *settings, uint64_t rounded);
	/* Is the rest of a block cut off and kept free. */
	bool (*splits)(
		const gs_pool_settings *settings, gs_pool_class pool, uint64_t rounded, uint64_t block);
	/* May a free block of that size, the best fit, serve. */
	bool (*serves)(const gs_pool_settings *settings, uint64_t rounded, uint64_t block);
} gs_policy;

extern const gs_policy gs_policy_pytorch, gs_policy_bfc, gs_policy_rmm, gs_policy_passthrough;

/* The policy for what made the snapshot; never NULL. */
const gs_policy *gs_policy_of(const gs_snapshot *s);

/* The same for the library that a message speaks of (gs_oom.library); NULL is PyTorch's. */
const gs_policy *gs_policy_of_library(const char *library);

/* The allocator settings that the snapshot records (its text, then the resolved values), defaults
 * elsewhere. *known is false when it records none. Expandable segments in layout or trace count as
 * a record of that setting. */
void gs_policy_settings(const gs_snapshot *s, gs_pool_settings *settings, bool *known);

/* The same as a text for PYTORCH_ALLOC_CONF: the one that the snapshot records, else one made of
 * the values that it has instead; "" for defaults. Cut to cap. Returns buf. */
char *gs_policy_conf(const gs_snapshot *s, char *buf, size_t cap);

/* The most that the driver is asked for to serve a request of that rounded size, whatever the
 * layout: free memory beside expandable pages lessens it. */
uint64_t gs_policy_most_asked(
	const gs_policy *policy, const gs_pool_settings *settings, uint64_t rounded);

/* What the driver is asked for to serve the request in this layout. With expandable segments these
 * are the missing bytes in whole pages, *missing the bytes before that; else the segment's size,
 * and *missing = request->size. missing may be NULL. */
uint64_t gs_policy_ask(const gs_policy *policy, const gs_pool_settings *settings,
	const gs_layout *l, const gs_policy_request *request, uint64_t *missing);

/* Index of the free block that the search takes for this request, SIZE_MAX for none. */
size_t gs_policy_search(const gs_policy *policy, const gs_pool_settings *settings,
	const gs_layout *l, const gs_policy_request *request);

/* Of a segment's free bytes: how many the retry before a failure (and emptying the cache) gives
 * back to the driver - a wholly free segment, of an expandable one the whole pages that are free,
 * where the retry releases that pool - and the largest free piece that stays. */
typedef struct gs_free_parts {
	uint64_t free, whole, largest_left;
} gs_free_parts;
gs_free_parts gs_policy_free_parts(const gs_policy *policy, const gs_pool_settings *settings,
	const gs_layout *l, const gs_segment *segment);

/* How far free bytes are from being one piece, when what can go back to the driver counts as whole:
 * 1 - (whole + the largest piece that stays) / free; -1 where nothing is free. */
double gs_fragmentation(uint64_t free, uint64_t whole, uint64_t largest_left);

/* What failed, as a request of its allocator in a layout: where the event tells no pool id it is
 * the default pool's, where it tells no class the one of its size. */
gs_policy_request gs_policy_request_of(const gs_policy *policy, const gs_oom *oom);

/* How a segment lies to a request, which only memory of its own pool id, stream and class may
 * serve. The first difference is told. */
typedef enum gs_pool_relation {
	GS_POOL_SAME,
	GS_POOL_OTHER_ID, /* a MemPool's or a CUDA graph's, or the request is of one */
	GS_POOL_OTHER_STREAM,
	GS_POOL_OTHER_CLASS,
	GS_POOL_RELATIONS
} gs_pool_relation;
gs_pool_relation gs_policy_relation(
	const gs_policy *policy, const gs_segment *segment, const gs_policy_request *request);

/* Whether the segment may serve the request at all. */
static inline bool gs_policy_same_pool(
	const gs_policy *policy, const gs_segment *segment, const gs_policy_request *request)
{
	return gs_policy_relation(policy, segment, request) == GS_POOL_SAME;
}

/* What is free for a request, and what is free but not for it: verdict, advice and picture take
 * their figures from here. largest_at: the block's index, the first of several that are as large;
 * SIZE_MAX where there is none. */
typedef struct gs_holes {
	uint64_t bytes, largest;
	size_t n, largest_at;
} gs_holes;
typedef struct gs_free_for {
	gs_holes holes[GS_POOL_RELATIONS];
} gs_free_for;
void gs_free_for_request(
	const gs_policy *policy, const gs_layout *l, const gs_policy_request *request, gs_free_for *f);

/* The same, hole by hole, for who looks at all blocks anyway. */
void gs_free_for_init(gs_free_for *f);
static inline void gs_free_for_add(
	gs_free_for *f, gs_pool_relation relation, const gs_block *hole, size_t at)
{
	gs_holes *h = &f->holes[relation];
	h->bytes += hole->size;
	h->n++;
	if (hole->size > h->largest) {
		h->largest = hole->size;
		h->largest_at = at;
	}
}

#endif
