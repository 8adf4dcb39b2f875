/* Steps with their figures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/retry.h"
#include "analyzer/meaning/meaning_internal.h"
#include "analyzer/model/parts.h"

const char *gs_step_how_word(gs_step_how how)
{
	return how == GS_STEP_ANNOTATION ? "annotation" : "period";
}

const gs_phase_step *gs_meaning_step(const gs_meaning *m, int64_t number)
{
	for (size_t i = 0; i < m->nsteps; i++)
		if (m->steps[i].number == number)
			return &m->steps[i];
	return NULL;
}

/* One beginning is no period. */
static gs_status steps_of_starts(gs_meaning *m)
{
	const gs_meaning_internal *w = m->internal;
	if (w->nstarts < 2)
		return GS_OK;
	if (!(m->steps = calloc(w->nstarts, sizeof *m->steps)))
		return GS_NO_MEMORY;
	for (uint32_t k = 0; k < w->nstarts; k++) {
		gs_phase_step *step = &m->steps[m->nsteps++];
		bool last = k + 1 == w->nstarts;
		*step = (gs_phase_step){.number = k,
			.first_idx = w->starts[k],
			.last_idx = last ? (int64_t)m->history->n - 1 : (int64_t)w->starts[k + 1] - 1,
			.how = GS_STEP_PERIOD,
			.whole = true};
		snprintf(step->name, sizeof step->name, "step %u", k);
	}
	return GS_OK;
}

/* The last step is whole if it did what the step before did last: the pass that it ends with is of
 * the same phase, and no request failed in it. */
static void judge_last(gs_meaning *m)
{
	const gs_meaning_internal *w = m->internal;
	if (m->nsteps < 2 || m->steps[0].how != GS_STEP_PERIOD)
		return;
	gs_phase_step *last = &m->steps[m->nsteps - 1], *before = last - 1;
	uint8_t ends = w->passes[gs_pass_at(w, (size_t)last->last_idx)].phase,
			wanted = w->passes[gs_pass_at(w, (size_t)before->last_idx)].phase;
	for (int64_t i = last->first_idx; i <= last->last_idx; i++)
		if (gs_meaning_action(m, (size_t)i) == GS_ACTION_OOM)
			last->whole = false;
	last->whole &= ends == wanted;
}

bool gs_retry_step(gs_retry *r, gs_action action, gs_id stack)
{
	bool releases = action == GS_ACTION_SEGMENT_FREE || action == GS_ACTION_SEGMENT_UNMAP;
	bool asks = action == GS_ACTION_SEGMENT_ALLOC || action == GS_ACTION_SEGMENT_MAP ||
		action == GS_ACTION_OOM;
	bool again = asks && r->released && !r->called && (r->own || !r->stack || r->stack == stack);
	if (releases)
		r->stack = stack;
	else if (action != GS_ACTION_FREE_COMPLETED)
		r->called = action == GS_ACTION_EMPTY_CACHE;
	if (releases || action != GS_ACTION_FREE_COMPLETED)
		r->released = releases;
	return again;
}

static bool is_retry(const gs_meaning *m, size_t i, gs_retry *r)
{
	return gs_retry_step(r, gs_meaning_action(m, i), gs_meaning_stack(m, i));
}

typedef struct measuring {
	gs_meaning *m;
	gs_running_totals now;
	gs_retry retry;
	size_t step;
} measuring;

static gs_status measure_events(void *arg, size_t i, size_t end)
{
	measuring *x = arg;
	gs_meaning *m = x->m;
	gs_running_totals g = x->now;
	size_t k = x->step;
	for (; i < end && k < m->nsteps; i++) {
		gs_phase_step *step = &m->steps[k];
		bool inside = (int64_t)i >= step->first_idx;
		if ((int64_t)i == step->first_idx) {
			step->start_allocated = step->peak_allocated = g.allocated;
			step->peak_reserved = g.reserved;
			step->peak_idx = step->first_idx;
		}
		gs_running_totals_step(m->history, i, &g);
		step->retries += is_retry(m, i, &x->retry) && inside;
		if (!inside)
			continue;
		if (g.allocated > step->peak_allocated || (int64_t)i == step->first_idx) {
			step->peak_allocated = g.allocated;
			step->peak_idx = (int64_t)i;
		}
		step->peak_reserved = g.reserved > step->peak_reserved ? g.reserved : step->peak_reserved;
		if ((int64_t)i == step->last_idx) {
			step->end_allocated = g.allocated;
			step->growth = (int64_t)step->end_allocated - (int64_t)step->start_allocated;
			k++;
		}
	}
	x->now = g;
	x->step = k;
	return GS_OK;
}

static void measure(gs_meaning *m)
{
	measuring x = {.m = m, .retry = gs_retry_start(m->history->snapshot)};
	gs_running_totals_start(m->history, &x.now);
	gs_in_parts(m->history->n, measure_events, &x);
}

gs_status gs_meaning_make_steps(gs_meaning *m)
{
	gs_status status = m->nsteps ? GS_OK : steps_of_starts(m);
	if (!status && m->nsteps) {
		judge_last(m);
		measure(m);
	}
	return status;
}
