/* What of a stream one moment needs: a layout and the events from there to it, and all strings,
 * stacks and facts, of which there is little. The indexes tell where they are; what was written
 * since the last index (a run that goes on, or was killed) is found from section headers. */
#include "analyzer/read/gsnap/plan_internal.h"

#include "analyzer/model/memory.h"
#include "analyzer/read/gsnap/gsnap_internal.h"

void gs_gsnap_plan_release(gs_gsnap_plan *plan)
{
	gs_memory_give(plan->windows);
	plan->windows = NULL;
	plan->n = 0;
	plan->at = 0;
	gs_gsnap_directory_release(&plan->directory);
}

const gs_gsnap_window *gs_gsnap_window_of(const gs_gsnap_plan *plan, int32_t device)
{
	for (uint32_t i = 0; i < plan->n; i++)
		if (plan->windows[i].device == device)
			return &plan->windows[i];
	return NULL;
}

/* The event of the device after which the state is wanted; -1: before the first. */
static int64_t wanted_event(
	const gs_planning *p, const gs_gsnap_window *w, const gs_moment_wanted *moment)
{
	int64_t last = (int64_t)w->events - 1, found = last;
	uint64_t nth = 0;
	if (moment->what == GS_MOMENT_EVENT)
		return moment->number < w->events ? (int64_t)moment->number : last;
	for (size_t i = 0; moment->what == GS_MOMENT_EVENTS && i < moment->nevents; i++)
		if (moment->events[i].device == w->device && moment->events[i].event < w->events)
			return (int64_t)moment->events[i].event;
	for (size_t i = 0; moment->what == GS_MOMENT_FAILURE && i < p->nfailures; i++)
		if (p->failures[i].device == w->device && p->failures[i].idx >= 0 &&
			p->failures[i].idx <= last && (!moment->number || ++nth == moment->number))
			found = p->failures[i].idx;
	return found;
}

/* From the last layout that is not after the event (or reach events before it); where there is
 * none, from the first one back to the beginning. */
static void choose(const gs_planning *p, uint32_t number, int64_t wanted, uint64_t reach)
{
	int64_t latest = wanted >= 0 && (uint64_t)wanted > reach ? wanted - (int64_t)reach
		: wanted >= 0 && reach                               ? -1
															 : wanted;
	gs_gsnap_window *w = &p->plan->windows[number];
	const gs_layout_place *best = NULL;
	for (size_t i = 0; i < p->nlayouts; i++) {
		const gs_layout_place *l = &p->layouts[i];
		if (l->window == number && l->idx >= -1 && l->idx < (int64_t)w->events &&
			(!best || l->idx <= latest))
			best = l;
	}
	w->from = 0;
	w->to = (uint64_t)(wanted + 1);
	if (!best)
		return;
	w->has_layout = true;
	w->layout = best->idx;
	w->offset = best->offset;
	if (best->idx <= latest || best->idx < wanted) {
		w->from = (uint64_t)(best->idx + 1);
		w->begin = best->offset;
	} else {
		w->to = (uint64_t)(best->idx + 1);
	}
}

static gs_status open_sections(gs_planning *p, gs_source *source, gs_error *err)
{
	gs_sections_close(p->sections);
	p->sections = NULL;
	if (!gs_source_rewind(source))
		return gs_fail(err, GS_IO, "it cannot be read twice");
	return gs_sections_open(&p->sections, (gs_section_input){gs_gsnap_input, source}, err);
}

/* Everything anew, by all headers. */
static gs_status scan_all(gs_planning *p, gs_source *source, gs_error *err)
{
	gs_gsnap_plan_release(p->plan);
	p->nlayouts = p->nfailures = p->cap_windows = 0;
	p->is_open = false;
	gs_status status = open_sections(p, source, err);
	return status ? status : gs_planning_scan(p, err);
}

static uint64_t count_events(const gs_gsnap_plan *plan)
{
	uint64_t events = 0;
	for (uint32_t i = 0; i < plan->n; i++)
		events += plan->windows[i].events;
	return events;
}

gs_status gs_gsnap_plan_make(
	gs_gsnap_plan *plan, gs_source *source, const gs_moment_wanted *moment, gs_error *err)
{
	gs_planning p = {.plan = plan};
	if (!gs_source_rewind(source)) /* where it cannot go back it must not go on either */
		return GS_OK;
	gs_status status = open_sections(&p, source, err);
	bool stream = !status && gs_sections_is_stream(p.sections);
	if (stream &&
		(status = gs_planning_look_up(&p, source, &(gs_error)GS_ERROR_INIT)) == GS_NOT_FOUND)
		status = scan_all(&p, source, err);
	if (!stream || status || count_events(plan) <= moment->whole_below)
		gs_gsnap_plan_release(plan);
	/* a moment that is an event's is found by it, also where a layout stands right behind it */
	uint64_t reach = moment->reach || moment->what == GS_MOMENT_LAST ? moment->reach : 1;
	for (uint32_t i = 0; i < plan->n; i++)
		choose(&p, i, wanted_event(&p, &plan->windows[i], moment), reach);
	gs_sections_close(p.sections);
	gs_memory_give(p.layouts);
	gs_memory_give(p.failures);
	if (!status && !gs_source_rewind(source))
		status = gs_fail(err, GS_IO, "it cannot be read twice");
	return status;
}

void gs_gsnap_plan_note(gs_gsnap_plan *plan, const gs_section *section)
{
	for (uint32_t i = 0; i < plan->n; i++) {
		gs_gsnap_window *w = &plan->windows[i];
		if (w->device != section->device || section->offset < w->begin)
			continue;
		if (section->kind == GS_SECTION_BLOCK && section->flags & GS_SECTION_LAST)
			w->has_met |= section->offset > w->offset;
		if (section->kind == GS_SECTION_EVENT)
			w->reached = section->first + section->rows;
		w->done |= (w->has_met || !w->has_layout) && (w->reached >= w->to || w->to <= w->from);
	}
}

uint64_t gs_gsnap_plan_next(gs_gsnap_plan *plan, uint64_t at)
{
	gs_gsnap_directory *d = &plan->directory;
	uint64_t next = UINT64_MAX;
	if (!d->behind)
		return at;
	for (uint32_t i = 0; i < plan->n; i++) {
		const gs_gsnap_window *w = &plan->windows[i];
		if (!w->done && w->begin <= at)
			return at;
		if (!w->done && w->begin < next)
			next = w->begin;
	}
	while (plan->at < d->n &&
		(d->places[plan->at].offset < at || d->places[plan->at].kind == GS_SECTION_EVENT ||
			d->places[plan->at].kind == GS_SECTION_INDEX))
		plan->at++;
	if (plan->at < d->n && d->places[plan->at].offset < next)
		next = d->places[plan->at].offset;
	return next;
}
