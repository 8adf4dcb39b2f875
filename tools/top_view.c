/* From a snapshot of a run's last moment to the figures that are shown. */
#include "tools/top_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/recording.h"
#include "analyzer/meaning/step_state.h"
#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"
#include "schema/printable.h"

static gs_top_device *device_of(gs_top_view *view, int32_t device)
{
	for (size_t i = 0; i < view->n; i++)
		if (view->devices[i].device == device)
			return &view->devices[i];
	if (!GS_ARRAY_ONE_MORE(view->devices, view->n))
		return NULL;
	gs_top_device *d = &view->devices[view->n++];
	*d = (gs_top_device){.device = device, .series = {.first = 0, .last = -1}};
	return d;
}

static void forget_rows(gs_top_device *d)
{
	free(d->holders);
	free(d->categories);
	d->holders = NULL;
	d->categories = NULL;
	d->nholders = d->ncategories = 0;
}

/* --- the last minutes --- */

static void note_second(gs_top_series *series, int64_t second, uint64_t bytes)
{
	if (series->last < series->first || second - series->last >= GS_TOP_SECONDS) {
		series->first = series->last = second;
		series->most[second % GS_TOP_SECONDS] = bytes;
		return;
	}
	if (second < series->first || second <= series->last - GS_TOP_SECONDS)
		return;
	for (; series->last < second; series->last++)
		series->most[(series->last + 1) % GS_TOP_SECONDS] =
			series->most[series->last % GS_TOP_SECONDS];
	if (series->first <= second - GS_TOP_SECONDS)
		series->first = second - GS_TOP_SECONDS + 1;
	uint64_t *most = &series->most[second % GS_TOP_SECONDS];
	*most = bytes > *most ? bytes : *most;
}

/* A second that an event begins is not carried on: what was there before it counts too. */
static void note_series(gs_top_device *d, const gs_history *h, int64_t now_us)
{
	gs_running_totals totals;
	gs_running_totals_start(h, &totals);
	for (size_t i = 0; i < h->n; i++) {
		gs_running_totals_step(h, i, &totals);
		int64_t time = h->device->trace.events[i].time_us;
		d->peak = totals.allocated > d->peak ? totals.allocated : d->peak;
		if (time >= 0)
			note_second(&d->series, time / 1000000, totals.allocated);
	}
	if (now_us >= 0 && d->series.last >= d->series.first)
		note_second(&d->series, now_us / 1000000, d->allocated);
}

/* --- rates --- */

static void count_rates(gs_top_device *d, const gs_trace *t, int64_t now_us)
{
	uint64_t n = 0, bytes = 0;
	if (now_us < 0)
		return; /* nothing tells when now is */
	int64_t from = now_us - GS_TOP_RATE_SECONDS * INT64_C(1000000), first = now_us;
	for (size_t i = t->n; i-- > 0 && t->events[i].time_us >= from;) {
		first = t->events[i].time_us;
		if (gs_event_action(&t->events[i]) != GS_ACTION_ALLOC)
			continue;
		n++;
		bytes += t->events[i].size;
	}
	/* the file may begin within the last seconds: then they are as long as it */
	double seconds = t->n && t->events[0].time_us >= from ? (double)(now_us - first) / 1e6
														  : GS_TOP_RATE_SECONDS;
	seconds = seconds < 1 ? 1 : seconds;
	d->allocations = (double)n / seconds;
	d->bytes = (double)bytes / seconds;
}

/* --- rows --- */

/* The row that memory of that stack is told in: of those that read like it the one of most blocks,
 * for what grows is many. NULL: none. */
static gs_top_holder *row_of(gs_top_device *d, const gs_snapshot *s, gs_id stack)
{
	char place[GS_PLACE_TEXT], called_by[GS_PLACE_TEXT], shown[GS_PLACE_TEXT], by[GS_PLACE_TEXT];
	gs_top_holder *row = NULL;
	if (!gs_stack_place(s, stack, place, called_by))
		return NULL;
	gs_printable(shown, sizeof shown, place);
	gs_printable(by, sizeof by, called_by);
	for (size_t i = 0; i < d->nholders; i++) {
		gs_top_holder *h = &d->holders[i];
		bool alike = !strcmp(h->where, shown) && (!*h->called_by || !strcmp(h->called_by, by));
		if (alike && (!row || h->blocks > row->blocks))
			row = h;
	}
	return row;
}

static gs_status take_holders(gs_top_device *d, const gs_meaning *m, const gs_layout *l)
{
	gs_holder_row *rows = NULL;
	gs_growth *growth = NULL;
	size_t n = 0, ngrowth = 0;
	gs_status status = gs_meaning_holders(m, l, &rows, &n);
	if (!status)
		status = gs_meaning_growth(m, GS_NONE, &growth, &ngrowth);
	n = n > GS_TOP_ROWS ? GS_TOP_ROWS : n;
	if (!status && n && !(d->holders = calloc(n, sizeof *d->holders)))
		status = GS_NO_MEMORY;
	for (size_t i = 0; i < n && !status; i++) {
		gs_top_holder *to = &d->holders[d->nholders++];
		gs_printable(to->where, sizeof to->where, rows[i].where);
		gs_printable(to->called_by, sizeof to->called_by, rows[i].called_by);
		to->category = gs_category_words(NULL, rows[i].category);
		to->bytes = rows[i].bytes;
		to->blocks = rows[i].blocks;
	}
	for (size_t i = 0; i < ngrowth && !status; i++) {
		gs_top_holder *row = row_of(d, m->history->snapshot, growth[i].stack);
		if (row)
			row->each_step += growth[i].each_step;
	}
	free(rows);
	free(growth);
	return status;
}

/* Also of what was before the events that are in memory: the stream's figures tell it. */
static void take_peak(gs_top_device *d, const gs_meaning *m)
{
	gs_peak peak;
	gs_meaning_peak(m, GS_NONE, &peak);
	d->peak = peak.allocated > d->peak ? peak.allocated : d->peak;
}

static void take_step(gs_top_device *d, const gs_meaning *m)
{
	d->step[0] = '\0';
	if (m->nsteps)
		gs_printable(d->step, sizeof d->step, m->steps[m->nsteps - 1].name);
}

static void take_totals(gs_top_device *d, const gs_layout *l)
{
	gs_totals totals;
	gs_layout_totals(l, &totals);
	d->allocated = totals.allocated + totals.pending;
	d->reserved = totals.reserved;
	d->free = totals.free;
	d->largest = totals.largest == SIZE_MAX ? 0 : l->blocks[totals.largest].size;
	d->peak = d->allocated > d->peak ? d->allocated : d->peak;
}

/* --- a device --- */

static gs_status take_layout(
	gs_top_device *d, const gs_history *h, const gs_snapshot *s, gs_layout *l, gs_error *err)
{
	gs_state state;
	gs_status status = gs_state_find(s, h->device, h, "captured", &state, err);
	if (!status)
		status = gs_history_layout(h, state.idx == GS_NONE ? h->captured_at : state.idx, l, err);
	if (!status)
		take_totals(d, l);
	return status;
}

static gs_status take_device(
	gs_top_device *d, const gs_snapshot *s, const gs_device *from, int64_t now_us, gs_error *err)
{
	gs_recording r;
	gs_layout l;
	gs_recording_init(&r, s, from, NULL);
	gs_layout_init(&l);
	forget_rows(d);
	gs_printable(d->name, sizeof d->name, gs_string_text(s, from->name));
	d->capacity = from->capacity;
	d->events = from->trace.n + from->trace.skipped;
	gs_status status = gs_recording_need_meaning(&r, err);
	if (!status)
		status = take_layout(d, &r.history, s, &l, err);
	if (!status)
		status = take_holders(d, &r.meaning, &l);
	if (!status)
		status = gs_meaning_categories(&r.meaning, &l, &d->categories, &d->ncategories);
	if (!status) {
		take_step(d, &r.meaning);
		take_peak(d, &r.meaning);
		note_series(d, &r.history, now_us);
		count_rates(d, &from->trace, now_us);
	}
	gs_recording_release(&r);
	gs_layout_release(&l);
	return status;
}

gs_status gs_top_view_update(gs_top_view *view, const gs_snapshot *s, int64_t now_us, gs_error *err)
{
	gs_status status = GS_OK;
	if (view->pid != s->pid)
		gs_top_view_release(view); /* another run has taken the file's name */
	gs_printable(view->argv, sizeof view->argv, s->argv ? s->argv : "");
	gs_printable(view->host, sizeof view->host, s->host ? s->host : "");
	view->pid = s->pid;
	view->ended = s->complete;
	view->last_us = GS_NONE;
	for (size_t i = 0; i < s->ndevices; i++) {
		const gs_trace *t = &s->devices[i].trace;
		if (t->n && t->events[t->n - 1].time_us > view->last_us)
			view->last_us = t->events[t->n - 1].time_us;
	}
	if (view->ended)
		now_us = view->last_us;
	for (size_t i = 0; i < s->ndevices && !status; i++) {
		gs_top_device *d = device_of(view, s->devices[i].device);
		status = d ? take_device(d, s, &s->devices[i], now_us, err) : GS_NO_MEMORY;
	}
	return status == GS_NO_MEMORY ? gs_fail(err, status, "no memory for its figures") : status;
}

void gs_top_view_pass(gs_top_view *view, int64_t now_us)
{
	bool idle = view->last_us == GS_NONE ||
		now_us - view->last_us > GS_TOP_RATE_SECONDS * INT64_C(1000000);
	for (size_t i = 0; i < view->n && !view->ended; i++) {
		gs_top_device *d = &view->devices[i];
		if (d->series.last >= d->series.first)
			note_second(&d->series, now_us / 1000000, d->allocated);
		if (idle)
			d->allocations = d->bytes = 0;
	}
}

void gs_top_view_release(gs_top_view *view)
{
	for (size_t i = 0; i < view->n; i++)
		forget_rows(&view->devices[i]);
	gs_memory_give(view->devices);
	*view = (gs_top_view)GS_TOP_VIEW_INIT;
}
