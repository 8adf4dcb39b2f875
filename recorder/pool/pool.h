/* The caching allocator of one device: PyTorch's decisions, byte for byte, under a rule set.
 *
 * Pure: no lock, clock, stack, file or heap of its own. Bookkeeping memory (memory.h), the device
 * (device.h) and a callback for actions are handed in; locks, times and recording are the
 * wrapper's. Not thread-safe: one call at a time a pool (but see device.h on mem_alloc). Sizes in
 * bytes, addresses and streams as unsigned 64-bit. Everything a pool hands out by pointer is the
 * pool's.
 *
 * A caller that keeps a block's handle (gs_pool_malloc_block) can free by it and spares the pool a
 * look-up; with GS_POOL_NO_INDEX the pool keeps no index of addresses at all, and calls that take
 * an address fail with GS_STATE. */
#ifndef GS_RECORDER_POOL_POOL_H
#define GS_RECORDER_POOL_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/pool/device.h"
#include "recorder/pool/memory.h"
#include "recorder/pool/rule_sets.h"
#include "recorder/pool/settings.h"
#include "schema/status.h"
#include "schema/terms.h"

typedef struct gs_pool gs_pool;
typedef struct gs_pool_block gs_pool_block;

/* What the wrapper hangs on a block: ids that mean nothing to the pool. A free carries its
 * allocation's. */
typedef struct gs_pool_ctx {
	uint32_t stack, tag;
} gs_pool_ctx;

/* One decision, told as it is made. */
typedef struct gs_pool_action {
	gs_action action;
	gs_pool_class pool;
	gs_pool_id pool_id;
	uint64_t address;     /* 0 for oom, empty_cache */
	uint64_t size;        /* alloc, free_*: requested bytes; segment_*: bytes; oom: rounded request;
							 record_stream: requested bytes */
	uint64_t block;       /* alloc, free_*: bytes of the block, which are rounded; else 0 */
	uint64_t stream;      /* the block's; record_stream: the stream that uses it */
	uint64_t device_free; /* oom only */
	gs_pool_ctx
		ctx; /* alloc, oom, segment_alloc, segment_map: of the call at hand; free_*, record_stream:
				of the allocation; segment_free, segment_unmap: of the segment's allocation */
} gs_pool_action;

/* Called in the order in which PyTorch traces; also for record_stream and empty_cache, which
 * PyTorch does not trace. The pool is in the middle of a call: the callback may not call it, but
 * for the functions that take a const gs_pool *, and those only when the action is oom (the pool is
 * then whole, as it was at the failure: the moment to write a dump; gs_pool_last_oom has the
 * figures). */
typedef void gs_pool_on_action(void *user, const gs_pool_action *action);

enum gs_pool_flags { GS_POOL_NO_INDEX = 1 };

typedef struct gs_pool_config {
	const gs_device_ops *ops;
	void *device;
	int32_t number; /* device number, for messages */
	gs_pool_memory memory;
	const gs_rules *rules; /* NULL: the newest */
	const char *settings; /* initial settings text, as from the environment; NULL or "": defaults */
	gs_pool_on_action *on_action; /* NULL: nobody listens */
	void *user;
	unsigned flags;
} gs_pool_config;

/* Makes an empty pool. GS_NO_MEMORY, GS_INVALID for the settings, or what mem_info returned. */
gs_status gs_pool_init(gs_pool **pool, const gs_pool_config *config, gs_error *err);
/* Gives the bookkeeping memory back (NULL allowed). Device memory is left as it is; give_back
 * before returns all of it, live blocks included. */
void gs_pool_release(gs_pool *pool);
void gs_pool_give_back(gs_pool *pool);

/* --- settings ------------------------------------------------------------------------------------
 */

/* As PyTorch's _set_allocator_settings; see gs_pool_settings_parse. */
gs_status gs_pool_configure(gs_pool *pool, const char *text, gs_error *err);
const gs_pool_settings *gs_pool_get_settings(const gs_pool *pool);
const char *gs_pool_rules_name(const gs_pool *pool);
/* As torch.cuda.set_per_process_memory_fraction: GS_INVALID outside 0..1. */
gs_status gs_pool_set_fraction(gs_pool *pool, double fraction, gs_error *err);
/* A limit in bytes, as a fraction sets it; UINT64_MAX: none. */
void gs_pool_set_allowed(gs_pool *pool, uint64_t bytes);
uint64_t gs_pool_allowed(const gs_pool *pool); /* UINT64_MAX: no limit */

/* --- allocation ----------------------------------------------------------------------------------
 */

/* 0 bytes: address 0, nothing recorded. GS_DEVICE_MEMORY: out of memory, told by an oom action (but
 * for requests of 1 EiB and more and for requests rejected by throw_on_cudamalloc_oom); err has
 * PyTorch's text, cut to fit (gs_pool_oom_message has it whole). GS_NO_MEMORY: bookkeeping. Else
 * the device's error. */
gs_status gs_pool_malloc(gs_pool *pool, uint64_t bytes, uint64_t stream, gs_pool_ctx ctx,
	uint64_t *address, gs_error *err);
/* The same with the block's handle (NULL for 0 bytes), which holds until it is freed. */
gs_status gs_pool_malloc_block(gs_pool *pool, uint64_t bytes, uint64_t stream, gs_pool_ctx ctx,
	gs_pool_block **block, gs_error *err);
uint64_t gs_pool_block_address(const gs_pool_block *block);
uint64_t gs_pool_block_size(const gs_pool_block *block);
/* Hints for replays, which know what is freed soon: fetch the block into the cache; then (block
 * fetched) its neighbours. */
void gs_pool_fetch(const gs_pool_block *block);
void gs_pool_fetch_neighbours(const gs_pool_block *block);

/* Address 0 is allowed; GS_NOT_FOUND when the address is no live allocation's (nothing changes). */
gs_status gs_pool_free(gs_pool *pool, uint64_t address);
gs_status gs_pool_free_block(gs_pool *pool, gs_pool_block *block);
/* The block will be used in that stream too: a later free waits for it. Its own stream is ignored.
 */
gs_status gs_pool_record_stream(gs_pool *pool, uint64_t address, uint64_t stream);
gs_status gs_pool_record_stream_block(gs_pool *pool, gs_pool_block *block, uint64_t stream);
/* Completes the frees whose events are ready, as each malloc does first. */
gs_status gs_pool_process_events(gs_pool *pool);
/* The live allocation at an address, or NULL. */
gs_pool_block *gs_pool_find(const gs_pool *pool, uint64_t address);

/* For replay, where the recording and no event tells when a free completes: the free is requested
 * now and completes by gs_pool_complete, or when the pool waits for everything (retry, empty
 * cache). complete of a block that is not waiting so: GS_STATE. A handle stays valid until its free
 * completes: gs_pool_is_pending tells (before any other call that may reuse it). */
gs_status gs_pool_free_deferred(gs_pool *pool, gs_pool_block *block);
gs_status gs_pool_complete(gs_pool *pool, gs_pool_block *block);
bool gs_pool_is_pending(const gs_pool_block *block);

/* As torch.cuda.empty_cache(). GS_STATE while a graph is captured, under rules before 2.12. */
gs_status gs_pool_empty_cache(gs_pool *pool);

/* --- private pools -------------------------------------------------------------------------------
 */

typedef bool gs_pool_filter(void *user, uint64_t stream);

/* Holds a private pool, made when new (a MemPool object, a graph's pool): one more user.
 * drop_private: one less; unused pools are given back by the next release of cached blocks (so not
 * while another thread is in mem_alloc for that pool, where a wrapper drops its lock there).
 * GS_NOT_FOUND for unknown ids, GS_INVALID for (0,0). */
gs_status gs_pool_hold_private(gs_pool *pool, gs_pool_id id);
gs_status gs_pool_drop_private(gs_pool *pool, gs_pool_id id);
/* Gives back what that pool has cached, if it has no user (as a MemPool does in the end). */
gs_status gs_pool_empty_private(gs_pool *pool, gs_pool_id id);
/* From now on requests on streams that the filter (NULL: every stream) accepts go to that pool,
 * which gains a user as by hold (drop it when done). capture: a graph is being captured: until the
 * end, events are neither recorded nor processed (frees that need them wait) and nothing cached is
 * given back. Under rules before 2.12 any private pool has that effect. Of several that accept, the
 * one begun last wins (before 2.12: first). GS_STATE when it is begun already. */
gs_status gs_pool_begin_private(
	gs_pool *pool, gs_pool_id id, gs_pool_filter *filter, void *user, bool capture);
gs_status gs_pool_end_private(gs_pool *pool, gs_pool_id id);

/* --- what it holds -------------------------------------------------------------------------------
 */

typedef struct gs_pool_stat {
	int64_t current, peak, allocated, freed;
} gs_pool_stat;

/* Array statistics, PyTorch's names. GS_POOL_ARRAY(FIELD, "name") */
#define GS_POOL_ARRAYS(GS_POOL_ARRAY)                           \
	GS_POOL_ARRAY(ALLOCATION, "allocation")                     \
	GS_POOL_ARRAY(SEGMENT, "segment")                           \
	GS_POOL_ARRAY(ACTIVE, "active")                             \
	GS_POOL_ARRAY(INACTIVE_SPLIT, "inactive_split")             \
	GS_POOL_ARRAY(ALLOCATED_BYTES, "allocated_bytes")           \
	GS_POOL_ARRAY(RESERVED_BYTES, "reserved_bytes")             \
	GS_POOL_ARRAY(ACTIVE_BYTES, "active_bytes")                 \
	GS_POOL_ARRAY(INACTIVE_SPLIT_BYTES, "inactive_split_bytes") \
	GS_POOL_ARRAY(REQUESTED_BYTES, "requested_bytes")

typedef enum gs_pool_array {
#define GS_POOL_ARRAY(field, name) GS_STAT_##field,
	GS_POOL_ARRAYS(GS_POOL_ARRAY)
#undef GS_POOL_ARRAY
		GS_STAT_ARRAYS
} gs_pool_array;

enum { GS_STAT_ALL, GS_STAT_SMALL, GS_STAT_LARGE, GS_STAT_CLASSES };

typedef struct gs_pool_stats {
	gs_pool_stat array[GS_STAT_ARRAYS][GS_STAT_CLASSES];
	gs_pool_stat oversize_allocations, oversize_segments;
	int64_t num_alloc_retries, num_ooms, num_sync_all_streams, num_device_alloc, num_device_free,
		num_oom_rejections;
	int64_t max_split_size; /* -1 unlimited */
} gs_pool_stats;

/* The statistics that PyTorch keeps, and the name that it has for an array of them; peaks made the
 * present values, sums made 0; bytes of all segments, of live blocks. */
void gs_pool_get_stats(const gs_pool *pool, gs_pool_stats *stats);
const char *gs_pool_array_name(gs_pool_array array);
void gs_pool_reset_peak(gs_pool *pool);
void gs_pool_reset_accumulated(gs_pool *pool);
uint64_t gs_pool_reserved(const gs_pool *pool);
uint64_t gs_pool_allocated(const gs_pool *pool);

/* The figures of an out-of-memory, as of the failure. */
typedef struct gs_pool_oom {
	uint64_t requested; /* bytes the caller asked for */
	uint64_t rounded;   /* the block size this needs */
	uint64_t needed;    /* segment size: what the message says */
	uint64_t stream;
	gs_pool_class pool;
	gs_pool_id pool_id;
	uint64_t device_free, capacity;
	uint64_t allocated, reserved; /* by this pool */
	uint64_t allowed;             /* UINT64_MAX: no limit */
	uint64_t private_free;        /* free bytes in private pools */
	gs_pool_ctx ctx;
	int32_t device;
} gs_pool_oom;

/* NULL as long as there was none. */
const gs_pool_oom *gs_pool_last_oom(const gs_pool *pool);
/* PyTorch's text (of the current release) for it, terminated, cut to fit; returns buf. No process
 * figures (NVML's) are in it. */
char *gs_pool_oom_message(const gs_pool_oom *oom, char *buf, size_t cap);

typedef struct gs_pool_segment_info {
	uint64_t address, size, stream;
	gs_pool_id pool_id;
	gs_pool_class pool;
	bool expandable; /* then it is one contiguous mapped run of a reservation */
	uint64_t reservation, reserved_address; /* bytes and address of that reservation, else 0 */
	uint64_t allocated, active, requested;  /* sums over its blocks, as PyTorch's snapshot */
	size_t blocks;
	gs_pool_ctx ctx; /* of the call that made it */
} gs_pool_segment_info;

typedef struct gs_pool_block_info {
	uint64_t address, size;
	uint64_t requested; /* of no meaning on inactive blocks */
	gs_block_state state;
	gs_pool_ctx ctx; /* of its (last) allocation */
} gs_pool_block_info;

typedef struct gs_pool_visitor {
	gs_status (*segment)(
		void *user, const gs_pool_segment_info *segment); /* NULL: not of interest */
	gs_status (*block)(
		void *user, const gs_pool_block_info *block); /* those of the segment told last */
} gs_pool_visitor;

/* Segments in ascending address, each followed by its blocks, ascending. Stops at the first status
 * that is not GS_OK and returns it. Takes no memory and no lock. */
gs_status gs_pool_walk(const gs_pool *pool, const gs_pool_visitor *visitor, void *user);

typedef struct gs_pool_counts {
	size_t segments, blocks; /* as a walk visits now */
	size_t blocks_room;      /* block objects there is memory for: a walk never visits more before
								memory.take is called again */
	size_t metadata_bytes;   /* taken from memory and not given back */
} gs_pool_counts;
void gs_pool_count(const gs_pool *pool, gs_pool_counts *counts);

/* Walks every structure and proves the invariants: blocks tile segments, no two mergeable
 * neighbours, free sets hold exactly the free blocks in order, counters and statistics agree with
 * sums. GS_STATE and what is wrong where otherwise. Slow; for tests. */
gs_status gs_pool_check(const gs_pool *pool, gs_error *err);

/* --- state from before --- */

typedef struct gs_pool_seed_block {
	uint64_t size;
	uint64_t requested;
	gs_block_state state; /* pending: waits for gs_pool_complete, as after gs_pool_free_deferred */
	gs_pool_ctx ctx;
} gs_pool_seed_block;

typedef struct gs_pool_seed {
	uint64_t address, size, stream;
	gs_pool_class pool;
	gs_pool_id pool_id;
	bool expandable;              /* a mapped run */
	uint64_t reservation_address; /* expandable: of its reservation (same for runs of one; 0: the
									 run's address); */
	uint64_t reservation_size;    /* 0: what the rules give */
	gs_pool_ctx ctx;
	const gs_pool_seed_block *blocks; /* tile it, ascending */
	size_t nblocks;
} gs_pool_seed;

/* Puts a segment into the pool that it did not ask the device for (the caller has told the device,
 * gs_sim_adopt). Runs of one reservation in ascending order. blocks_out (NULL or nblocks entries)
 * receives the handles of allocated and pending blocks, NULL for free ones. Neighbouring free
 * blocks are merged. No action is told; statistics count it as allocated now. GS_INVALID when it
 * contradicts itself or overlaps. */
gs_status gs_pool_adopt(
	gs_pool *pool, const gs_pool_seed *seed, gs_pool_block **blocks_out, gs_error *err);

#endif
