/* What is left of a .gsnap that was cut. */
#include "analyzer/read/gsnap/gsnap_internal.h"

/* Cut in the body of a section of events that was not decoded: those do not count. */
static void forget_cut_section(gs_gsnap_reading *g)
{
	gs_device *d = g->section.kind == GS_SECTION_EVENT
		? gs_snapshot_find_device(g->snapshot, g->section.device)
		: NULL;
	if (d && d->trace.skipped && !g->plan.windows &&
		gs_sections_offset(g->sections) <
			g->section.offset + GS_GSNAP_SECTION_SIZE + g->section.packed)
		d->trace.skipped -= g->section.rows;
}

void gs_gsnap_drop_lost_events(gs_snapshot *s)
{
	for (size_t i = 0; i < s->ndevices; i++) {
		gs_device *d = &s->devices[i];
		for (size_t k = 0; k < d->captured.nblocks; k++) {
			int64_t *idx = &d->captured.blocks[k].idx;
			*idx -= *idx >= 0 ? (int64_t)d->trace.first : 0;
			*idx = *idx >= 0 && (uint64_t)*idx < d->trace.n ? *idx : GS_NONE;
		}
		if (d->captured.idx >= (int64_t)d->trace.n || d->captured.idx < -1)
			d->captured.idx = GS_NONE;
	}
	for (size_t i = 0; i < s->nooms; i++) {
		const gs_device *d = gs_snapshot_find_device(s, s->ooms[i].device);
		if (!s->excerpt && (!d || s->ooms[i].idx < 0 || s->ooms[i].idx >= (int64_t)d->trace.n))
			s->ooms[i].idx = GS_NONE;
	}
}

/* The last kind of which every section is whole: kinds ascend, so what is before one that began is
 * whole too. */
static unsigned whole_kind(const gs_gsnap_reading *g)
{
	bool body = gs_sections_offset(g->sections) >=
		g->section.offset + GS_GSNAP_SECTION_SIZE + g->section.packed;
	if (!g->section.kind)
		return 0;
	return body && g->section.flags & GS_SECTION_LAST ? g->section.kind : g->section.kind - 1u;
}

static unsigned lost_behind(unsigned whole)
{
	static const struct {
		unsigned kind, lost;
	} parts[] = {
		{GS_SECTION_SETTING, GS_LOST_SETTINGS},
		{GS_SECTION_STACK, GS_LOST_STACKS},
		{GS_SECTION_BLOCK, GS_LOST_LAYOUT},
		{GS_SECTION_STAT, GS_LOST_STATS},
		{GS_SECTION_OOM, GS_LOST_OOMS},
	};
	unsigned lost = 0;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		lost |= whole < parts[i].kind ? parts[i].lost : 0u;
	return lost;
}

bool gs_gsnap_keep_whole(gs_gsnap_reading *g, unsigned want)
{
	gs_snapshot *s = g->snapshot;
	unsigned whole = whole_kind(g);
	bool events = false;
	unsigned enough = want & GS_WANT_PARTS ? GS_SECTION_DEVICE
		: want & GS_WANT_FAILURES          ? GS_SECTION_OOM
										   : GS_SECTION_BLOCK;
	if (whole < enough)
		return false;
	s->complete = false;
	s->cut_at = gs_sections_offset(g->sections);
	forget_cut_section(g);
	for (size_t i = 0; i < s->ndevices; i++)
		events |= s->devices[i].trace.n || s->devices[i].trace.skipped;
	s->lost = lost_behind(whole) | (events ? 0u : (unsigned)GS_LOST_EVENTS);
	for (size_t i = 0; s->lost & GS_LOST_LAYOUT && i < s->ndevices; i++) {
		s->devices[i].has_layout = false;
		s->devices[i].captured.nsegments = s->devices[i].captured.nblocks = 0;
	}
	return true;
}

bool gs_gsnap_keep_stream(gs_gsnap_reading *g)
{
	if (!g->snapshot->ndevices)
		return false;
	g->snapshot->complete = false;
	g->snapshot->cut_at = g->plan.directory.behind ? g->plan.cut_at
												   : gs_sections_offset(g->sections);
	forget_cut_section(g);
	return true;
}
