/* The meaning of a device's memory: phases, passes, steps and categories, one after the other; sums
 * of them. */
#include "analyzer/meaning/meaning.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/course.h"
#include "analyzer/meaning/meaning_internal.h"
#include "analyzer/model/memory.h"

/* Named steps are the starts of the program's steps, whatever its lines say. */
static gs_status starts_of_steps(gs_meaning *m)
{
	gs_meaning_internal *w = m->internal;
	w->starts = malloc((m->nsteps + 1) * sizeof *w->starts);
	if (!w->starts)
		return GS_NO_MEMORY;
	for (size_t i = 0; i < m->nsteps; i++)
		w->starts[w->nstarts++] = (uint32_t)m->steps[i].first_idx;
	w->stamped = true;
	return GS_OK;
}

static gs_status make(gs_meaning *m)
{
	gs_status status = gs_phases_init(&m->internal->phases, m->history->snapshot, m->rules);
	if (!status)
		status = gs_meaning_find_passes(m);
	if (!status)
		status = gs_meaning_named_steps(m);
	if (!status)
		status = m->nsteps ? starts_of_steps(m) : gs_meaning_find_starts(m);
	if (!status && m->internal->nstarts)
		status = gs_meaning_find_passes(m);
	if (!status)
		status = gs_meaning_make_steps(m);
	return status ? status : gs_meaning_categorize(m);
}

gs_status gs_meaning_init(
	gs_meaning *m, const gs_history *h, const gs_category_rules *rules, gs_error *err)
{
	memset(m, 0, sizeof *m);
	m->history = h;
	m->rules = rules;
	m->internal = calloc(1, sizeof *m->internal);
	gs_status status = m->internal ? make(m) : GS_NO_MEMORY;
	return status ? gs_fail(err, status, "out of memory while telling what memory is for") : GS_OK;
}

void gs_meaning_release(gs_meaning *m)
{
	if (m->internal) {
		gs_phases_release(&m->internal->phases);
		gs_memory_give(m->internal->passes);
		gs_memory_give(m->internal->runs);
		free(m->internal->run_at);
		gs_memory_give(m->internal->starts);
		free(m->internal->parameter_sizes);
		free(m->internal);
	}
	free(m->events);
	free(m->initial);
	gs_memory_give(m->steps);
	memset(m, 0, sizeof *m);
}

/* Blocks of a layout ascend, segments without an address apart. SIZE_MAX: none is there. */
static size_t born_at(const gs_layout *l, uint64_t address)
{
	size_t low = 0, high = l->nblocks;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (l->blocks[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < l->nblocks && l->blocks[low].address == address ? low : SIZE_MAX;
}

gs_categorization gs_meaning_of(const gs_meaning *m, const gs_block *b)
{
	const gs_categorization unknown = {GS_CATEGORY_UNKNOWN, 0};
	if (b->state == GS_INACTIVE)
		return unknown;
	if (b->idx >= 0)
		return (uint64_t)b->idx < m->history->n ? m->events[b->idx] : unknown;
	size_t i = born_at(&m->history->initial, b->address);
	return i == SIZE_MAX ? unknown : m->initial[i];
}

/* --- sums ----------------------------------------------------------------------------------------
 */

static int by_bytes(const void *a, const void *b)
{
	const gs_category_sum *x = a, *y = b;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return (x->category > y->category) - (x->category < y->category);
}

gs_status gs_meaning_categories(
	const gs_meaning *m, const gs_layout *l, gs_category_sum **rows, size_t *n)
{
	gs_category_sum all[GS_MOST_CATEGORIES] = {{0}};
	*n = 0;
	*rows = malloc(sizeof all);
	if (!*rows)
		return GS_NO_MEMORY;
	for (size_t i = 0; i < l->nblocks; i++)
		if (l->blocks[i].state != GS_INACTIVE) {
			gs_category_sum *x = &all[gs_meaning_of(m, &l->blocks[i]).category];
			x->bytes += l->blocks[i].size;
			x->blocks++;
		}
	for (unsigned k = 0; k < GS_MOST_CATEGORIES; k++)
		if (all[k].blocks) {
			(*rows)[*n] = all[k];
			(*rows)[(*n)++].category = (uint8_t)k;
		}
	if (*n)
		qsort(*rows, *n, sizeof **rows, by_bytes);
	return GS_OK;
}

void gs_running_categories_start(const gs_meaning *m, gs_running_categories *g)
{
	const gs_layout *l = &m->history->initial;
	memset(g, 0, sizeof *g);
	for (size_t i = 0; i < l->nblocks; i++)
		if (l->blocks[i].state != GS_INACTIVE) {
			g->bytes[m->initial[i].category] += l->blocks[i].size;
			g->blocks[m->initial[i].category]++;
		}
}

void gs_running_categories_step(const gs_meaning *m, size_t i, gs_running_categories *g)
{
	gs_action action = gs_meaning_action(m, i);
	int32_t birth = m->history->births[i];
	if (action == GS_ACTION_ALLOC) {
		g->bytes[m->events[i].category] += gs_history_size(m->history, i);
		g->blocks[m->events[i].category]++;
		return;
	}
	if (action != GS_ACTION_FREE_COMPLETED)
		return;
	unsigned category;
	if (birth >= 0) {
		category = m->events[birth].category;
	} else {
		size_t k = born_at(&m->history->initial, m->history->device->trace.events[i].address);
		if (k == SIZE_MAX)
			return;
		category = m->initial[k].category;
	}
	uint64_t size = gs_history_size(m->history, i);
	g->bytes[category] -= size < g->bytes[category] ? size : g->bytes[category];
	g->blocks[category] -= g->blocks[category] != 0;
}

static int64_t step_of(const gs_meaning *m, int64_t idx)
{
	for (size_t k = 0; k < m->nsteps; k++)
		if (m->steps[k].first_idx <= idx && idx <= m->steps[k].last_idx)
			return (int64_t)k;
	return -1;
}

/* The greatest of the first n events: the whole trace's, unless that comes later. */
static void find_peak(const gs_history *h, size_t n, gs_peak *peak)
{
	int64_t idx = gs_history_peak(h, false);
	gs_running_totals g;
	if (idx >= 0 && (size_t)idx < n) {
		g = gs_history_peak_totals(h);
		*peak = (gs_peak){.idx = idx, .allocated = g.allocated, .reserved = g.reserved};
		return;
	}
	gs_running_totals_start(h, &g);
	*peak = (gs_peak){.idx = -1, .allocated = g.allocated, .reserved = g.reserved};
	for (size_t i = 0; i < n; i++) {
		gs_running_totals_step(h, i, &g);
		if (i && g.allocated <= peak->allocated)
			continue;
		peak->idx = (int64_t)i;
		peak->allocated = g.allocated;
		peak->reserved = g.reserved;
	}
}

/* A greater one of the events before those in memory; of all: or behind them. */
static void look_at_figures(const gs_history *h, bool all, gs_peak *peak)
{
	const gs_trace *t = &h->device->trace;
	for (size_t i = 0; h->snapshot->excerpt && gs_course_is_told(h->device) && i < t->nfigures;
		 i++) {
		const gs_run_figures *f = &t->figures[i];
		bool before = f->allocated_idx < t->first, behind = f->allocated_idx >= t->first + t->n;
		if ((!before && !(all && behind)) || f->most_allocated <= peak->allocated)
			continue;
		*peak = (gs_peak){.idx = -1,
			.time_us = GS_NONE,
			.number = (int64_t)f->allocated_idx,
			.is_apart = true,
			.allocated = f->most_allocated,
			.reserved = f->reserved_then,
			.step = -1};
	}
}

void gs_meaning_peak(const gs_meaning *m, int64_t until, gs_peak *peak)
{
	const gs_history *h = m->history;
	gs_running_categories live;
	find_peak(h, until >= 0 && (size_t)until < h->n ? (size_t)until + 1 : h->n, peak);
	peak->time_us = GS_NONE;
	peak->step = peak->number = -1;
	peak->is_apart = false;
	gs_running_categories_start(m, &live);
	for (int64_t i = 0; i <= peak->idx; i++)
		gs_running_categories_step(m, (size_t)i, &live);
	peak->live = live;
	if (peak->idx >= 0) {
		peak->time_us = h->device->trace.events[peak->idx].time_us;
		peak->step = step_of(m, peak->idx);
		peak->number = gs_event_number(&h->device->trace, peak->idx);
	}
	look_at_figures(h, until == GS_NONE, peak);
}
