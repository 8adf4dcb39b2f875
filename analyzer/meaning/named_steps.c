/* Steps that the program names: by torch.profiler's annotations (ProfilerStep#7), other annotations
 * with a number ("step 7", "iteration_7"), or such a tag (user_metadata). */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/meaning_internal.h"

bool gs_meaning_step_number(const char *name, int64_t *number)
{
	static const char *const words[] = {"step", "iteration", "iter", "batch"};
	size_t n = strlen(name), digits = n;
	while (digits && isdigit((unsigned char)name[digits - 1]))
		digits--;
	if (digits == n || n - digits > 15)
		return false;
	size_t end = digits;
	while (end && strchr(" _#:=-.", name[end - 1]))
		end--;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t length = strlen(words[i]);
		if (end >= length && !strncasecmp(name + end - length, words[i], length)) {
			*number = strtoll(name + digits, NULL, 10);
			return true;
		}
	}
	return false;
}

typedef struct span {
	int64_t number, from, to; /* microseconds; to GS_NONE: open */
	gs_id name;
} span;

static int by_time(const void *a, const void *b)
{
	const span *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static bool starts(const gs_snapshot *s, const gs_annotation *a)
{
	return !a->stage || strcasecmp(gs_string_text(s, a->stage), "END") != 0;
}

/* The spans of annotations, those of the device if any name it. torch.profiler's before others. */
static size_t list_spans(const gs_meaning *m, span *all, bool profiler, bool any_device)
{
	const gs_snapshot *s = m->history->snapshot;
	size_t n = 0;
	for (size_t i = 0; i < s->nannotations; i++) {
		const gs_annotation *a = &s->annotations[i];
		const char *name = gs_string_text(s, a->name);
		int64_t number;
		if (a->time_us == GS_NONE || !gs_meaning_step_number(name, &number) ||
			(profiler && strncmp(name, "ProfilerStep#", 13) != 0) ||
			(!any_device && a->device != m->history->device->device))
			continue;
		if (starts(s, a)) {
			all[n++] = (span){number, a->time_us, GS_NONE, a->name};
			continue;
		}
		for (size_t k = n; k--;)
			if (all[k].number == number && all[k].name == a->name && all[k].to == GS_NONE) {
				all[k].to = a->time_us;
				break;
			}
	}
	if (n)
		qsort(all, n, sizeof *all, by_time);
	return n;
}

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

static gs_status steps_of_spans(gs_meaning *m, const span *all, size_t n)
{
	const gs_snapshot *s = m->history->snapshot;
	if (!n)
		return GS_OK;
	if (!(m->steps = calloc(n, sizeof *m->steps)))
		return GS_NO_MEMORY;
	size_t at = 0;
	for (size_t k = 0; k < n; k++) {
		size_t first = event_at(m, at, all[k].from), last = first;
		int64_t next = k + 1 < n ? all[k + 1].from : INT64_MAX;
		int64_t to = all[k].to == GS_NONE || all[k].to > next ? next : all[k].to + 1;
		last = event_at(m, first, to);
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
	span *all = s->nannotations ? malloc(s->nannotations * sizeof *all) : NULL;
	if (!all)
		return s->nannotations ? GS_NO_MEMORY : GS_OK;
	gs_status status = GS_OK;
	for (int k = 0; k < 4 && !status && !m->nsteps; k++) {
		free(m->steps);
		m->steps = NULL;
		status = steps_of_spans(m, all, list_spans(m, all, k < 2, k % 2));
	}
	free(all);
	return status;
}

/* Tags: a step lasts until another one's tag is seen. */
static gs_status from_tags(gs_meaning *m)
{
	const gs_snapshot *s = m->history->snapshot;
	const gs_event *events = m->history->device->trace.events;
	gs_id seen = 0;
	size_t cap = 0;
	for (size_t i = 0; i < m->history->n; i++) {
		gs_id tag = gs_event_tag(&events[i]);
		int64_t number;
		if (!tag || tag == seen || gs_meaning_action(m, i) != GS_ACTION_ALLOC ||
			!gs_meaning_step_number(gs_string_text(s, tag), &number))
			continue;
		seen = tag;
		if (m->nsteps && m->steps[m->nsteps - 1].number == number)
			continue;
		if (m->nsteps == cap) {
			cap = cap ? cap * 2 : 64;
			gs_phase_step *grown = realloc(m->steps, cap * sizeof *grown);
			if (!grown)
				return GS_NO_MEMORY;
			m->steps = grown;
		}
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

gs_status gs_meaning_named_steps(gs_meaning *m)
{
	gs_status status = from_annotations(m);
	if (!status && !m->nsteps) {
		free(m->steps);
		m->steps = NULL;
		status = from_tags(m);
	}
	return status;
}
