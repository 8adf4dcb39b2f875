/* Steps that the program names: by torch.profiler's annotations (ProfilerStep#7), other annotations
 * with a number ("step 7", "iteration_7"), or such a tag (user_metadata). */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/spans.h"
#include "analyzer/meaning/meaning_internal.h"
#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"
#include "analyzer/model/parts.h"

static void name_step(gs_phase_step *step, const char *name)
{
	snprintf(step->name, sizeof step->name, "%s", name);
}

/* Events by time: their times ascend but for what clocks do. */
static size_t event_at(const gs_meaning *m, size_t from, int64_t time)
{
	const gs_event *events = m->history->device->trace.events;
	while (from < m->history->n && events[from].time_us < time)
		from++;
	return from;
}

static gs_status steps_of_spans(gs_meaning *m, const gs_step_span *all, size_t n)
{
	const gs_snapshot *s = m->history->snapshot;
	if (!n)
		return GS_OK;
	if (!(m->steps = calloc(n, sizeof *m->steps)))
		return GS_NO_MEMORY;
	size_t at = 0;
	for (size_t k = 0; k < n; k++) {
		size_t first = event_at(m, at, all[k].from), last = first;
		last = event_at(m, first, gs_step_span_end(all, n, k));
		at = last;
		if (first == last)
			continue;
		gs_phase_step *step = &m->steps[m->nsteps++];
		*step = (gs_phase_step){.number = all[k].number,
			.first_idx = (int64_t)first,
			.last_idx = (int64_t)last - 1,
			.how = GS_STEP_ANNOTATION,
			.whole = all[k].to != GS_NONE || k + 1 < n};
		name_step(step, gs_string_text(s, all[k].name));
	}
	return GS_OK;
}

static gs_status from_annotations(gs_meaning *m)
{
	const gs_snapshot *s = m->history->snapshot;
	gs_step_span *all = s->nannotations ? malloc(s->nannotations * sizeof *all) : NULL;
	if (!all)
		return s->nannotations ? GS_NO_MEMORY : GS_OK;
	gs_status status = GS_OK;
	for (int k = 0; k < GS_STEP_SPAN_TRIES && !status && !m->nsteps; k++) {
		gs_memory_give(m->steps);
		m->steps = NULL;
		status = steps_of_spans(m, all, gs_step_spans(s, m->history->device->device, k, all));
	}
	free(all);
	return status;
}

typedef struct tagged {
	gs_meaning *m;
	gs_id seen; /* the tag of the step that lasts */
	size_t cap;
} tagged;

/* Tags: a step lasts until another one's tag is seen. */
static gs_status look_at_tags(void *arg, size_t i, size_t end)
{
	tagged *x = arg;
	gs_meaning *m = x->m;
	const gs_snapshot *s = m->history->snapshot;
	const gs_event *events = m->history->device->trace.events;
	for (; i < end; i++) {
		gs_id tag = gs_event_tag(&events[i]);
		int64_t number;
		if (!tag || tag == x->seen || gs_meaning_action(m, i) != GS_ACTION_ALLOC ||
			!gs_meaning_step_number(gs_string_text(s, tag), &number))
			continue;
		x->seen = tag;
		if (m->nsteps && m->steps[m->nsteps - 1].number == number)
			continue;
		if (!GS_ARRAY_RESERVE(m->steps, x->cap, m->nsteps + 1))
			return GS_NO_MEMORY;
		if (m->nsteps)
			m->steps[m->nsteps - 1].last_idx = (int64_t)i - 1;
		m->steps[m->nsteps] = (gs_phase_step){.number = number,
			.first_idx = (int64_t)i,
			.last_idx = (int64_t)m->history->n - 1,
			.how = GS_STEP_ANNOTATION,
			.whole = true};
		name_step(&m->steps[m->nsteps++], gs_string_text(s, tag));
	}
	return GS_OK;
}

static gs_status from_tags(gs_meaning *m)
{
	tagged x = {.m = m};
	return m->history->snapshot->untagged ? GS_OK : gs_in_parts(m->history->n, look_at_tags, &x);
}

gs_status gs_meaning_named_steps(gs_meaning *m)
{
	gs_status status = from_annotations(m);
	if (!status && !m->nsteps) {
		gs_memory_give(m->steps);
		m->steps = NULL;
		status = from_tags(m);
	}
	return status;
}
