/* The pool's insides, shared by its source files only.
 *
 * A region is what the driver gave: a segment, or an expandable reservation. Its blocks form a list
 * that tiles it; a block that is free lies in the size bins of its block pool and stream, one
 * without memory behind it (expandable) in `unmapped`. A block pool is one class of one pool id. */
#ifndef GS_RECORDER_POOL_POOL_INTERNAL_H
#define GS_RECORDER_POOL_POOL_INTERNAL_H

#include "recorder/pool/index.h"
#include "recorder/pool/order.h"
#include "recorder/pool/pool.h"
#include "recorder/pool/set.h"
#include "recorder/pool/size_bins.h"
#include "recorder/pool/slab.h"

typedef struct gs_block_pool {
	gs_size_bins *free; /* a stream each, ascending */
	gs_set unmapped;
	struct gs_private *owner; /* NULL: default pool */
	int64_t searches;         /* counted while garbage collection is on */
	gs_pool_class class;
} gs_block_pool;

typedef struct gs_private {
	struct gs_private *next; /* in order of creation */
	gs_pool_id id;
	int32_t users;       /* 0: may be given back */
	int32_t allocations; /* device allocations not yet given back, as PyTorch counts them */
	gs_block_pool block_pools[2];
} gs_private;

typedef struct gs_region {
	gs_node node; /* by address, in pool->regions */
	uint64_t stream, size;
	gs_pool_block *first;
	gs_block_pool *blocks_of;
	gs_size_bins *bins; /* the block pool's of the region's stream */
	uint64_t page;      /* expandable: bytes a page; else 0 */
	uint64_t *handles;  /* expandable: the device's, a page */
	uint32_t nhandles;  /* room in handles */
	uint32_t mapped;    /* pages that have memory */
	uint32_t number;    /* in order of creation */
	gs_pool_ctx ctx;    /* of the call that made it */
} gs_region;

typedef struct gs_use {
	struct gs_use *next;
	uint64_t stream;
	bool captured; /* recorded while a capture was under way */
} gs_use;

struct gs_pool_block {
	gs_node node;               /* stream, size, address: the block's; note: the flags below */
	gs_pool_block *prev, *next; /* neighbours in its region */
	gs_region *region;
	uint64_t requested;
	gs_pool_ctx ctx;
	uint32_t number;  /* in order of creation */
	int32_t events;   /* events it waits for */
	int64_t searches; /* of its block pool when it became free */
	gs_use *uses;     /* other streams */
};

/* node.note of a block. A block is free when none of BUSY is set, and mapped. */
enum {
	GS_ALLOCATED = 1,
	GS_EVENTS = 2, /* events > 0 */
	GS_USES = 4,   /* uses is not empty */
	GS_UNMAPPED = 8,
	GS_DEFERRED = 16, /* in pool->deferred: its events are recorded after the capture */
	GS_MANUAL = 32,   /* in pool->manual: waits for gs_pool_complete */
	GS_BUSY = GS_ALLOCATED | GS_EVENTS | GS_USES
};

typedef struct gs_event_entry {
	struct gs_event_entry *next;
	uint64_t event;
	gs_pool_block *block;
} gs_event_entry;

typedef struct gs_diversion {  /* a private pool in use */
	struct gs_diversion *next; /* begun earlier */
	gs_private *target;
	gs_pool_filter *filter;
	void *user;
	bool capture;
} gs_diversion;

typedef struct gs_list {
	gs_pool_block *head, *tail;
} gs_list; /* linked by node.child: free while a block is in no set */

typedef struct gs_tally {
	int64_t current, peak, freed, base;
} gs_tally; /* allocated = current + freed - base */

struct gs_pool {
	const gs_device_ops *ops;
	void *device;
	int32_t number;
	unsigned flags;
	gs_pool_memory memory;
	const gs_rules *rules;
	gs_pool_settings settings;
	gs_pool_on_action *on_action;
	void *user;

	gs_block_pool block_pools[2]; /* small, large */
	gs_private *privates;
	gs_diversion *diversions; /* begun last first */
	gs_set regions;           /* by address */
	gs_order queues;          /* a stream's events: first and last are gs_event_entry */
	gs_order unused;          /* private pools without users, first: the gs_private */
	gs_list deferred, manual;
	gs_index index;
	gs_slab blocks, regions_slab, small_slab, privates_slab;
	size_t extra_bytes; /* page handles */

	uint64_t capacity;
	uint64_t allowed; /* UINT64_MAX: no limit */
	uint64_t reserved;
	uint32_t next_block, next_region;
	int64_t split_at_start; /* max_split when the pool was made */

	gs_tally tally[GS_STAT_ARRAYS][2];
	int64_t peak_all[GS_STAT_ARRAYS];
	gs_tally oversize_allocations, oversize_segments;
	int64_t retries, ooms, syncs, device_allocs, device_frees, rejections;
	gs_pool_oom oom;
	bool had_oom;
};

/* A request on its way through the steps. */
typedef struct gs_request {
	uint64_t bytes, rounded, segment, stream;
	gs_block_pool *blocks_of;
	gs_pool_ctx ctx;
	bool expandable;
	bool rejected;    /* by throw_on_cudamalloc_oom */
	gs_status status; /* an error that ends it; GS_OK so far */
} gs_request;

static inline gs_pool_block *gs_block_of(gs_node *node)
{
	return (gs_pool_block *)node;
} /* node is its first member */
static inline bool gs_block_is_free(const gs_pool_block *b)
{
	return !(b->node.note & (GS_BUSY | GS_UNMAPPED));
}
static inline bool gs_block_is_split(const gs_pool_block *b) { return b->prev || b->next; }
static inline gs_block_pool *gs_block_pool_of(const gs_pool_block *b)
{
	return b->region->blocks_of;
}
static inline bool gs_block_is_expandable(const gs_pool_block *b) { return b->region->page != 0; }
static inline gs_pool_id gs_block_pool_id(const gs_block_pool *blocks_of)
{
	return blocks_of->owner ? blocks_of->owner->id : (gs_pool_id){0, 0};
}
static inline bool gs_pool_collects(const gs_pool *p)
{
	return p->allowed != UINT64_MAX && p->settings.gc_threshold > 0;
}

/* block.c: pre of all that make blocks: gs_slab_reserve. */
gs_pool_block *gs_block_new(gs_pool *p, gs_region *region, uint64_t address, uint64_t size);
void gs_block_insert_free(gs_pool *p, gs_pool_block *b);
void gs_block_insert_unmapped(gs_pool *p, gs_pool_block *b);
/* Free blocks of a block pool in PyTorch's order, over all streams. */
gs_node *gs_block_pool_first(const gs_block_pool *blocks_of);
gs_node *gs_block_pool_next(const gs_node *node);
/* The bins of a stream; NULL when nothing of it was ever in the block pool. */
static inline gs_size_bins *gs_block_pool_bins(const gs_block_pool *blocks_of, uint64_t stream)
{
	gs_size_bins *s = blocks_of->free;
	while (s && s->stream < stream)
		s = s->next;
	return s && s->stream == stream ? s : NULL;
}
/* Makes the block pool ready for blocks of that stream and size; false when memory is short. */
bool gs_block_pool_reserve(gs_pool *p, gs_block_pool *blocks_of, uint64_t stream, uint64_t size);
void gs_block_pool_release(gs_pool *p, gs_block_pool *blocks_of);
void gs_block_link_after(gs_pool_block *b, gs_pool_block *before); /* in the region's list */
void gs_block_link_before(gs_pool_block *b, gs_pool_block *after);
/* Joins a free (resp. unmapped) neighbour into b, which is in no set; returns its size, 0 when it
 * may not be joined. */
uint64_t gs_block_merge(gs_pool *p, gs_pool_block *b, gs_pool_block *neighbour);
void gs_list_push(gs_list *list, gs_pool_block *b);
void gs_list_remove(gs_list *list, gs_pool_block *b);
/* … of a block, for the request that it was made for. */
void gs_pool_tell_block(const gs_pool *p, gs_action action, const gs_pool_block *b);
void gs_pool_tell(const gs_pool *p, gs_action action, const gs_region *region, uint64_t address,
	uint64_t size, uint64_t stream, gs_pool_ctx ctx);

/* message.c: as PyTorch prints sizes; returns buf */
char *gs_pool_format_size(char *buf, size_t cap, uint64_t bytes);

/* free.c */
void gs_block_complete_free(gs_pool *p, gs_pool_block *b);

/* uses.c */
bool gs_pool_is_capturing(const gs_pool *p, bool any_stream, uint64_t stream);
/* Puts a block's uses into the order in which PyTorch keeps such a set: it becomes the order of new
 * queues. GS_NO_MEMORY. */
gs_status gs_pool_order_uses(gs_pool *p, gs_pool_block *b);
/* Puts an event behind each of a freed block's uses, in that order. */
gs_status gs_pool_insert_events(gs_pool *p, gs_pool_block *b);
/* Forgets a block's uses, or those made during a capture alone. */
void gs_pool_drop_uses(gs_pool *p, gs_pool_block *b, bool captured_only);

/* events.c */
gs_status gs_pool_poll(gs_pool *p);
gs_status gs_pool_synchronise(gs_pool *p, const gs_private *only);

/* region.c */
gs_region *gs_region_new(gs_pool *p, gs_block_pool *blocks_of, uint64_t address, uint64_t size,
	uint64_t stream, gs_pool_ctx ctx);
void gs_region_drop(gs_pool *p, gs_region *region);
/* Room for the handles of that many of an expandable region's pages; false: no memory. */
bool gs_region_reserve_handles(gs_pool *p, gs_region *region, uint64_t pages);

/* segment.c */
gs_pool_block *gs_segment_allocate(gs_pool *p, gs_request *r, bool retry);
gs_status gs_segment_give_back(gs_pool *p, gs_pool_block *b);

/* expand.c */
gs_pool_block *gs_expandable_allocate(gs_pool *p, gs_request *r);
gs_status gs_expandable_unmap(gs_pool *p, gs_pool_block *b);

/* release.c */
gs_status gs_release_garbage(gs_pool *p);
bool gs_release_available(gs_pool *p, gs_request *r);
/* capturing: only private pools without users are looked at. */
gs_status gs_release_cached(gs_pool *p, bool capturing);

/* private.c */
gs_block_pool *gs_block_pool_for(gs_pool *p, uint64_t rounded, uint64_t stream);
gs_private *gs_private_find(const gs_pool *p, gs_pool_id id);
/* Forgets a pool without users that owns nothing any more; false: it owns something still. */
bool gs_private_forget(gs_pool *p, gs_private *q);

/* stats.c: of a class and of both together, n more, n less, or a change either way. */
static inline void gs_stat_add(gs_pool *p, gs_pool_array a, gs_pool_class c, int64_t n)
{
	gs_tally *t = p->tally[a];
	t[c].current += n;
	if (t[c].current > t[c].peak)
		t[c].peak = t[c].current;
	int64_t sum = t[0].current + t[1].current;
	if (sum > p->peak_all[a])
		p->peak_all[a] = sum;
}

static inline void gs_stat_sub(gs_pool *p, gs_pool_array a, gs_pool_class c, int64_t n)
{
	p->tally[a][c].current -= n;
	p->tally[a][c].freed += n;
}

static inline void gs_stat_change(gs_pool *p, gs_pool_array a, gs_pool_class c, int64_t n)
{
	if (n > 0)
		gs_stat_add(p, a, c, n);
	else if (n < 0)
		gs_stat_sub(p, a, c, -n);
}

/* The same of a tally without classes. */
static inline void gs_tally_change(gs_tally *t, int64_t n)
{
	t->current += n;
	if (n < 0)
		t->freed -= n;
	if (t->current > t->peak)
		t->peak = t->current;
}

#endif
