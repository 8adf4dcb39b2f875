/* The reader of .gsnap files: sections become columns of the model. Ids of the file are mapped once
 * for each string, frame and stack; events are converted a chunk at a time from decoded columns. */
#include "analyzer/read/gsnap/gsnap_internal.h"

#include <stdlib.h>
#include <string.h>

#include "schema/bytes.h"

typedef gs_status (*add_row)(gs_gsnap_reading *g, uint32_t i, gs_error *err);

static const struct {
	unsigned want;
	add_row add;
} adders[GS_SECTION_KINDS] = {
	[GS_SECTION_DEVICE] = {0, gs_gsnap_add_device},
	[GS_SECTION_SETTING] = {0, gs_gsnap_add_setting},
	[GS_SECTION_STRING] = {0, gs_gsnap_add_string},
	[GS_SECTION_MODULE] = {GS_WANT_STACKS, gs_gsnap_add_module},
	[GS_SECTION_FRAME] = {GS_WANT_STACKS, gs_gsnap_add_frame},
	[GS_SECTION_STACK] = {GS_WANT_STACKS, gs_gsnap_add_stack},
	[GS_SECTION_TAG] = {0, gs_gsnap_add_tag},
	[GS_SECTION_SEGMENT] = {GS_WANT_LAYOUT, gs_gsnap_add_segment},
	[GS_SECTION_BLOCK] = {GS_WANT_LAYOUT, gs_gsnap_add_block},
	[GS_SECTION_STAT] = {0, gs_gsnap_add_stat},
	[GS_SECTION_OOM] = {0, gs_gsnap_add_oom},
	[GS_SECTION_ANNOTATION] = {0, gs_gsnap_add_annotation},
	[GS_SECTION_FIGURES] = {0, gs_gsnap_add_figures},
	[GS_SECTION_WARNING] = {0, gs_gsnap_add_warning},
};

static void skip_events(gs_gsnap_reading *g)
{
	gs_device *d = g->section.rows ? gs_snapshot_find_device(g->snapshot, g->section.device) : NULL;
	if (!d)
		return;
	d->trace.skipped += g->section.rows;
	g->snapshot->events_skipped = true;
}

/* Whether the plan leaves the section out. */
static bool is_outside(const gs_gsnap_reading *g)
{
	const gs_section *s = &g->section;
	const gs_gsnap_window *w = g->plan.windows && s->rows ? gs_gsnap_window_of(&g->plan, s->device)
														  : NULL;
	if (!w)
		return false;
	if (s->kind == GS_SECTION_EVENT)
		return s->first + s->rows <= w->from || s->first >= w->to;
	bool layout = s->kind == GS_SECTION_SEGMENT || s->kind == GS_SECTION_BLOCK;
	return layout && !(g->layout_open && g->layout_of == s->device);
}

static gs_status read_section(gs_gsnap_reading *g, unsigned want, gs_error *err)
{
	unsigned kind = g->section.kind;
	if (is_outside(g))
		return GS_OK;
	if (kind == GS_SECTION_EVENT && !(want & GS_WANT_EVENTS)) {
		skip_events(g);
		return GS_OK;
	}
	if ((adders[kind].want & want) != adders[kind].want)
		return GS_OK;
	gs_status status = gs_sections_load(g->sections, false, err);
	if (!status && kind == GS_SECTION_PROCESS)
		return gs_gsnap_add_process(g, err);
	if (!status && kind == GS_SECTION_EVENT)
		return gs_gsnap_add_events(g, err);
	for (uint32_t i = 0; !status && adders[kind].add && i < g->section.rows; i++)
		status = adders[kind].add(g, i, err);
	if (!status && g->stream && kind == GS_SECTION_BLOCK && g->section.flags & GS_SECTION_LAST)
		gs_gsnap_end_layout(g);
	return status;
}

/* Moves to the next section that is wanted. GS_END: none is, and the file has its end;
 * GS_TRUNCATED: and it has not. */
static gs_status go_on(gs_gsnap_reading *g, gs_source *source, gs_error *err)
{
	uint64_t at = gs_sections_behind(g->sections), next = gs_gsnap_plan_next(&g->plan, at);
	if (next == at)
		return GS_OK;
	if (next == UINT64_MAX)
		return g->plan.whole ? GS_END : GS_TRUNCATED;
	if (!gs_source_seek(source, next))
		return gs_fail(err, GS_IO, "it cannot be read twice");
	gs_sections_jump(g->sections, next, false);
	return GS_OK;
}

static gs_status read_next(gs_gsnap_reading *g, gs_source *source, unsigned want, gs_error *err)
{
	gs_status status = g->plan.windows ? go_on(g, source, err) : GS_OK;
	if (!status)
		status = gs_sections_next(g->sections, &g->section, err);
	if (!status)
		status = read_section(g, want, err);
	if (!status)
		gs_gsnap_plan_note(&g->plan, &g->section);
	return status;
}

static gs_status read_sections(gs_gsnap_reading *g, gs_source *source, unsigned want, gs_error *err)
{
	gs_status status = gs_gsnap_maps_init(g) ? gs_no_memory(err) : GS_OK;
	while (!status)
		status = read_next(g, source, want, err);
	if (status == GS_TRUNCATED &&
		(g->stream ? gs_gsnap_keep_stream(g) : gs_gsnap_keep_whole(g, want)))
		status = GS_END;
	gs_gsnap_give_layout_up(g);
	if (status != GS_END)
		return status;
	for (size_t i = 0; g->plan.windows && i < g->snapshot->ndevices; i++) {
		gs_trace *t = &g->snapshot->devices[i].trace;
		t->skipped -= t->skipped < t->n ? t->skipped : t->n;
	}
	if (want & GS_WANT_EVENTS)
		gs_gsnap_drop_lost_events(g->snapshot);
	for (size_t i = 0; g->stream && i < g->snapshot->ndevices; i++)
		if (g->snapshot->devices[i].has_layout && g->snapshot->devices[i].captured.idx >= -1)
			gs_gsnap_bring_device_free_up(&g->snapshot->devices[i]);
	return GS_OK;
}

static gs_status read_gsnap(gs_source *source, unsigned want, gs_snapshot *s, gs_error *err)
{
	gs_gsnap_reading g = {.snapshot = s};
	s->kind = GS_KIND_GSNAP;
	gs_status status = GS_OK;
	if (gs_source_moment(source) && want & GS_WANT_LAYOUT)
		status = gs_gsnap_plan_make(&g.plan, source, gs_source_moment(source), err);
	s->excerpt = g.plan.windows;
	if (!status)
		status = gs_sections_open(&g.sections, (gs_section_input){gs_gsnap_input, source}, err);
	s->stream = g.stream = !status && gs_sections_is_stream(g.sections);
	if (g.stream && want & GS_WANT_LAYOUT)
		want |= GS_WANT_EVENTS; /* its last moment is a layout and the events behind it */
	if (!status)
		status = read_sections(&g, source, want, err);
	gs_gsnap_maps_release(&g);
	gs_gsnap_plan_release(&g.plan);
	gs_sections_close(g.sections);
	return status;
}

static int probe(const unsigned char *head, size_t n)
{
	if (gs_gsnap_probe(head, n))
		return 100;
	/* cut within the first sixteen bytes, still ours (and "W*M" is no text worth reading) */
	unsigned char start[16] = {0};
	gs_put_le(start, GS_GSNAP_SKIPPABLE, 4);
	gs_put_le(start + 4, GS_GSNAP_HEADER_SIZE - 8, 4);
	memcpy(start + 8, GS_GSNAP_MAGIC, 8);
	return n && n < 16 && !memcmp(head, start, n) ? 100 : 0;
}

const gs_reader gs_reader_gsnap = {"gsnap", probe, read_gsnap};
