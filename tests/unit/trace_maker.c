#include "tests/unit/trace_maker.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/pool/pool.h"
#include "recorder/pool/sim_device.h"

void trace_start(gs_snapshot *s)
{
	gs_device *d;

	gs_snapshot_init(s);
	s->kind = GS_KIND_PYTORCH;
	d = gs_snapshot_device(s, 0);
	d->has_layout = true;
	d->trace.complete = 1;
	gs_snapshot_stream(s, 0);
}

void trace_add(gs_snapshot *s, gs_action action, uint64_t address, uint64_t size)
{
	gs_event *e = gs_trace_append(&s->devices[0].trace);

	e->address = address;
	e->size = size;
	e->stream = 0;
	e->tag_action = action;
}

/* --- a made-up program ---------------------------------------------------------------------------
 */

static uint64_t some_size(void)
{
	switch (rand() % 8) {
	case 0:
	case 1:
	case 2: return 1 + (uint64_t)(rand() % 200000);
	case 3: return 200000 + (uint64_t)(rand() % 800000);
	case 4:
	case 5: return (1 << 20) + (uint64_t)(rand() % (11 << 20));
	default: return (10 << 20) + (uint64_t)(rand() % (80 << 20));
	}
}

void jobs_make(jobs *j, unsigned seed, size_t n, unsigned streams, bool empties)
{
	uint32_t *live = calloc(n + 1, sizeof *live);
	uint64_t *sizes = calloc(n + 1, sizeof *sizes), total = 0;
	size_t nlive = 0;

	srand(seed);
	j->list = calloc(n, sizeof *j->list);
	j->n = n;
	j->ids = 0;
	for (size_t i = 0; i < n; i++) {
		job *k = &j->list[i];
		unsigned dice = (unsigned)rand() % 100;
		*k = (job){.kind = JOB_MALLOC, .stream = streams > 1 ? (uint64_t)rand() % streams : 0};
		if (empties && dice == 99) {
			k->kind = JOB_EMPTY;
		} else if (streams > 1 && dice < 6 && nlive) {
			k->kind = JOB_RECORD;
			k->id = live[(size_t)rand() % nlive];
		} else if (streams > 1 && dice < 10) {
			k->kind = JOB_COMPLETE;
		} else if (nlive && (dice < 52 || total > 900ull << 20)) {
			size_t at = (size_t)rand() % nlive;
			k->kind = JOB_FREE;
			k->id = live[at];
			total -= sizes[k->id];
			live[at] = live[--nlive];
		} else {
			k->id = j->ids++;
			k->size = sizes[k->id] = some_size();
			total += k->size;
			live[nlive++] = k->id;
		}
	}
	free(live);
	free(sizes);
}

void jobs_release(jobs *j)
{
	free(j->list);
	memset(j, 0, sizeof *j);
}

/* --- running it --- */

static void record(void *user, const gs_pool_action *a)
{
	gs_snapshot *s = user;

	if (a->action == GS_ACTION_RECORD_STREAM || a->action == GS_ACTION_EMPTY_CACHE)
		return;
	trace_add(s, a->action, a->address, a->size);
	s->devices[0].trace.events[s->devices[0].trace.n - 1].stream = gs_snapshot_stream(s, a->stream);
	if (a->action == GS_ACTION_OOM) {
		gs_oom *oom = gs_snapshot_add_oom(s);
		oom->device = 0;
		oom->idx = (int64_t)s->devices[0].trace.n - 1;
		oom->requested = (int64_t)a->size;
		oom->device_free = (int64_t)a->device_free;
	}
}

static gs_status add_segment(void *user, const gs_pool_segment_info *info)
{
	gs_layout *l = user;

	l->segments = realloc(l->segments, (l->nsegments + 1) * sizeof *l->segments);
	l->segments[l->nsegments++] = (gs_segment){.address = info->address,
		.size = info->size,
		.stream = info->stream,
		.pool = (uint8_t)info->pool,
		.pool_id = info->pool_id,
		.expandable = info->expandable,
		.has_address = true,
		.first_block = l->nblocks};
	return GS_OK;
}

static gs_status add_block(void *user, const gs_pool_block_info *info)
{
	gs_layout *l = user;

	l->blocks = realloc(l->blocks, (l->nblocks + 1) * sizeof *l->blocks);
	l->blocks[l->nblocks++] = (gs_block){.address = info->address,
		.size = info->size,
		.state = (uint8_t)info->state,
		.idx = GS_NONE,
		.requested = info->state == GS_INACTIVE ? GS_NONE : (int64_t)info->requested,
		.segment = (uint32_t)(l->nsegments - 1)};
	l->segments[l->nsegments - 1].nblocks++;
	return GS_OK;
}

static gs_status run_job(const job *k, gs_pool *pool, gs_sim *sim, uint64_t *addresses)
{
	switch (k->kind) {
	case JOB_MALLOC:
		return gs_pool_malloc(
			pool, k->size, gs_sim_stream(k->stream), (gs_pool_ctx){0, 0}, &addresses[k->id], NULL);
	case JOB_FREE: return gs_pool_free(pool, addresses[k->id]);
	case JOB_RECORD: return gs_pool_record_stream(pool, addresses[k->id], gs_sim_stream(k->stream));
	case JOB_COMPLETE: gs_sim_complete(sim); return GS_OK;
	default: return gs_pool_empty_cache(pool);
	}
}

void jobs_run(const jobs *j, const char *rules, const char *conf, uint64_t capacity,
	uint64_t allowed, gs_snapshot *recording, run_figures *figures)
{
	static const gs_pool_visitor visitor = {add_segment, add_block};
	gs_sim_config device = {.capacity = capacity, .lazy_events = true};
	gs_pool_config config = {
		.ops = &gs_sim_ops, .memory = gs_pool_heap, .rules = gs_rules_find(rules)};
	uint64_t *addresses = calloc(j->ids + 1, sizeof *addresses);
	gs_pool_stats stats;
	gs_sim *sim = NULL;
	gs_pool *pool = NULL;

	ck_assert_int_eq(gs_sim_init(&sim, &device), GS_OK);
	config.device = sim;
	if (recording) {
		config.on_action = record;
		config.user = recording;
		recording->rules = gs_rules_find(rules)->name;
		gs_snapshot_add_setting(recording, "PYTORCH_CUDA_ALLOC_CONF", conf);
	}
	ck_assert_int_eq(gs_pool_init(&pool, &config, NULL), GS_OK);
	ck_assert_int_eq(gs_pool_configure(pool, conf, NULL), GS_OK);
	if (allowed)
		gs_pool_set_allowed(pool, allowed);
	figures->fits = true;
	figures->allocations = 0;
	for (size_t i = 0; i < j->n && figures->fits; i++) {
		gs_status status = run_job(&j->list[i], pool, sim, addresses);
		figures->fits = status == GS_OK;
		ck_assert_msg(figures->fits || status == GS_DEVICE_MEMORY, "%s", gs_status_text(status));
		figures->allocations += figures->fits && j->list[i].kind == JOB_MALLOC;
	}
	gs_pool_get_stats(pool, &stats);
	figures->peak_reserved = (uint64_t)stats.array[GS_STAT_RESERVED_BYTES][GS_STAT_ALL].peak;
	figures->reserved = (uint64_t)stats.array[GS_STAT_RESERVED_BYTES][GS_STAT_ALL].current;
	figures->retries = (uint64_t)stats.num_alloc_retries;
	if (recording)
		gs_pool_walk(pool, &visitor, &recording->devices[0].captured);
	gs_pool_release(pool);
	gs_sim_release(sim);
	free(addresses);
}
