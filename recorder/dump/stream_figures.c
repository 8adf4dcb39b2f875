/* Figures of a run: what each some thousand events come to, so that a peak, a step or the course of
 * memory can be told without the events. A row ends where a mark of the program's stands, so that
 * steps are whole rows. Sums are the program's own (blocks as they are rounded); a layout tells
 * them again, which is what a forked child begins with. */
#include "recorder/dump/stream_internal.h"

enum { ROW_EVENTS = 8192 };

static void forget_rows(gs_lane_figures *f)
{
	f->n = 0;
	f->open = false;
}

void gs_stream_begin_figures(gs_lane *l)
{
	forget_rows(&l->figures);
	l->figures.holds = false;
	l->counted = l->base;
}

void gs_stream_put_figures(gs_stream *s, gs_lane *l)
{
	for (uint32_t i = 0; i < l->figures.n; i++)
		gs_writer_figures(s->w, &l->figures.rows[i]);
	forget_rows(&l->figures);
}

static void open_row(gs_stream *s, gs_lane *l, int64_t time_us)
{
	gs_lane_figures *f = &l->figures;
	if (f->n == GS_FIGURES_KEPT)
		gs_stream_put_figures(s, l);
	f->rows[f->n++] = (gs_row_figures){
		.device = l->device.number, .first = l->counted - l->base, .from_us = time_us};
	f->open = true;
}

/* Marks that stand before the event. Those that are remembered no more go by together. */
static bool passes_mark(const gs_stream *s, gs_lane_figures *f, int64_t time_us)
{
	uint64_t before = f->marks;
	if (s->ncuts - f->marks > GS_STREAM_CUTS)
		f->marks = s->ncuts - GS_STREAM_CUTS;
	while (f->marks < s->ncuts && s->cuts[f->marks % GS_STREAM_CUTS] <= time_us)
		f->marks++;
	return f->marks > before;
}

static void take_bytes(uint64_t *from, uint64_t bytes) { *from -= bytes < *from ? bytes : *from; }

static void add_up(gs_lane_figures *f, const gs_ring_event *e, uint64_t block)
{
	switch (e->action) {
	case GS_ACTION_ALLOC: f->allocated += block; break;
	case GS_ACTION_FREE_REQUESTED:
		take_bytes(&f->allocated, block);
		f->pending += block;
		break;
	case GS_ACTION_FREE_COMPLETED: take_bytes(&f->pending, block); break;
	case GS_ACTION_SEGMENT_ALLOC:
	case GS_ACTION_SEGMENT_MAP: f->reserved += e->size; break;
	case GS_ACTION_SEGMENT_FREE:
	case GS_ACTION_SEGMENT_UNMAP: take_bytes(&f->reserved, e->size); break;
	default: break;
	}
}

/* A request that the driver refused gives the cache back and asks again: the analyzer's rule for
 * what it reads event by event (meaning/retry.h). */
static bool is_retry(gs_lane_figures *f, const gs_ring_event *e)
{
	bool releases = e->action == GS_ACTION_SEGMENT_FREE || e->action == GS_ACTION_SEGMENT_UNMAP,
		 asks = e->action == GS_ACTION_SEGMENT_ALLOC || e->action == GS_ACTION_SEGMENT_MAP ||
		e->action == GS_ACTION_OOM;
	bool again = asks && f->released && !f->called &&
		(f->own || !f->released_for || f->released_for == e->stack);
	if (releases)
		f->released_for = e->stack;
	else if (e->action != GS_ACTION_FREE_COMPLETED)
		f->called = e->action == GS_ACTION_EMPTY_CACHE;
	if (releases || e->action != GS_ACTION_FREE_COMPLETED)
		f->released = releases;
	return again;
}

static void keep_most(gs_row_figures *row, const gs_lane_figures *f)
{
	uint64_t idx = row->first + row->events;
	if (!row->events || f->allocated > row->most_allocated) {
		row->most_allocated = f->allocated;
		row->allocated_idx = idx;
		row->reserved_then = f->reserved;
	}
	if (!row->events || f->reserved > row->most_reserved) {
		row->most_reserved = f->reserved;
		row->reserved_idx = idx;
	}
}

static void count(gs_stream *s, gs_lane *l, const gs_ring_event *e, uint64_t block, int64_t time_us)
{
	gs_lane_figures *f = &l->figures;
	bool marked = passes_mark(s, f, time_us);
	if (l->sized && !f->stale) {
		if (marked || (f->open && f->rows[f->n - 1].events >= ROW_EVENTS))
			f->open = false;
		if (!f->open)
			open_row(s, l, time_us);
		gs_row_figures *row = &f->rows[f->n - 1];
		add_up(f, e, block);
		row->retries += is_retry(f, e);
		row->ooms += e->action == GS_ACTION_OOM;
		keep_most(row, f);
		row->events++;
		row->until_us = time_us;
		row->allocated = f->allocated;
		row->pending = f->pending;
		row->reserved = f->reserved;
	}
	l->counted++;
}

void gs_stream_count_held(gs_stream *s, gs_lane *l, uint64_t block)
{
	gs_lane_figures *f = &l->figures;
	if (f->holds)
		count(s, l, &f->held, block, f->held_us);
	f->holds = false;
}

void gs_stream_count(
	gs_stream *s, gs_lane *l, const gs_ring_event *e, uint64_t block, int64_t time_us)
{
	gs_lane_figures *f = &l->figures;
	if (!l->late) {
		count(s, l, e, block, time_us);
		return;
	}
	gs_stream_count_held(s, l, block);
	f->held = *e;
	f->held_us = time_us;
	f->holds = true;
}

void gs_stream_sum_layout(gs_lane *l)
{
	const gs_staging *g = &l->staging;
	gs_lane_figures *f = &l->figures;
	if (!g->whole)
		return;
	f->stale = false;
	f->allocated = f->pending = f->reserved = 0;
	for (size_t i = 0; i < g->nsegments; i++)
		f->reserved += g->segments[i].size;
	for (size_t i = 0; i < g->nblocks; i++) {
		f->allocated += g->blocks[i].state == GS_ACTIVE_ALLOCATED ? g->blocks[i].size : 0;
		f->pending += g->blocks[i].state == GS_ACTIVE_PENDING_FREE ? g->blocks[i].size : 0;
	}
}
