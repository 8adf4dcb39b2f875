/* What the sections of a stream tell of where things are, by their headers. */
#include "analyzer/read/gsnap/plan_internal.h"

#include "analyzer/model/array.h"

uint32_t gs_planning_window_number(gs_planning *p, int32_t device)
{
	gs_gsnap_plan *plan = p->plan;
	for (uint32_t i = 0; i < plan->n; i++)
		if (plan->windows[i].device == device)
			return i;
	if (!GS_ARRAY_RESERVE(plan->windows, p->cap_windows, (size_t)plan->n + 1))
		return UINT32_MAX;
	plan->windows[plan->n] = (gs_gsnap_window){.device = device};
	return plan->n++;
}

/* The section at hand, found without an index, is wanted for every moment. */
static gs_status add_place(gs_planning *p, gs_error *err)
{
	const gs_section *s = &p->section;
	return p->plan->directory.behind ? gs_gsnap_directory_add(&p->plan->directory,
										   (gs_gsnap_place){s->offset, GS_NONE, 0, s->kind}, err)
									 : GS_OK;
}

/* The first section of a device's tells of it; others begin a layout. */
static gs_status note_device(gs_planning *p, gs_error *err)
{
	for (uint32_t i = 0; i < p->section.rows; i++) {
		gs_row_device row;
		gs_sections_row(p->sections, i, &row);
		uint32_t before = p->plan->n, window = gs_planning_window_number(p, row.device);
		if (window == UINT32_MAX)
			return gs_no_memory(err);
		if (p->plan->n > before && add_place(p, err))
			return gs_no_memory(err);
		p->is_open = !row.no_layout;
		p->open = (gs_layout_place){window, p->section.offset, row.idx};
	}
	return GS_OK;
}

static gs_status note_layout(gs_planning *p, gs_error *err)
{
	if (!p->is_open || !(p->section.flags & GS_SECTION_LAST))
		return GS_OK;
	if (!GS_ARRAY_RESERVE(p->layouts, p->cap_layouts, p->nlayouts + 1))
		return gs_no_memory(err);
	p->layouts[p->nlayouts++] = p->open;
	p->is_open = false;
	return GS_OK;
}

gs_status gs_planning_note_failures(gs_planning *p, gs_error *err)
{
	gs_status status = gs_sections_load(p->sections, false, err);
	for (uint32_t i = 0; !status && i < p->section.rows; i++) {
		gs_row_oom row;
		gs_sections_row(p->sections, i, &row);
		if (!GS_ARRAY_RESERVE(p->failures, p->cap_failures, p->nfailures + 1))
			return gs_no_memory(err);
		p->failures[p->nfailures++] = (gs_failure_place){row.device, row.idx};
	}
	return status;
}

static gs_status note_section(gs_planning *p, gs_error *err)
{
	uint32_t window;
	gs_status status;
	switch (p->section.kind) {
	case GS_SECTION_DEVICE: return note_device(p, err);
	case GS_SECTION_BLOCK: return note_layout(p, err);
	case GS_SECTION_SEGMENT:
	case GS_SECTION_INDEX: return GS_OK;
	case GS_SECTION_OOM:
		status = gs_planning_note_failures(p, err);
		return status ? status : add_place(p, err);
	case GS_SECTION_EVENT:
		if (!p->section.rows)
			return GS_OK;
		window = gs_planning_window_number(p, p->section.device);
		if (window == UINT32_MAX)
			return gs_no_memory(err);
		p->plan->windows[window].events = p->section.first + p->section.rows;
		return GS_OK;
	default: return add_place(p, err);
	}
}

/* The file ends in the section shown last: it is not there. */
static void forget_cut_section(gs_planning *p)
{
	const gs_section *s = &p->section;
	gs_gsnap_directory *d = &p->plan->directory;
	if (gs_sections_offset(p->sections) >= s->offset + GS_GSNAP_SECTION_SIZE + s->packed)
		return;
	d->n -= d->n && d->places[d->n - 1].offset == s->offset;
	if (s->kind == GS_SECTION_EVENT && s->rows) {
		p->plan->windows[gs_planning_window_number(p, s->device)].events = s->first;
	} else if (s->kind == GS_SECTION_BLOCK && p->nlayouts && !p->is_open &&
		s->flags & GS_SECTION_LAST) {
		p->nlayouts--;
	}
}

gs_status gs_planning_scan(gs_planning *p, gs_error *err)
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
