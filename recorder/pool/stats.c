/* Statistics: kept as tallies a class, put together when asked for. */
#include "recorder/pool/pool_internal.h"

static gs_pool_stat stat_of(const gs_tally *t)
{
	return (gs_pool_stat){.current = t->current,
		.peak = t->peak,
		.allocated = t->current + t->freed - t->base,
		.freed = t->freed};
}

void gs_pool_get_stats(const gs_pool *p, gs_pool_stats *stats)
{
	for (int a = 0; a < GS_STAT_ARRAYS; a++) {
		gs_pool_stat small = stat_of(&p->tally[a][GS_SMALL]),
					 large = stat_of(&p->tally[a][GS_LARGE]);
		stats->array[a][GS_STAT_SMALL] = small;
		stats->array[a][GS_STAT_LARGE] = large;
		stats->array[a][GS_STAT_ALL] = (gs_pool_stat){
			.current = small.current + large.current,
			.peak = p->peak_all[a],
			.allocated = small.allocated + large.allocated,
			.freed = small.freed + large.freed,
		};
	}
	stats->oversize_allocations = stat_of(&p->oversize_allocations);
	stats->oversize_segments = stat_of(&p->oversize_segments);
	stats->num_alloc_retries = p->retries;
	stats->num_ooms = p->ooms;
	stats->num_sync_all_streams = p->syncs;
	stats->num_device_alloc = p->device_allocs;
	stats->num_device_free = p->device_frees;
	stats->num_oom_rejections = p->rejections;
	stats->max_split_size = p->split_at_start;
}

const char *gs_pool_array_name(gs_pool_array array)
{
	static const char *const names[] = {
#define GS_POOL_ARRAY(field, name) name,
		GS_POOL_ARRAYS(GS_POOL_ARRAY)
#undef GS_POOL_ARRAY
	};
	return array < GS_STAT_ARRAYS ? names[array] : "";
}

static void forget(gs_tally *t)
{
	t->freed = 0;
	t->base = t->current;
}

void gs_pool_reset_peak(gs_pool *p)
{
	for (int a = 0; a < GS_STAT_ARRAYS; a++) {
		for (int c = 0; c < 2; c++)
			p->tally[a][c].peak = p->tally[a][c].current;
		p->peak_all[a] = p->tally[a][0].current + p->tally[a][1].current;
	}
	p->oversize_allocations.peak = p->oversize_allocations.current;
	p->oversize_segments.peak = p->oversize_segments.current;
}

void gs_pool_reset_accumulated(gs_pool *p)
{
	for (int a = 0; a < GS_STAT_ARRAYS; a++)
		for (int c = 0; c < 2; c++)
			forget(&p->tally[a][c]);
	forget(&p->oversize_allocations);
	forget(&p->oversize_segments);
	p->retries = p->ooms = p->syncs = p->device_allocs = p->device_frees = p->rejections = 0;
}

uint64_t gs_pool_reserved(const gs_pool *p) { return p->reserved; }

uint64_t gs_pool_allocated(const gs_pool *p)
{
	return (uint64_t)(p->tally[GS_STAT_ALLOCATED_BYTES][0].current +
		p->tally[GS_STAT_ALLOCATED_BYTES][1].current);
}
