/* Where things are in a stream, by its indexes and the sections behind them. */
#include "analyzer/read/gsnap/plan_internal.h"

#include "analyzer/model/array.h"

/* The section at a place, shown. */
static gs_status go_to(gs_planning *p, gs_source *source, uint64_t offset, gs_error *err)
{
	if (!gs_source_seek(source, offset))
		return gs_fail(err, GS_IO, "it cannot be read twice");
	gs_sections_jump(p->sections, offset, true);
	return gs_sections_next(p->sections, &p->section, err);
}

static gs_status note_indexed_layout(gs_planning *p, const gs_gsnap_place *place, gs_error *err)
{
	uint32_t window = gs_planning_window_number(p, place->device);
	if (window == UINT32_MAX)
		return gs_no_memory(err);
	if (place->idx == GS_NONE)
		return GS_OK;
	if (!GS_ARRAY_RESERVE(p->layouts, p->cap_layouts, p->nlayouts + 1))
		return gs_no_memory(err);
	p->layouts[p->nlayouts++] = (gs_layout_place){window, place->offset, place->idx};
	return GS_OK;
}

static gs_status note_indexed(
	gs_planning *p, gs_source *source, const gs_gsnap_place *place, gs_error *err)
{
	if (place->kind == GS_SECTION_DEVICE)
		return note_indexed_layout(p, place, err);
	if (place->kind == GS_SECTION_EVENT) {
		uint32_t window = gs_planning_window_number(p, place->device);
		if (window == UINT32_MAX)
			return gs_no_memory(err);
		p->plan->windows[window].events = place->idx > 0 ? (uint64_t)place->idx : 0;
		return GS_OK;
	}
	if (place->kind != GS_SECTION_OOM)
		return GS_OK;
	gs_status status = go_to(p, source, place->offset, err);
	return status ? status : gs_planning_note_failures(p, err);
}

/* The first section of a device tells of it, which the reader of sections has to know; the others
 * are its layouts, of which one is wanted at most. */
static gs_status introduce(gs_planning *p, gs_source *source, gs_error *err)
{
	gs_gsnap_directory *d = &p->plan->directory;
	gs_status status = GS_OK;
	for (uint32_t i = 0; i < p->plan->n; i++)
		p->plan->windows[i].done = false; /* met */
	for (size_t i = 0; i < d->n && !status; i++) {
		gs_gsnap_place *place = &d->places[i];
		if (place->kind != GS_SECTION_DEVICE)
			continue;
		gs_gsnap_window *w = &p->plan->windows[gs_planning_window_number(p, place->device)];
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

gs_status gs_planning_look_up(gs_planning *p, gs_source *source, gs_error *err)
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
		status = gs_planning_scan(p, &why);
	}
	return !status || status == GS_NO_MEMORY ? status : gs_fail(err, GS_NOT_FOUND, "no index");
}
