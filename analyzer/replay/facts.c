/* What must be known of a run's events before requests are made of them. */
#include "analyzer/replay/replay_internal.h"

#define HUGE (UINT64_C(1) << 60)

static uint64_t reserved_at_first(const gs_replay *r)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < r->initial->nsegments && !r->foreign; i++)
		bytes += r->initial->segments[i].size;
	return bytes;
}

void gs_facts_begin(gs_fact_finder *f, gs_replay *r, int64_t until)
{
	*f = (gs_fact_finder){.r = r, .limit = UINT64_MAX, .reserved = reserved_at_first(r)};
	if (until != GS_NONE && (uint64_t)until < UINT64_MAX)
		f->limit = (uint64_t)until + 1;
	r->first_oom = r->last_oom = -1;
	r->oom_device_free = GS_NONE;
	r->peak_reserved = f->reserved;
}

static void count_segment(gs_fact_finder *f, const gs_event *e)
{
	if (gs_brings(e))
		f->reserved += e->size;
	else if (gs_gives_back(e))
		f->reserved -= e->size < f->reserved ? e->size : f->reserved;
	if (f->reserved > f->r->peak_reserved)
		f->r->peak_reserved = f->reserved;
}

static void see_oom(gs_fact_finder *f, const gs_event *e, int64_t i)
{
	gs_replay *r = f->r;
	r->last_oom = i;
	f->at_oom.asked = r->asked;
	f->at_oom.peak_reserved = r->peak_reserved;
	if (r->first_oom >= 0)
		return;
	r->first_oom = i;
	r->oom_size = e->size;
	r->oom_reserved = (int64_t)f->reserved;
	r->oom_peak = (int64_t)r->peak_reserved;
}

static void see_event(gs_fact_finder *f, const gs_event *e, uint64_t i)
{
	gs_replay *r = f->r;
	gs_action a = gs_event_action(e);
	r->seen[a] = true;
	f->asks |= a == GS_ACTION_ALLOC || a == GS_ACTION_OOM;
	gs_replay_pools_see(&r->pools, e, (int64_t)i);
	if (i >= f->limit)
		return;
	r->completions |= a == GS_ACTION_FREE_COMPLETED;
	r->told |= a == GS_ACTION_EMPTY_CACHE;
	if (a == GS_ACTION_ALLOC && r->asked < HUGE)
		r->asked += e->size < HUGE ? e->size : 0;
	else if (a == GS_ACTION_OOM)
		see_oom(f, e, (int64_t)i);
	else
		count_segment(f, e);
}

void gs_facts_add(gs_fact_finder *f, const gs_event *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		see_event(f, &events[i], f->r->events + i);
	f->r->events += n;
}

/* What the OOM row knows of the first failure beyond its event. */
static void add_facts_of_oom(gs_replay *r, const gs_snapshot *s)
{
	for (size_t i = 0; i < s->nooms && r->first_oom >= 0; i++) {
		const gs_oom *oom = &s->ooms[i];
		int64_t event = r->source ? oom->number : oom->idx;
		if (oom->device != r->device->device || event != r->first_oom)
			continue;
		r->oom_device_free = oom->device_free;
		return;
	}
}

gs_status gs_facts_end(gs_fact_finder *f, const gs_snapshot *s, gs_error *err)
{
	gs_replay *r = f->r;
	if (!r->events)
		return gs_fail(
			err, GS_NOT_FOUND, "device %d has no recorded events to replay", r->device->device);
	if (!f->asks)
		return gs_fail(err, GS_NOT_FOUND,
			"nothing to replay: among the recorded events of device %d none asks for memory",
			r->device->device);
	r->end = r->events < f->limit ? r->events : f->limit;
	if (r->last_oom >= 0) {
		r->end = (uint64_t)r->last_oom + 1;
		r->asked = f->at_oom.asked;
		r->peak_reserved = f->at_oom.peak_reserved;
	}
	add_facts_of_oom(r, s);
	return GS_OK;
}
