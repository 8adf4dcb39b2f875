/* What of a stream one moment needs: a layout and the events from there to it, and all strings,
 * stacks and facts, of which there is little. The indexes tell where they are; what was written
 * since the last index (a run that goes on, or was killed) is found from section headers. */
#include <string.h>

#include "analyzer/model/memory.h"
#include "analyzer/read/gsnap/gsnap_internal.h"

typedef struct layout_place {
	uint32_t window; /* which device's */
	uint64_t offset;
	int64_t idx;
} layout_place;

typedef struct failure_place {
	int32_t device;
	int64_t idx;
} failure_place;

typedef struct planning {
	gs_gsnap_plan *plan;
	gs_sections *sections;
	gs_section section;
	layout_place *layouts, open;
	failure_place *failures;
	size_t nlayouts, cap_layouts, nfailures, cap_failures, cap_windows;
	bool is_open; /* a layout has begun */
} planning;

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

/* Room for one more; NULL when memory is short. */
static void *room(void *array, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return array;
	size_t more = *cap ? *cap * 2 : 16;
	void *grown = gs_memory_resize(array, more * size);
	if (grown)
		*cap = more;
	return grown;
}

static gs_status no_memory(gs_error *err) { return gs_fail(err, GS_NO_MEMORY, "out of memory"); }

/* The number of a device's window, made when new; UINT32_MAX: no memory. */
static uint32_t window_number(planning *p, int32_t device)
{
	gs_gsnap_plan *plan = p->plan;
	for (uint32_t i = 0; i < plan->n; i++)
		if (plan->windows[i].device == device)
			return i;
	gs_gsnap_window *grown = room(plan->windows, plan->n, &p->cap_windows, sizeof *grown);
	if (!grown)
		return UINT32_MAX;
	plan->windows = grown;
	plan->windows[plan->n] = (gs_gsnap_window){.device = device};
	return plan->n++;
}

/* The section at hand, found without an index, is wanted for every moment. */
static gs_status add_place(planning *p, gs_error *err)
{
	const gs_section *s = &p->section;
	return p->plan->directory.behind ? gs_gsnap_directory_add(&p->plan->directory,
										   (gs_gsnap_place){s->offset, GS_NONE, 0, s->kind}, err)
									 : GS_OK;
}

/* The first section of a device's tells of it; others begin a layout. */
static gs_status note_device(planning *p, gs_error *err)
{
	for (uint32_t i = 0; i < p->section.rows; i++) {
		gs_row_device row;
		gs_sections_row(p->sections, i, &row);
		uint32_t before = p->plan->n, window = window_number(p, row.device);
		if (window == UINT32_MAX)
			return no_memory(err);
		if (p->plan->n > before && add_place(p, err))
			return no_memory(err);
		p->is_open = !row.no_layout;
		p->open = (layout_place){window, p->section.offset, row.idx};
	}
	return GS_OK;
}

static gs_status note_layout(planning *p, gs_error *err)
{
	if (!p->is_open || !(p->section.flags & GS_SECTION_LAST))
		return GS_OK;
	layout_place *grown = room(p->layouts, p->nlayouts, &p->cap_layouts, sizeof *grown);
	if (!grown)
		return no_memory(err);
	p->layouts = grown;
	p->layouts[p->nlayouts++] = p->open;
	p->is_open = false;
	return GS_OK;
}

static gs_status note_failures(planning *p, gs_error *err)
{
	gs_status status = gs_sections_load(p->sections, false, err);
	for (uint32_t i = 0; !status && i < p->section.rows; i++) {
		gs_row_oom row;
		gs_sections_row(p->sections, i, &row);
		failure_place *grown = room(p->failures, p->nfailures, &p->cap_failures, sizeof *grown);
		if (!grown)
			return no_memory(err);
		p->failures = grown;
		p->failures[p->nfailures++] = (failure_place){row.device, row.idx};
	}
	return status;
}

static gs_status note_section(planning *p, gs_error *err)
{
	uint32_t window;
	gs_status status;
	switch (p->section.kind) {
	case GS_SECTION_DEVICE: return note_device(p, err);
	case GS_SECTION_BLOCK: return note_layout(p, err);
	case GS_SECTION_SEGMENT:
	case GS_SECTION_INDEX: return GS_OK;
	case GS_SECTION_OOM: status = note_failures(p, err); return status ? status : add_place(p, err);
	case GS_SECTION_EVENT:
		if (!p->section.rows)
			return GS_OK;
		window = window_number(p, p->section.device);
		if (window == UINT32_MAX)
			return no_memory(err);
		p->plan->windows[window].events = p->section.first + p->section.rows;
		return GS_OK;
	default: return add_place(p, err);
	}
}

/* The event of the device after which the state is wanted; -1: before the first. */
static int64_t wanted_event(
	const planning *p, const gs_gsnap_window *w, const gs_moment_wanted *moment)
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
static void choose(const planning *p, uint32_t number, int64_t wanted, uint64_t reach)
{
	int64_t latest = wanted >= 0 && (uint64_t)wanted > reach ? wanted - (int64_t)reach
		: wanted >= 0 && reach                               ? -1
															 : wanted;
	gs_gsnap_window *w = &p->plan->windows[number];
	const layout_place *best = NULL;
	for (size_t i = 0; i < p->nlayouts; i++) {
		const layout_place *l = &p->layouts[i];
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

/* The file ends in the section shown last: it is not there. */
static void forget_cut_section(planning *p)
{
	const gs_section *s = &p->section;
	gs_gsnap_directory *d = &p->plan->directory;
	if (gs_sections_offset(p->sections) >= s->offset + GS_GSNAP_SECTION_SIZE + s->packed)
		return;
	d->n -= d->n && d->places[d->n - 1].offset == s->offset;
	if (s->kind == GS_SECTION_EVENT && s->rows) {
		p->plan->windows[window_number(p, s->device)].events = s->first;
	} else if (s->kind == GS_SECTION_BLOCK && p->nlayouts && !p->is_open &&
		s->flags & GS_SECTION_LAST) {
		p->nlayouts--;
	}
}

static gs_status scan(planning *p, gs_error *err)
{
	gs_status status = GS_OK;
	while (!status && !(status = gs_sections_next(p->sections, &p->section, err))) {
		status = note_section(p, err);
	}
	p->plan->whole = status == GS_END;
	p->plan->cut_at = gs_sections_offset(p->sections);
	if (status == GS_TRUNCATED && p->section.kind)
		forget_cut_section(p);
	return status == GS_END || status == GS_TRUNCATED ? GS_OK : status;
}

/* --- by the indexes */

/* The section at a place, shown. */
static gs_status go_to(planning *p, gs_source *source, uint64_t offset, gs_error *err)
{
	if (!gs_source_seek(source, offset))
		return gs_fail(err, GS_IO, "it cannot be read twice");
	gs_sections_jump(p->sections, offset, true);
	return gs_sections_next(p->sections, &p->section, err);
}

static gs_status note_indexed_layout(planning *p, const gs_gsnap_place *place, gs_error *err)
{
	uint32_t window = window_number(p, place->device);
	if (window == UINT32_MAX)
		return no_memory(err);
	if (place->idx == GS_NONE)
		return GS_OK;
	layout_place *grown = room(p->layouts, p->nlayouts, &p->cap_layouts, sizeof *grown);
	if (!grown)
		return no_memory(err);
	p->layouts = grown;
	p->layouts[p->nlayouts++] = (layout_place){window, place->offset, place->idx};
	return GS_OK;
}

static gs_status note_indexed(
	planning *p, gs_source *source, const gs_gsnap_place *place, gs_error *err)
{
	if (place->kind == GS_SECTION_DEVICE)
		return note_indexed_layout(p, place, err);
	if (place->kind == GS_SECTION_EVENT) {
		uint32_t window = window_number(p, place->device);
		if (window == UINT32_MAX)
			return no_memory(err);
		p->plan->windows[window].events = place->idx > 0 ? (uint64_t)place->idx : 0;
		return GS_OK;
	}
	if (place->kind != GS_SECTION_OOM)
		return GS_OK;
	gs_status status = go_to(p, source, place->offset, err);
	return status ? status : note_failures(p, err);
}

/* The first section of a device tells of it, which the reader of sections has to know; the others
 * are its layouts, of which one is wanted at most. */
static gs_status introduce(planning *p, gs_source *source, gs_error *err)
{
	gs_gsnap_directory *d = &p->plan->directory;
	gs_status status = GS_OK;
	for (uint32_t i = 0; i < p->plan->n; i++)
		p->plan->windows[i].done = false; /* met */
	for (size_t i = 0; i < d->n && !status; i++) {
		gs_gsnap_place *place = &d->places[i];
		if (place->kind != GS_SECTION_DEVICE)
			continue;
		gs_gsnap_window *w = &p->plan->windows[window_number(p, place->device)];
		if (w->done)
			place->kind = GS_SECTION_INDEX; /* to be passed over */
		else
			status = go_to(p, source, place->offset, err);
		w->done = true;
	}
	for (uint32_t i = 0; i < p->plan->n; i++)
		p->plan->windows[i].done = false;
	return status;
}

/* GS_NOT_FOUND: no index can be believed. */
static gs_status look_up(planning *p, gs_source *source, gs_error *err)
{
	gs_gsnap_directory *d = &p->plan->directory;
	gs_error why = GS_ERROR_INIT;
	gs_status status = gs_gsnap_directory_read(d, source, &why);
	size_t indexed = d->n;
	for (size_t i = 0; i < indexed && !status; i++)
		status = note_indexed(p, source, &d->places[i], &why);
	if (!status)
		status = introduce(p, source, &why);
	if (!status && !gs_source_seek(source, d->behind))
		status = GS_NOT_FOUND;
	if (!status) {
		gs_sections_jump(p->sections, d->behind, true);
		status = scan(p, &why);
	}
	return !status || status == GS_NO_MEMORY ? status : gs_fail(err, GS_NOT_FOUND, "no index");
}

static gs_status open_sections(planning *p, gs_source *source, gs_error *err)
{
	gs_sections_close(p->sections);
	p->sections = NULL;
	if (!gs_source_rewind(source))
		return gs_fail(err, GS_IO, "it cannot be read twice");
	return gs_sections_open(&p->sections, (gs_section_input){gs_gsnap_input, source}, err);
}

/* Everything anew, by all headers. */
static gs_status scan_all(planning *p, gs_source *source, gs_error *err)
{
	gs_gsnap_plan_release(p->plan);
	p->nlayouts = p->nfailures = p->cap_windows = 0;
	p->is_open = false;
	gs_status status = open_sections(p, source, err);
	return status ? status : scan(p, err);
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
	planning p = {.plan = plan};
	if (!gs_source_rewind(source)) /* where it cannot go back it must not go on either */
		return GS_OK;
	gs_status status = open_sections(&p, source, err);
	bool stream = !status && gs_sections_is_stream(p.sections);
	if (stream && (status = look_up(&p, source, &(gs_error)GS_ERROR_INIT)) == GS_NOT_FOUND)
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

/* --- following it */

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
