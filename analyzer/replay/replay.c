/* Making a replay ready: the state before the first event, what the events are, and where they are
 * in memory their requests. */
#include "analyzer/replay/replay_internal.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/memory.h"

/* Our own allocator's recordings have an event for each call of empty_cache(); of a watched one the
 * recorder says so. (Files from before it did are known by the events.) */
static bool tells_calls(const gs_snapshot *s)
{
	const char *told = gs_snapshot_setting(s, "empty_cache_calls");
	return s->kind == GS_KIND_GSNAP &&
		(gs_snapshot_is_own(s) || (told && !strcmp(told, "recorded")));
}

static void begin(gs_replay *r, const gs_device *d, bool foreign, const gs_snapshot *s)
{
	memset(r, 0, sizeof *r);
	r->device = d;
	r->foreign = foreign;
	r->told = foreign || tells_calls(s);
}

static void take_requests(gs_replay *r, gs_request_maker *m)
{
	r->ops = m->ops;
	r->n = m->n;
	r->cap = m->cap;
	r->initial_slots = m->initial_slots;
	m->ops = NULL;
	m->initial_slots = NULL;
	gs_replay_take_counts(r, m);
}

static gs_status make_requests(gs_replay *r)
{
	const gs_trace *t = &r->device->trace;
	gs_request_maker m;
	gs_status status = gs_requests_begin(&m, r);
	if (!status)
		status = gs_requests_add(&m, t->events, (size_t)r->end, (size_t)r->end, 0);
	if (!status)
		status = gs_requests_end(&m);
	if (!status)
		take_requests(r, &m);
	gs_requests_release(&m);
	return status;
}

static gs_status need_history(gs_replay *r, const gs_history *history, gs_error *err)
{
	gs_status status = history ? GS_OK
							   : gs_history_init(&r->own_history, r->snapshot, r->device, err);
	r->history = history ? history : &r->own_history;
	r->initial = &r->history->initial;
	r->starts_empty = r->history->starts_empty;
	return status;
}

gs_status gs_replay_init(gs_replay *r, const gs_snapshot *s, const gs_device *d, int64_t until,
	bool foreign, const gs_history *history, gs_error *err)
{
	gs_fact_finder facts;
	begin(r, d, foreign, s);
	r->snapshot = s;
	r->first = s->excerpt ? d->trace.first : 0;
	if (d->trace.n >= INT32_MAX)
		return gs_fail(err, GS_LIMIT, "%zu events are more than a replay takes", d->trace.n);
	gs_status status = need_history(r, history, err);
	if (status)
		return status;
	if (gs_replay_pools_init(&r->pools, d))
		return gs_fail(err, GS_NO_MEMORY, "preparing a replay");
	gs_facts_begin(&facts, r, until);
	gs_facts_add(&facts, d->trace.events, d->trace.n);
	if ((status = gs_facts_end(&facts, s, err)))
		return status;
	if ((status = gs_replay_pools_number(&r->pools, s)) || (status = make_requests(r)))
		return gs_fail(err, status, "preparing a replay of %zu events", d->trace.n);
	return GS_OK;
}

/* --- of a source */

/* What the layout near the first event and the events up to it make of the state before it. */
static gs_status find_first_layout(gs_replay *r, gs_error *err)
{
	const gs_device *d = gs_snapshot_find_device(r->snapshot, r->source->device);
	gs_history h = GS_HISTORY_INIT;
	if (!d)
		return gs_fail(err, GS_NOT_FOUND, "no events of device %d", r->source->device);
	gs_status status = gs_history_init(&h, r->snapshot, d, err);
	if (!status && gs_layout_copy(&r->first_layout, &h.initial))
		status = gs_fail(err, GS_NO_MEMORY, "preparing a replay");
	r->initial = &r->first_layout;
	r->starts_empty = h.starts_empty;
	gs_history_release(&h);
	return status;
}

/* Players and rewriters look them up before the first request is made. */
static gs_status find_initial_slots(gs_replay *r)
{
	gs_request_maker m;
	gs_status status = gs_requests_begin(&m, r);
	r->initial_slots = m.initial_slots;
	m.initial_slots = NULL;
	gs_requests_release(&m);
	return status;
}

static gs_status see_events(void *context, const gs_event *events, size_t n, gs_error *err)
{
	(void)err;
	gs_facts_add(context, events, n);
	return GS_OK;
}

gs_status gs_replay_init_source(gs_replay *r, const gs_snapshot *s, const gs_device *d,
	const gs_event_source *source, int64_t until, bool foreign, gs_error *err)
{
	gs_fact_finder facts;
	begin(r, d, foreign, s);
	r->source = source;
	r->snapshot = source->snapshot;
	gs_status status = find_first_layout(r, err);
	if (status)
		return status;
	if (gs_replay_pools_init(&r->pools, d))
		return gs_fail(err, GS_NO_MEMORY, "preparing a replay");
	gs_facts_begin(&facts, r, until);
	if ((status = source->pass(source->context, see_events, &facts, err)) ||
		(status = gs_facts_end(&facts, s, err)))
		return status;
	if (gs_replay_pools_number(&r->pools, r->snapshot) || find_initial_slots(r))
		return gs_fail(err, GS_NO_MEMORY, "preparing a replay");
	return GS_OK;
}

void gs_replay_release(gs_replay *r)
{
	gs_history_release(&r->own_history);
	gs_layout_release(&r->first_layout);
	gs_replay_pools_release(&r->pools);
	gs_memory_give(r->ops);
	gs_memory_give(r->settled);
	gs_memory_give(r->revisions);
	free(r->initial_slots);
	memset(r, 0, sizeof *r);
}
