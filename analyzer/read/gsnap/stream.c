/* Layouts of a stream: of each device the last whole one is kept, with what was free then. */
#include "analyzer/model/snapshot.h"
#include "analyzer/read/gsnap/gsnap_internal.h"

void gs_gsnap_begin_layout(gs_gsnap_reading *g, gs_device *d)
{
	gs_gsnap_give_layout_up(g);
	g->before = d->captured;
	g->before_known = d->has_layout;
	gs_layout_init(&d->captured);
	g->layout_of = d->device;
	g->layout_open = true;
	g->layout_before = gs_sections_rows(g->sections, GS_SECTION_SEGMENT);
	g->device = NULL;
}

void gs_gsnap_end_layout(gs_gsnap_reading *g)
{
	if (g->layout_open)
		gs_layout_release(&g->before);
	g->layout_open = false;
}

void gs_gsnap_give_layout_up(gs_gsnap_reading *g)
{
	gs_device *d = g->layout_open ? gs_snapshot_find_device(g->snapshot, g->layout_of) : NULL;
	if (!d)
		return;
	gs_layout_release(&d->captured);
	d->captured = g->before;
	d->has_layout = g->before_known;
	g->layout_open = false;
	g->device = NULL;
}

void gs_gsnap_bring_device_free_up(gs_device *d)
{
	for (int64_t i = d->captured.idx + 1; d->device_free >= 0 && i < (int64_t)d->trace.n; i++) {
		const gs_event *e = &d->trace.events[i];
		int64_t size = e->size <= INT64_MAX ? (int64_t)e->size : 0;
		switch (gs_event_action(e)) {
		case GS_ACTION_SEGMENT_ALLOC:
		case GS_ACTION_SEGMENT_MAP:
			d->device_free = d->device_free >= size ? d->device_free - size : GS_NONE;
			break;
		case GS_ACTION_SEGMENT_FREE:
		case GS_ACTION_SEGMENT_UNMAP:
			d->device_free = size <= INT64_MAX - d->device_free ? d->device_free + size : GS_NONE;
			break;
		default: break;
		}
	}
}
