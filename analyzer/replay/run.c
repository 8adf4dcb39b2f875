/* Runs of the requests on simulated devices. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/parallel.h"
#include "analyzer/replay/play.h"
#include "analyzer/replay/replay_internal.h"
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
	result->past_wait = p->past_wait;
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
static inline void fetch_ahead(const gs_player *p, const gs_replay_window *w, size_t i)
{
	enum { SLOT = 24, BLOCK = 16, NEIGHBOURS = 8 };
	const gs_replay_op *op = &w->ops[i];
	const gs_pool_block *block;

	if (i + SLOT >= w->n)
		return;
	if (op[SLOT].kind == GS_REPLAY_FREE)
		__builtin_prefetch(&p->blocks[op[SLOT].slot]);
	if (op[BLOCK].kind == GS_REPLAY_FREE && (block = p->blocks[op[BLOCK].slot]))
		gs_pool_fetch(block);
	if (op[NEIGHBOURS].kind == GS_REPLAY_FREE && (block = p->blocks[op[NEIGHBOURS].slot]))
		gs_pool_fetch_neighbours(block);
}

/* One run: a device, a pool on it, and how far it came. */
typedef struct one_run {
	const gs_replay *r;
	gs_sim *sim;
	gs_player player;
	gs_replay_result *result;
	bool over; /* it failed, or could not begin */
	gs_status status;
	gs_error error;
} one_run;

static gs_status stopped(one_run *x, gs_status status)
{
	x->over = true;
	return x->status = status
		? gs_fail(&x->error, status, "the replay stopped: %s", gs_status_text(status))
		: GS_OK;
}

static void play(one_run *x, const gs_replay_window *w)
{
	gs_status status = gs_player_reserve(&x->player, w->nslots);

	for (size_t i = 0; i < w->n && !status; i++) {
		const gs_replay_op *op = &w->ops[i];
		fetch_ahead(&x->player, w, i);
		status = gs_player_step(&x->player, op);
		if (status == GS_DEVICE_MEMORY) {
			x->result->fits = false;
			x->result->failed_event = (int64_t)(w->first_event + op->event);
			x->result->failed_size = op->size;
			x->over = true;
			return;
		}
		x->result->past_oom |= op->kind == GS_REPLAY_OOM && !(w->last && i + 1 == w->n);
	}
	if (status)
		stopped(x, status);
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

static gs_status begin(
	one_run *x, const gs_replay *r, const gs_replay_settings *s, gs_replay_result *result)
{
	gs_sim_config device = {
		.capacity = s->capacity, .other = s->outside, .number = r->device->device};
	gs_player_config config = {.ops = &gs_sim_ops,
		.adopt = adopt,
		.rules = s->rules,
		.conf = s->conf,
		.allowed = s->allowed};
	uint64_t budget = s->capacity - s->outside < s->allowed ? s->capacity - s->outside : s->allowed;

	memset(result, 0, sizeof *result);
	*x = (one_run){.r = r, .result = result, .over = true, .error = GS_ERROR_INIT};
	if ((x->status = gs_sim_init(&x->sim, &device)))
		return gs_fail(&x->error, x->status, "a simulated device of %llu bytes",
			(unsigned long long)s->capacity);
	config.device = x->sim;
	if ((x->status = gs_player_init(&x->player, r, &config, &x->error)))
		return x->status;
	result->failed_event = GS_NONE;
	gs_status status = fit_start(&x->player, budget, result);
	if (status)
		return stopped(x, status);
	x->over = result->too_small;
	result->fits = !result->too_small;
	return GS_OK;
}

/* Figures of the moment that it came to; its memory is given back. */
static void end(one_run *x)
{
	if (!x->status)
		take_figures(&x->player, x->result);
	gs_player_release(&x->player);
	gs_sim_release(x->sim);
	x->sim = NULL;
}

/* --- several ---------------------------------------------------------------------------------- */

typedef struct many_runs {
	gs_replay *r;
	const gs_replay_settings *settings;
	gs_replay_result *results;
	one_run *runs;
	size_t n;
	const gs_replay_window *window;
} many_runs;

static void begin_one(void *context, size_t i)
{
	many_runs *m = context;
	begin(&m->runs[i], m->r, &m->settings[i], &m->results[i]);
}

static void play_one(void *context, size_t i)
{
	many_runs *m = context;
	if (!m->runs[i].over)
		play(&m->runs[i], m->window);
}

static void end_one(void *context, size_t i)
{
	many_runs *m = context;
	end(&m->runs[i]);
}

/* In memory each is done with before the next: their blocks then take the same memory. */
static void run_one(void *context, size_t i)
{
	many_runs *m = context;
	const gs_replay_window all = {.ops = m->r->ops,
		.n = m->r->n,
		.first_event = m->r->first,
		.nslots = m->r->nslots,
		.last = true};
	begin_one(m, i);
	if (!m->runs[i].over)
		play(&m->runs[i], &all);
	end_one(m, i);
}

static gs_status play_window(void *context, const gs_replay_window *w, gs_error *err)
{
	many_runs *m = context;
	size_t going = 0;
	(void)err;
	m->window = w;
	gs_parallel(m->n, play_one, m);
	for (size_t i = 0; i < m->n; i++)
		going += !m->runs[i].over;
	return going ? GS_OK : GS_END;
}

static gs_status first_error(const many_runs *m, gs_error *err)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->runs[i].status)
			return gs_fail(err, m->runs[i].status, "%s", m->runs[i].error.text);
	return GS_OK;
}

/* In one pass over the source. */
static gs_status run_together(many_runs *m, gs_error *err)
{
	gs_parallel(m->n, begin_one, m);
	gs_status status = first_error(m, err);
	if (!status)
		status = gs_replay_pass(m->r, true, play_window, m, err);
	gs_parallel(m->n, end_one, m);
	return status ? status : first_error(m, err);
}

/* How many runs' live blocks there is memory for at once. */
static size_t at_once(const gs_replay *r)
{
	enum { BLOCK = 200 };
	size_t most = ((size_t)1 << 29) / (((size_t)r->nslots + 1) * BLOCK);
	return most < 2 ? 2 : most;
}

static gs_status run_in_passes(many_runs m, gs_error *err)
{
	gs_status status = gs_replay_count(m.r, err);
	size_t left = m.n, most = at_once(m.r);
	while (left && !status) {
		m.n = left < most ? left : most;
		status = run_together(&m, err);
		m.settings += m.n;
		m.results += m.n;
		left -= m.n;
	}
	return status;
}

gs_status gs_replay_run_all(gs_replay *r, const gs_replay_settings *settings, size_t n,
	gs_replay_result *results, gs_error *err)
{
	many_runs m = {.r = r, .settings = settings, .results = results, .n = n};
	gs_status status = GS_OK;
	if (!(m.runs = calloc(n + 1, sizeof *m.runs)))
		return gs_fail(err, GS_NO_MEMORY, "%zu replays", n);
	if (r->source) {
		status = run_in_passes(m, err);
	} else {
		gs_parallel(n, run_one, &m);
		status = first_error(&m, err);
	}
	free(m.runs);
	return status;
}
