/* What of a stream one moment needs, found from its section headers. The index at a stream's end
 * names the layouts too, but not the strings and stacks that stand between, which every state
 * needs: so the headers are gone through, whole files and growing ones alike, at some 50 bytes for
 * each section that is passed over. */
#include <string.h>

#include "analyzer/model/memory.h"
#include "analyzer/read/gsnap/gsnap_internal.h"

typedef struct layout_place {
	uint32_t window; /* which device's */
	uint32_t sequence;
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
	uint64_t events;
} planning;

void gs_gsnap_plan_release(gs_gsnap_plan *plan)
{
	gs_memory_give(plan->windows);
	plan->windows = NULL;
	plan->n = 0;
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

static gs_status note_device(planning *p, gs_error *err)
{
	for (uint32_t i = 0; i < p->section.rows; i++) {
		gs_row_device row;
		gs_sections_row(p->sections, i, &row);
		uint32_t window = window_number(p, row.device);
		if (window == UINT32_MAX)
			return no_memory(err);
		p->is_open = !row.no_layout;
		p->open = (layout_place){window, p->section.sequence, row.idx};
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
	switch (p->section.kind) {
	case GS_SECTION_DEVICE: return note_device(p, err);
	case GS_SECTION_BLOCK: return note_layout(p, err);
	case GS_SECTION_OOM: return note_failures(p, err);
	case GS_SECTION_EVENT:
		if (!p->section.rows)
			return GS_OK;
		window = window_number(p, p->section.device);
		if (window == UINT32_MAX)
			return no_memory(err);
		p->plan->windows[window].events += p->section.rows;
		p->events += p->section.rows;
		return GS_OK;
	default: return GS_OK;
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
	for (size_t i = 0; moment->what == GS_MOMENT_FAILURE && i < p->nfailures; i++)
		if (p->failures[i].device == w->device && p->failures[i].idx >= 0 &&
			p->failures[i].idx <= last && (!moment->number || ++nth == moment->number))
			found = p->failures[i].idx;
	return found;
}

/* From the last layout that is not after the event; where there is none, from the first one back
 * to the beginning. */
static void choose(const planning *p, uint32_t number, int64_t wanted)
{
	gs_gsnap_window *w = &p->plan->windows[number];
	const layout_place *best = NULL;
	for (size_t i = 0; i < p->nlayouts; i++) {
		const layout_place *l = &p->layouts[i];
		if (l->window == number && l->idx >= -1 && l->idx < (int64_t)w->events &&
			(!best || l->idx <= wanted))
			best = l;
	}
	w->from = 0;
	w->to = (uint64_t)(wanted + 1);
	if (!best)
		return;
	w->has_layout = true;
	w->layout = best->idx;
	w->sequence = best->sequence;
	if (best->idx <= wanted)
		w->from = (uint64_t)(best->idx + 1);
	else
		w->to = (uint64_t)(best->idx + 1);
}

/* The file ends in the section shown last: it is not there. */
static void forget_cut_section(planning *p)
{
	const gs_section *s = &p->section;
	if (gs_sections_offset(p->sections) >= s->offset + GS_GSNAP_SECTION_SIZE + s->packed)
		return;
	if (s->kind == GS_SECTION_EVENT && s->rows) {
		p->plan->windows[window_number(p, s->device)].events -= s->rows;
		p->events -= s->rows;
	} else if (s->kind == GS_SECTION_BLOCK && p->nlayouts && !p->is_open &&
		s->flags & GS_SECTION_LAST) {
		p->nlayouts--;
	}
}

static gs_status scan(planning *p, gs_error *err)
{
	gs_status status = GS_OK;
	while (!status && !(status = gs_sections_next(p->sections, &p->section, err)))
		status = note_section(p, err);
	if (status == GS_TRUNCATED && p->section.kind)
		forget_cut_section(p);
	return status == GS_END || status == GS_TRUNCATED ? GS_OK : status;
}

gs_status gs_gsnap_plan_make(
	gs_gsnap_plan *plan, gs_source *source, const gs_moment_wanted *moment, gs_error *err)
{
	planning p = {.plan = plan};
	if (!gs_source_rewind(source)) /* where it cannot go back it must not go on either */
		return GS_OK;
	gs_status status = gs_sections_open(
		&p.sections, (gs_section_input){gs_gsnap_input, source}, err);
	bool stream = !status && gs_sections_is_stream(p.sections);
	if (stream)
		status = scan(&p, err);
	if (!stream || status || p.events <= moment->whole_below)
		gs_gsnap_plan_release(plan);
	for (uint32_t i = 0; i < plan->n; i++)
		choose(&p, i, wanted_event(&p, &plan->windows[i], moment));
	gs_sections_close(p.sections);
	gs_memory_give(p.layouts);
	gs_memory_give(p.failures);
	if (!status && !gs_source_rewind(source))
		status = gs_fail(err, GS_IO, "it cannot be read twice");
	return status;
}
