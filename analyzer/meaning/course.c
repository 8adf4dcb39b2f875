#include "analyzer/meaning/course.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/retry.h"
#include "analyzer/meaning/spans.h"
#include "analyzer/meaning/step_selector.h"

enum { ROW_EVENTS = 8192 };

static uint64_t end_of(const gs_run_figures *f) { return f->first + f->events; }

/* Figures follow each other from the first event on: as many of them as do. */
static size_t count_joined(const gs_trace *t)
{
	size_t n = 0;
	for (uint64_t at = 0; n < t->nfigures && t->figures[n].first == at; n++)
		at = end_of(&t->figures[n]);
	return n;
}

bool gs_course_is_told(const gs_device *d)
{
	const gs_trace *t = &d->trace;
	if (!t->n && !t->skipped)
		return true;
	return t->nfigures && count_joined(t) == t->nfigures &&
		end_of(&t->figures[t->nfigures - 1]) >= t->first;
}

/* --- the events behind the last figures */

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* The first microseconds behind the marks, ascending: where rows end. */
static int64_t *list_cuts(const gs_snapshot *s)
{
	int64_t *cuts = malloc((s->nannotations + 1) * sizeof *cuts);
	for (size_t i = 0; cuts && i < s->nannotations; i++) {
		const char *stage = gs_string_text(s, s->annotations[i].stage);
		cuts[i] = s->annotations[i].time_us == GS_NONE
			? INT64_MAX
			: s->annotations[i].time_us + !strcmp(stage, "END");
	}
	if (cuts)
		qsort(cuts, s->nannotations, sizeof *cuts, by_value);
	return cuts;
}

static void keep_most(gs_run_figures *f, const gs_running_totals *g)
{
	uint64_t idx = f->first + f->events;
	if (!f->events || g->allocated > f->most_allocated) {
		f->most_allocated = g->allocated;
		f->allocated_idx = idx;
		f->reserved_then = g->reserved;
	}
	if (!f->events || g->reserved > f->most_reserved) {
		f->most_reserved = g->reserved;
		f->reserved_idx = idx;
	}
}

typedef struct summing {
	gs_trace *trace;
	const int64_t *cuts;
	size_t ncuts, cut;
	gs_running_totals totals;
	gs_retry retry;
	gs_run_figures row;
} summing;

static gs_status close_row(summing *x)
{
	gs_status status = x->row.events ? gs_trace_add_figures(x->trace, &x->row) : GS_OK;
	x->row = (gs_run_figures){.first = end_of(&x->row)};
	return status;
}

static gs_status sum_event(summing *x, const gs_event *e)
{
	size_t before = x->cut;
	while (x->cut < x->ncuts && x->cuts[x->cut] <= e->time_us)
		x->cut++;
	gs_status status = GS_OK;
	if (x->cut > before || x->row.events == ROW_EVENTS)
		status = close_row(x);
	if (!x->row.events)
		x->row.from_us = e->time_us;
	keep_most(&x->row, &x->totals);
	x->row.events++;
	x->row.until_us = e->time_us;
	x->row.allocated = x->totals.allocated;
	x->row.pending = x->totals.pending;
	x->row.reserved = x->totals.reserved;
	x->row.ooms += gs_event_action(e) == GS_ACTION_OOM;
	return status;
}

static gs_status sum_rest(summing *x, const gs_history *h, uint64_t told)
{
	const gs_trace *t = &h->device->trace;
	gs_status status = GS_OK;
	x->row.first = told;
	gs_running_totals_start(h, &x->totals);
	x->retry = gs_retry_start(h->snapshot);
	for (size_t i = 0; i < h->n && !status; i++) {
		const gs_event *e = &t->events[i];
		gs_running_totals_step(h, i, &x->totals);
		bool again = gs_retry_step(&x->retry, gs_event_action(e), e->stack);
		if (t->first + i < told)
			continue;
		status = sum_event(x, e);
		x->row.retries += again;
	}
	return status ? status : close_row(x);
}

gs_status gs_course_complete(const gs_snapshot *s, gs_device *d, gs_error *err)
{
	gs_trace *t = &d->trace;
	uint64_t told = t->nfigures ? end_of(&t->figures[t->nfigures - 1]) : 0;
	if (told >= t->first + t->n)
		return GS_OK;
	gs_history h = GS_HISTORY_INIT;
	gs_status status = gs_history_init(&h, s, d, err);
	int64_t *cuts = status ? NULL : list_cuts(s);
	summing x = {.trace = t, .cuts = cuts, .ncuts = s->nannotations};
	if (!status && (!cuts || sum_rest(&x, &h, told)))
		status = gs_fail(err, GS_NO_MEMORY, "figures of a run");
	free(cuts);
	gs_history_release(&h);
	return status;
}

/* --- peaks and steps */

const gs_run_figures *gs_course_peak(const gs_device *d, bool reserved)
{
	const gs_run_figures *most = NULL;
	for (size_t i = 0; i < d->trace.nfigures; i++) {
		const gs_run_figures *f = &d->trace.figures[i];
		if (!most ||
			(reserved ? f->most_reserved > most->most_reserved
					  : f->most_allocated > most->most_allocated))
			most = f;
	}
	return most;
}

/* The first figures that begin at that time or later, from at on. */
static size_t figures_at(const gs_trace *t, size_t at, int64_t time)
{
	while (at < t->nfigures && t->figures[at].from_us < time)
		at++;
	return at;
}

static void sum_step(gs_phase_step *step, const gs_trace *t, size_t first, size_t last)
{
	const gs_run_figures *before = first ? &t->figures[first - 1] : NULL;
	step->first_idx = (int64_t)t->figures[first].first;
	step->last_idx = (int64_t)end_of(&t->figures[last - 1]) - 1;
	step->start_allocated = before ? before->allocated : 0;
	step->peak_reserved = before ? before->reserved : 0;
	for (size_t i = first; i < last; i++) {
		const gs_run_figures *f = &t->figures[i];
		if (i == first || f->most_allocated > step->peak_allocated) {
			step->peak_allocated = f->most_allocated;
			step->peak_idx = (int64_t)f->allocated_idx;
		}
		if (f->most_reserved > step->peak_reserved)
			step->peak_reserved = f->most_reserved;
		step->retries += f->retries;
	}
	step->end_allocated = t->figures[last - 1].allocated;
	step->growth = (int64_t)step->end_allocated - (int64_t)step->start_allocated;
}

static size_t steps_of_spans(const gs_snapshot *s, const gs_trace *t, const gs_step_span *all,
	size_t n, gs_phase_step *steps)
{
	size_t at = 0, nsteps = 0;
	for (size_t k = 0; k < n; k++) {
		size_t first = figures_at(t, at, all[k].from),
			   last = figures_at(t, first, gs_step_span_end(all, n, k));
		at = last;
		if (first == last)
			continue;
		gs_phase_step *step = &steps[nsteps++];
		*step = (gs_phase_step){.number = all[k].number,
			.how = GS_STEP_ANNOTATION,
			.whole = all[k].to != GS_NONE || k + 1 < n};
		snprintf(step->name, sizeof step->name, "%s", gs_string_text(s, all[k].name));
		sum_step(step, t, first, last);
	}
	return nsteps;
}

gs_status gs_course_steps(
	const gs_snapshot *s, const gs_device *d, gs_phase_step **steps, size_t *n)
{
	*steps = NULL;
	*n = 0;
	if (!s->nannotations)
		return GS_OK;
	gs_step_span *all = malloc(s->nannotations * sizeof *all);
	gs_phase_step *made = calloc(s->nannotations, sizeof *made);
	for (int k = 0; all && made && k < GS_STEP_SPAN_TRIES && !*n; k++)
		*n = steps_of_spans(s, &d->trace, all, gs_step_spans(s, d->device, k, all), made);
	free(all);
	*steps = made;
	return all && made ? GS_OK : GS_NO_MEMORY;
}

static gs_status find_step(const gs_snapshot *s, const gs_device *d, int64_t number, bool peak,
	uint64_t *event, gs_error *err)
{
	gs_phase_step *steps;
	size_t n;
	if (gs_course_steps(s, d, &steps, &n)) {
		free(steps);
		return gs_fail(err, GS_NO_MEMORY, "steps of a run");
	}
	gs_status status = GS_NOT_FOUND;
	for (size_t i = 0; i < n && status; i++)
		if (steps[i].number == number) {
			*event = (uint64_t)(peak ? steps[i].peak_idx : steps[i].last_idx);
			status = GS_OK;
		}
	if (status)
		gs_step_none(d->device, steps, n, number, err);
	free(steps);
	return status;
}

gs_status gs_course_find(
	const gs_snapshot *s, const gs_device *d, const char *selector, uint64_t *event, gs_error *err)
{
	int64_t number;
	bool peak;
	if (gs_step_selector(selector, &number, &peak))
		return find_step(s, d, number, peak, event, err);
	if (strcmp(selector, "peak") && strcmp(selector, "peak reserved"))
		return gs_fail(err, GS_INVALID, "no moment of a course");
	const gs_run_figures *most = gs_course_peak(d, selector[4]);
	if (!most)
		return gs_fail(err, GS_NOT_FOUND, "device %d has no events", d->device);
	*event = selector[4] ? most->reserved_idx : most->allocated_idx;
	return GS_OK;
}
