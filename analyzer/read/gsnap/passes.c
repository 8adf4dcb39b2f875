#include "analyzer/read/gsnap/passes.h"

#include <stdlib.h>

#include "analyzer/model/memory.h"
#include "analyzer/read/gsnap/gsnap_internal.h"

struct gs_gsnap_passes {
	gs_gsnap_reading reading; /* its maps stay from pass to pass */
	gs_source *source;
	int32_t device;
	gs_trace events; /* those at hand */
};

gs_status gs_gsnap_passes_open(
	gs_gsnap_passes **out, gs_source *source, gs_snapshot *s, int32_t device, gs_error *err)
{
	gs_gsnap_passes *p = calloc(1, sizeof *p);
	if (!p)
		return gs_no_memory(err);
	p->reading = (gs_gsnap_reading){.snapshot = s, .stream = true};
	p->source = source;
	p->device = device;
	*out = p;
	return gs_gsnap_maps_init(&p->reading) ? gs_no_memory(err) : GS_OK;
}

void gs_gsnap_passes_close(gs_gsnap_passes *p)
{
	if (!p)
		return;
	gs_gsnap_maps_release(&p->reading);
	gs_memory_give(p->events.events);
	free(p);
}

/* Rows of a kind that events refer to, as many as earlier passes have mapped; how the others are.
 */
static uint64_t mapped(const gs_gsnap_reading *g, unsigned kind,
	gs_status (**add)(gs_gsnap_reading *, uint32_t, gs_error *))
{
	switch (kind) {
	case GS_SECTION_STRING: *add = gs_gsnap_add_string; return g->strings.n - 1;
	case GS_SECTION_MODULE: *add = gs_gsnap_add_module; return g->nmodules;
	case GS_SECTION_FRAME: *add = gs_gsnap_add_frame; return g->frames.n - 1;
	case GS_SECTION_STACK: *add = gs_gsnap_add_stack; return g->stacks.n - 1;
	case GS_SECTION_TAG: *add = gs_gsnap_add_tag; return g->tags.n - 1;
	default: *add = NULL; return 0;
	}
}

static gs_status map_section(gs_gsnap_reading *g, gs_error *err)
{
	gs_status (*add)(gs_gsnap_reading *, uint32_t, gs_error *);
	uint64_t known = mapped(g, g->section.kind, &add), first = g->section.first;
	if (!add || first + g->section.rows <= known)
		return GS_OK;
	gs_status status = gs_sections_load(g->sections, false, err);
	for (uint32_t i = (uint32_t)(known - first); !status && i < g->section.rows; i++)
		status = add(g, i, err);
	return status;
}

/* Rows become events of the device's trace, whose place ours takes meanwhile. */
static gs_status take_events(gs_gsnap_passes *p, gs_device *d, gs_error *err)
{
	gs_trace own = d->trace;
	d->trace = p->events;
	d->trace.n = 0;
	gs_status status = gs_gsnap_add_events(&p->reading, err);
	p->events = d->trace;
	d->trace = own;
	return status;
}

static gs_status show_events(
	gs_gsnap_passes *p, gs_event_visit *visit, void *visitor, gs_error *err)
{
	gs_gsnap_reading *g = &p->reading;
	gs_device *d = gs_snapshot_find_device(g->snapshot, p->device);
	if (!d)
		return gs_fail(err, GS_NOT_FOUND, "no device %d", p->device);
	gs_status status = gs_sections_load(g->sections, false, err);
	if (!status)
		status = take_events(p, d, err);
	return status ? status : visit(visitor, p->events.events, p->events.n, err);
}

static gs_status read_sections(
	gs_gsnap_passes *p, gs_event_visit *visit, void *visitor, gs_error *err)
{
	gs_gsnap_reading *g = &p->reading;
	gs_status status = GS_OK;
	while (!status && !(status = gs_sections_next(g->sections, &g->section, err))) {
		if (g->section.kind != GS_SECTION_EVENT)
			status = map_section(g, err);
		else if (g->section.rows && g->section.device == p->device)
			status = show_events(p, visit, visitor, err);
	}
	return status;
}

gs_status gs_gsnap_pass(gs_gsnap_passes *p, gs_event_visit *visit, void *visitor, gs_error *err)
{
	gs_gsnap_reading *g = &p->reading;
	if (!gs_source_rewind(p->source))
		return gs_fail(err, GS_IO, "it cannot be read twice");
	gs_status status = gs_sections_open(
		&g->sections, (gs_section_input){gs_gsnap_input, p->source}, err);
	if (!status)
		status = read_sections(p, visit, visitor, err);
	gs_sections_close(g->sections);
	g->sections = NULL;
	return status == GS_END || status == GS_TRUNCATED ? GS_OK : status;
}
