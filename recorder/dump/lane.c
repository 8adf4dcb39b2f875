/* The producer's side of a lane. */
#include "recorder/dump/lane.h"

#include <time.h>

/* Until it is not full any more, or nobody makes room. */
static void wait_while(gs_lane *l, bool (*is_full)(const gs_lane *))
{
	gs_lane_consumer *thread = l->consumer;
	const struct timespec step = {0, 50000};
	struct timespec from, to;
	clock_gettime(CLOCK_MONOTONIC, &from);
	atomic_fetch_add_explicit(&l->waited, 1, memory_order_relaxed);
	while (atomic_load_explicit(&thread->runs, memory_order_relaxed) && is_full(l)) {
		sem_post(&thread->wake);
		nanosleep(&step, NULL);
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	atomic_fetch_add_explicit(&l->waited_ns,
		(uint64_t)((to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec),
		memory_order_relaxed);
}

void gs_lane_wait(gs_lane *l) { wait_while(l, gs_lane_is_full); }

static bool runs(const gs_lane *l)
{
	return atomic_load_explicit(&l->consumer->runs, memory_order_relaxed);
}

bool gs_lane_make_room(gs_lane *l)
{
	if (runs(l) && gs_lane_is_full(l))
		gs_lane_wait(l);
	if (!runs(l))
		return false;
	l->room_until = atomic_load_explicit(&l->tail, memory_order_acquire) + GS_LANE_EVENTS;
	return true;
}

static bool is_full_of_ooms(const gs_lane *l)
{
	return atomic_load_explicit(&l->nooms, memory_order_relaxed) -
		atomic_load_explicit(&l->ooms_written, memory_order_acquire) >=
		GS_LANE_OOMS;
}

void gs_lane_push_oom(gs_lane *l, const gs_stage_oom *oom)
{
	if (is_full_of_ooms(l))
		wait_while(l, is_full_of_ooms);
	if (is_full_of_ooms(l))
		return;
	uint64_t n = atomic_load_explicit(&l->nooms, memory_order_relaxed);
	gs_stage_oom *to = &l->ooms[n % GS_LANE_OOMS];
	*to = *oom;
	to->number = l->head;
	atomic_store_explicit(&l->nooms, n + 1, memory_order_release);
}

gs_status gs_lane_reserve(gs_lane *l, size_t metadata_bytes)
{
	l->staging.in_use = atomic_load_explicit(&l->layout, memory_order_acquire) == 2;
	return gs_staging_reserve(&l->staging, metadata_bytes);
}

void gs_lane_layout_ready(gs_lane *l)
{
	l->layout_at = l->head;
	atomic_store_explicit(&l->layout, 2, memory_order_release);
}

void gs_lane_layout_here(gs_lane *l, uint64_t block)
{
	if (atomic_load_explicit(&l->layout, memory_order_acquire) != 1)
		return;
	l->layout_at = l->head;
	l->layout_block = block;
	atomic_store_explicit(&l->layout, 3, memory_order_release);
}

void gs_lane_layout_filled(gs_lane *l, bool there)
{
	atomic_store_explicit(&l->layout, there ? 2 : 0, memory_order_release);
}
