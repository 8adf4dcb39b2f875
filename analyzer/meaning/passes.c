/* Passes: what the program was doing, event by event. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/meaning_internal.h"
#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"
#include "analyzer/model/parts.h"

typedef struct walk {
	gs_meaning_internal *w;
	const gs_meaning *m;
	uint32_t next;              /* step that begins next */
	uint32_t current, backward; /* backward: the pass that what is computed again interrupts */
	size_t cap, cap_runs;
} walk;

static gs_status begin(walk *x, uint8_t phase)
{
	gs_meaning_internal *w = x->w;
	if (!GS_ARRAY_RESERVE(w->passes, x->cap, (size_t)w->npasses + 1))
		return GS_NO_MEMORY;
	x->current = w->npasses++;
	w->passes[x->current] = (gs_pass){.phase = phase};
	return GS_OK;
}

static gs_status enter(walk *x, uint8_t phase)
{
	uint8_t now = x->w->passes[x->current].phase;
	if (now == phase)
		return GS_OK;
	if (phase == GS_PHASE_BACKWARD && now == GS_PHASE_RECOMPUTE && x->backward != UINT32_MAX) {
		x->current = x->backward;
		return GS_OK;
	}
	uint32_t interrupted = now == GS_PHASE_BACKWARD ? x->current : x->backward;
	x->backward = phase == GS_PHASE_RECOMPUTE ? interrupted : UINT32_MAX;
	return begin(x, phase);
}

/* The phases that make passes. */
static bool leads(uint8_t phase)
{
	return phase == GS_PHASE_SETUP || phase == GS_PHASE_FORWARD || phase == GS_PHASE_BACKWARD ||
		phase == GS_PHASE_RECOMPUTE || phase == GS_PHASE_OPTIMIZER;
}

/* A failed request ends a forward or backward pass; an update or a setup only where it was theirs.
 */
static bool fails(uint8_t pass, uint8_t phase)
{
	return (pass != GS_PHASE_OPTIMIZER && pass != GS_PHASE_SETUP) || pass == phase;
}

static size_t run_blocks(const gs_meaning *m) { return m->history->n / GS_RUN_BLOCK + 2; }

/* The event is of the current pass. */
static gs_status note(walk *x, size_t event)
{
	gs_meaning_internal *w = x->w;
	if (!w->nruns || w->runs[w->nruns - 1].pass != x->current) {
		if (!GS_ARRAY_RESERVE(w->runs, x->cap_runs, (size_t)w->nruns + 1))
			return GS_NO_MEMORY;
		w->runs[w->nruns++] = (gs_pass_run){(uint32_t)event, x->current};
	}
	if (event % GS_RUN_BLOCK == 0)
		w->run_at[event / GS_RUN_BLOCK] = w->nruns - 1;
	return GS_OK;
}

static gs_status walk_events(void *arg, size_t i, size_t end)
{
	walk *x = arg;
	const gs_meaning *m = x->m;
	gs_meaning_internal *w = x->w;
	for (; i < end; i++) {
		gs_action action = gs_meaning_action(m, i);
		bool starts = x->next < w->nstarts && w->starts[x->next] == i;
		x->next += starts;
		uint8_t phase = gs_phase_of(&w->phases, gs_meaning_stack(m, i));
		if (starts && w->passes[x->current].phase == GS_PHASE_FORWARD && begin(x, GS_PHASE_FORWARD))
			return GS_NO_MEMORY;
		if (action == GS_ACTION_ALLOC && leads(phase)) {
			if (enter(x, phase))
				return GS_NO_MEMORY;
			w->passes[x->current].last_own = (uint32_t)i;
		}
		if (note(x, i))
			return GS_NO_MEMORY;
		if (action != GS_ACTION_OOM)
			continue;
		w->passes[x->current].failed = fails(w->passes[x->current].phase, phase);
		x->backward = UINT32_MAX;
		if (begin(x, GS_PHASE_NONE))
			return GS_NO_MEMORY;
	}
	return GS_OK;
}

/* Blocks of runs behind the last event. */
static void end_runs(const gs_meaning *m)
{
	const gs_meaning_internal *w = m->internal;
	for (size_t k = (m->history->n + GS_RUN_BLOCK - 1) / GS_RUN_BLOCK; k < run_blocks(m); k++)
		w->run_at[k] = w->nruns ? w->nruns - 1 : 0;
}

/* An update is over with the trace, unless a request of its own failed: what it keeps is known. */
static bool ends_update(const gs_meaning *m)
{
	size_t n = m->history->n;
	const gs_meaning_internal *w = m->internal;
	if (!n || w->passes[gs_pass_at(w, n - 1)].phase != GS_PHASE_OPTIMIZER)
		return false;
	return gs_meaning_action(m, n - 1) != GS_ACTION_OOM ||
		gs_phase_of(&w->phases, gs_meaning_stack(m, n - 1)) != GS_PHASE_OPTIMIZER;
}

gs_status gs_meaning_find_passes(gs_meaning *m)
{
	gs_meaning_internal *w = m->internal;
	walk x = {.w = w, .m = m, .backward = UINT32_MAX};
	gs_memory_give(w->passes);
	gs_memory_give(w->runs);
	w->passes = NULL;
	w->runs = NULL;
	w->npasses = w->nruns = 0;
	if (!w->run_at)
		w->run_at = malloc(run_blocks(m) * sizeof *w->run_at);
	if (!w->run_at || begin(&x, GS_PHASE_NONE) || gs_in_parts(m->history->n, walk_events, &x))
		return GS_NO_MEMORY;
	end_runs(m);
	w->pass_over = ends_update(m);
	return GS_OK;
}
