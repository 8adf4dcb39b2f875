/* One run of the requests on the simulated device. */
#include "analyzer/replay/replay.h"

#include <string.h>

#include "analyzer/replay/play.h"
#include "recorder/pool/sim_device.h"

static gs_status adopt(void *device, const gs_pool_seed *seed)
{
	if (!seed->expandable)
		return gs_sim_adopt(device, seed->address, seed->size);
	return gs_sim_adopt_reservation(
		device, seed->reservation_address, seed->reservation_size, seed->size);
}

static gs_status see_block(void *user, const gs_pool_block_info *block)
{
	uint64_t *largest = user;

	if (block->state == GS_INACTIVE && block->size > *largest)
		*largest = block->size;
	return GS_OK;
}

static void take_figures(const gs_player *p, gs_replay_result *result)
{
	static const gs_pool_visitor visitor = {.block = see_block};
	gs_pool_stats stats;

	gs_pool_get_stats(p->pool, &stats);
	result->allocations = p->allocations;
	result->reserved = (uint64_t)stats.array[GS_STAT_RESERVED_BYTES][GS_STAT_ALL].current;
	result->peak_reserved = (uint64_t)stats.array[GS_STAT_RESERVED_BYTES][GS_STAT_ALL].peak;
	result->peak_allocated = (uint64_t)stats.array[GS_STAT_ALLOCATED_BYTES][GS_STAT_ALL].peak;
	result->peak_requested = (uint64_t)stats.array[GS_STAT_REQUESTED_BYTES][GS_STAT_ALL].peak;
	result->retries = (uint64_t)stats.num_alloc_retries;
	result->largest_free = 0;
	gs_pool_walk(p->pool, &visitor, &result->largest_free);
}

/* Blocks to be freed soon were mostly touched long ago: they are fetched in time, in three steps.
 */
static inline void fetch_ahead(const gs_player *p, const gs_replay *r, size_t i)
{
	enum { SLOT = 24, BLOCK = 16, NEIGHBOURS = 8 };
	const gs_replay_op *op = &r->ops[i];
	const gs_pool_block *block;

	if (i + SLOT >= r->n)
		return;
	if (op[SLOT].kind == GS_REPLAY_FREE)
		__builtin_prefetch(&p->blocks[op[SLOT].slot]);
	if (op[BLOCK].kind == GS_REPLAY_FREE && (block = p->blocks[op[BLOCK].slot]))
		gs_pool_fetch(block);
	if (op[NEIGHBOURS].kind == GS_REPLAY_FREE && (block = p->blocks[op[NEIGHBOURS].slot]))
		gs_pool_fetch_neighbours(block);
}

static gs_status play(gs_player *p, const gs_replay *r, gs_replay_result *result)
{
	gs_status status = GS_OK;

	result->fits = true;
	for (size_t i = 0; i < r->n && !status; i++) {
		const gs_replay_op *op = &r->ops[i];
		fetch_ahead(p, r, i);
		status = gs_player_step(p, op);
		if (status == GS_DEVICE_MEMORY) {
			result->fits = false;
			result->failed_event = op->event;
			result->failed_size = op->size;
			return GS_OK;
		}
		result->past_oom |= op->kind == GS_REPLAY_OOM && i + 1 < r->n;
	}
	return status;
}

/* On a device smaller than what was reserved before the recording, the cached part of that cannot
 * have been there. */
static gs_status fit_start(gs_player *p, uint64_t budget, gs_replay_result *result)
{
	gs_status status;

	if (gs_pool_reserved(p->pool) <= budget)
		return GS_OK;
	if ((status = gs_pool_empty_cache(p->pool)))
		return status;
	gs_pool_reset_peak(p->pool);
	result->too_small = gs_pool_reserved(p->pool) > budget;
	return GS_OK;
}

gs_status gs_replay_run(
	const gs_replay *r, const gs_replay_settings *s, gs_replay_result *result, gs_error *err)
{
	gs_sim_config device = {
		.capacity = s->capacity, .other = s->outside, .number = r->device->device};
	gs_player_config config = {.ops = &gs_sim_ops,
		.adopt = adopt,
		.rules = s->rules,
		.conf = s->conf,
		.allowed = s->allowed};
	gs_player p = {.listen = NULL};
	gs_sim *sim = NULL;
	gs_status status;

	memset(result, 0, sizeof *result);
	status = gs_sim_init(&sim, &device);
	if (status)
		return gs_fail(
			err, status, "a simulated device of %llu bytes", (unsigned long long)s->capacity);
	config.device = sim;
	status = gs_player_init(&p, r, &config, err);
	if (!status) {
		uint64_t budget = s->capacity - s->outside < s->allowed ? s->capacity - s->outside
																: s->allowed;
		status = fit_start(&p, budget, result);
		result->failed_event = GS_NONE;
		if (!status && !result->too_small)
			status = play(&p, r, result);
		if (status)
			gs_fail(err, status, "the replay stopped: %s", gs_status_text(status));
		else
			take_figures(&p, result);
	}
	gs_player_release(&p);
	gs_sim_release(sim);
	return status;
}
