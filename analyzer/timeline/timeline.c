#include "analyzer/timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/parts.h"
#include "analyzer/timeline/axis.h"

typedef struct course {
	gs_timeline *t;
	gs_running_totals now;
} course;

static gs_status note_checkpoints(void *arg, size_t i, size_t end)
{
	course *x = arg;
	for (; i < end; i++) {
		if (i % GS_CHECKPOINT == 0)
			x->t->checkpoints[i / GS_CHECKPOINT] = x->now;
		gs_running_totals_step(x->t->history, i, &x->now);
	}
	return GS_OK;
}

static gs_status keep_checkpoints(gs_timeline *t)
{
	size_t n = t->history->n;
	course x = {.t = t};
	t->checkpoints = malloc((n / GS_CHECKPOINT + 1) * sizeof *t->checkpoints);
	if (!t->checkpoints)
		return GS_NO_MEMORY;
	gs_running_totals_start(t->history, &x.now);
	gs_in_parts(n, note_checkpoints, &x);
	if (n % GS_CHECKPOINT == 0)
		t->checkpoints[n / GS_CHECKPOINT] = x.now;
	return GS_OK;
}

gs_status gs_timeline_init(gs_timeline *t, gs_recording *r, gs_error *err)
{
	memset(t, 0, sizeof *t);
	t->snapshot = r->snapshot;
	t->device = r->device;
	t->history = &r->history;
	t->meaning = &r->meaning;
	gs_status status = gs_recording_need_meaning(r, err);
	if (!status)
		status = gs_lives_init(&t->lives, t->history, err);
	if (!status && (gs_timeline_name_holders(t) || keep_checkpoints(t)))
		status = gs_fail(err, GS_NO_MEMORY, "no memory for the holders of %u blocks", t->lives.n);
	if (!status) {
		t->timed = gs_axis_timed(&t->device->trace);
		t->crowded = t->timed && gs_axis_crowded(&t->device->trace);
	}
	return status;
}

void gs_timeline_release(gs_timeline *t)
{
	for (size_t i = 0; i < t->nholders; i++) {
		free(t->holders[i].where);
		free(t->holders[i].called_by);
	}
	free(t->holders);
	free(t->holder);
	free(t->checkpoints);
	gs_lives_release(&t->lives);
	memset(t, 0, sizeof *t);
}

gs_categorization gs_timeline_categorization(const gs_timeline *t, uint32_t life)
{
	return life < t->lives.before ? t->meaning->initial[t->lives.first[life].block]
								  : t->meaning->events[t->lives.all[life].birth];
}

int64_t gs_timeline_step_at(const gs_timeline *t, int64_t idx)
{
	const gs_phase_step *steps = t->meaning->steps;
	size_t low = 0, high = t->meaning->nsteps;
	while (low < high) { /* the first that ends behind it */
		size_t middle = low + (high - low) / 2;
		if (steps[middle].last_idx < idx)
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->meaning->nsteps && steps[low].first_idx <= idx ? (int64_t)low : -1;
}

gs_running_totals gs_timeline_totals(const gs_timeline *t, int64_t idx)
{
	size_t n = (size_t)(idx + 1), from = n / GS_CHECKPOINT * GS_CHECKPOINT;
	gs_running_totals g = t->checkpoints[n / GS_CHECKPOINT];
	for (size_t i = from; i < n; i++)
		gs_running_totals_step(t->history, i, &g);
	return g;
}
