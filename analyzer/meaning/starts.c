/* Where steps begin: the program comes back to an earlier line after an update (an optimizer's
 * step, else a backward pass); without either, a loop that comes back again and again; without
 * lines, the trace's own period. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/meaning_internal.h"
#include "analyzer/model/array.h"
#include "analyzer/model/hash_map.h"
#include "analyzer/model/parts.h"

typedef struct search {
	gs_meaning *m;
	uint8_t anchor;        /* phase whose passes end steps */
	gs_id anchor_stack;    /* of the program when the last one ran, 0 none yet */
	bool waits;            /* an anchor was passed, and no step has begun since */
	bool later;            /* the program went on behind the anchor */
	bool in_anchor;        /* the last allocation was one of it */
	uint32_t neutral;      /* first allocation behind it of which lines tell nothing */
	gs_id last;            /* stack of the last allocation of the program's own thread */
	gs_hash_map functions; /* by name and file: its number */
	gs_hash_map order;     /* by frame, and the number of a function that it calls: when first */
	bool *seen;            /* by stack: its calls are in order */
	gs_id *memo_of;        /* by stack: the anchor's stack that memo is for */
	int8_t *memo;
	size_t cap;
} search;

static gs_status push(search *x, uint32_t i)
{
	gs_meaning_internal *w = x->m->internal;
	if (w->nstarts && w->starts[w->nstarts - 1] >= i)
		return GS_OK;
	if (!GS_ARRAY_RESERVE(w->starts, x->cap, (size_t)w->nstarts + 1))
		return GS_NO_MEMORY;
	w->starts[w->nstarts++] = i;
	return GS_OK;
}

static int turn(search *x, gs_id stack)
{
	uint32_t depth;
	if (x->memo_of[stack] != x->anchor_stack) {
		x->memo_of[stack] = x->anchor_stack;
		x->memo[stack] = (int8_t)gs_phases_turn(
			&x->m->internal->phases, x->m->history->snapshot, x->anchor_stack, stack, &depth);
	}
	return x->memo[stack];
}

/* Updates of whatever optimizer, unless passes go on without any behind the last (then what is
 * visible of the optimizer was its first step). */
static uint8_t choose_anchor(const gs_meaning *m)
{
	const gs_meaning_internal *w = m->internal;
	size_t updates = 0, since = 0, gap = 0, backwards = 0;
	for (uint32_t i = 0; i < w->npasses; i++) {
		if (w->passes[i].phase == GS_PHASE_BACKWARD) {
			since++;
			backwards++;
		} else if (w->passes[i].phase == GS_PHASE_OPTIMIZER) {
			gap = updates && since > gap ? since : gap;
			updates++;
			since = 0;
		}
	}
	if (!updates || (backwards > 1 && since > 1 && since > gap))
		return backwards ? GS_PHASE_BACKWARD : GS_PHASE_NONE;
	return GS_PHASE_OPTIMIZER;
}

/* Behind the anchor: has a step begun here? */
static gs_status look_at_event(search *x, uint32_t i, gs_id stack)
{
	int back = turn(x, stack);
	if (back > 0) {
		x->waits = false;
		return push(x, i);
	}
	x->later |= back < 0;
	if (!back && x->neutral == UINT32_MAX)
		x->neutral = i;
	return GS_OK;
}

/* The next anchor comes: where no line told, the step began with the first allocation between. */
static gs_status pass_anchor(search *x, gs_id stack)
{
	gs_status status = GS_OK;
	if (x->waits && !x->later && x->neutral != UINT32_MAX)
		status = push(x, x->neutral);
	x->anchor_stack = stack;
	x->waits = true;
	x->later = false;
	x->neutral = UINT32_MAX;
	return status;
}

static gs_status follow_anchors(void *arg, size_t i, size_t end)
{
	search *x = arg;
	const gs_meaning *m = x->m;
	const gs_meaning_internal *w = m->internal;
	for (; i < end; i++) {
		if (gs_meaning_action(m, i) != GS_ACTION_ALLOC)
			continue;
		gs_id stack = gs_meaning_stack(m, i);
		uint8_t phase = gs_phase_of(&w->phases, stack);
		bool own = stack && !w->phases.stacks[stack].autograd;
		if (phase == x->anchor) {
			gs_id at = x->anchor == GS_PHASE_OPTIMIZER || own ? stack : x->last;
			if ((!x->in_anchor || (own && x->anchor == GS_PHASE_OPTIMIZER)) && at &&
				pass_anchor(x, at))
				return GS_NO_MEMORY;
			x->in_anchor = true;
			continue;
		}
		if (!own || phase == GS_PHASE_SETUP || phase == GS_PHASE_RECOMPUTE)
			continue;
		if (x->in_anchor && phase == GS_PHASE_LIBRARY)
			continue; /* a library's workspace for the anchor itself */
		x->in_anchor = false;
		x->last = phase == GS_PHASE_BACKWARD ? x->last : stack;
		if (x->waits && phase != GS_PHASE_BACKWARD && phase != GS_PHASE_OPTIMIZER &&
			look_at_event(x, (uint32_t)i, stack))
			return GS_NO_MEMORY;
	}
	return GS_OK;
}

/* --- the first step ------------------------------------------------------------------------------
 */

/* Behind the setup that comes before the first forward: there the next step's first stack, else the
 * first allocation. UINT32_MAX: there is no forward. */
static uint32_t first_start(const gs_meaning *m)
{
	const gs_meaning_internal *w = m->internal;
	gs_id wanted = w->nstarts ? gs_meaning_stack(m, w->starts[0]) : 0;
	uint32_t until = w->nstarts ? w->starts[0] : UINT32_MAX, found = UINT32_MAX;
	uint32_t same = UINT32_MAX;
	for (size_t i = 0; i < m->history->n && i < until; i++) {
		if (gs_meaning_action(m, i) != GS_ACTION_ALLOC)
			continue;
		gs_id stack = gs_meaning_stack(m, i);
		uint8_t phase = gs_phase_of(&w->phases, stack);
		if (phase == GS_PHASE_SETUP) {
			found = same = UINT32_MAX;
			continue;
		}
		if (phase == GS_PHASE_USER && w->phases.stacks[stack].constructor)
			continue;
		found = found == UINT32_MAX ? (uint32_t)i : found;
		same = same == UINT32_MAX && wanted && stack == wanted ? (uint32_t)i : same;
		if (phase == GS_PHASE_FORWARD)
			return same == UINT32_MAX ? found : same;
	}
	return w->nstarts ? same : UINT32_MAX;
}

static gs_status put_first(search *x)
{
	gs_meaning_internal *w = x->m->internal;
	uint32_t first = first_start(x->m), n = w->nstarts;
	if (first == UINT32_MAX || (n && first >= w->starts[0]))
		return GS_OK;
	if (push(x, UINT32_MAX)) /* makes room */
		return GS_NO_MEMORY;
	memmove(w->starts + 1, w->starts, n * sizeof *w->starts);
	w->starts[0] = first;
	return GS_OK;
}

/* What follows the last step without a forward of its own belongs to it. */
static void drop_tail(gs_meaning *m)
{
	gs_meaning_internal *w = m->internal;
	if (w->nstarts < 2)
		return;
	for (size_t i = w->starts[w->nstarts - 1]; i < m->history->n; i++) {
		uint8_t phase = gs_phase_of(&w->phases, gs_meaning_stack(m, i));
		if (gs_meaning_action(m, i) == GS_ACTION_ALLOC && phase != GS_PHASE_USER &&
			phase != GS_PHASE_OPTIMIZER)
			return;
		if (gs_meaning_action(m, i) == GS_ACTION_OOM)
			return;
	}
	w->nstarts--;
}

/* --- loops without updates -----------------------------------------------------------------------
 */

typedef struct loop {
	uint32_t depth, count;
	gs_id name, file;
} loop;
enum { MOST_LOOPS = 64, LEAST_TURNS = 2 };

/* What one line calls, it calls in an order: `model(batch())` batch first. The numbers of the calls
 * that a stack shows, by when they were first seen; false: memory is short. */
static bool note_calls(search *x, gs_id stack)
{
	const gs_snapshot *s = x->m->history->snapshot;
	const gs_phases *p = &x->m->internal->phases;
	const gs_id *frames = s->stack_frames + s->stacks[stack].first;
	uint32_t i = gs_phases_next_frame(p, s, stack, s->stacks[stack].n), k;
	for (; i != UINT32_MAX; i = k) {
		bool is_new;
		k = gs_phases_next_frame(p, s, stack, i);
		if (k == UINT32_MAX)
			break;
		const gs_frame *f = &s->frames[frames[k]];
		uint32_t *number = gs_hash_map_at(
			&x->functions, (uint64_t)f->name << 32 | f->file, &is_new);
		if (!number)
			return false;
		*number = is_new ? (uint32_t)x->functions.n : *number;
		uint32_t *first = gs_hash_map_at(&x->order, (uint64_t)frames[i] << 32 | *number, &is_new);
		if (!first)
			return false;
		*first = is_new ? (uint32_t)x->order.n : *first;
	}
	return true;
}

static uint32_t first_call(const search *x, gs_id line, gs_id called)
{
	const gs_frame *f = &x->m->history->snapshot->frames[called];
	uint32_t number = 0, first = 0;
	if (gs_hash_map_find(&x->functions, (uint64_t)f->name << 32 | f->file, &number))
		gs_hash_map_find(&x->order, (uint64_t)line << 32 | number, &first);
	return first;
}

/* The line runs again: what it calls first comes behind what it calls later. */
static bool runs_again(const search *x, gs_id from, gs_id to, uint32_t *depth)
{
	gs_parting part;
	if (!gs_phases_part(&x->m->internal->phases, x->m->history->snapshot, from, to, &part) ||
		!part.common)
		return false;
	*depth = part.depth - 1;
	return first_call(x, part.common, part.to) < first_call(x, part.common, part.from);
}

static bool turns(const search *x, gs_id from, gs_id to, loop *out)
{
	const gs_meaning *m = x->m;
	const gs_snapshot *s = m->history->snapshot;
	uint32_t depth;
	if (from == to ||
		(gs_phases_turn(&m->internal->phases, s, from, to, &depth) <= 0 &&
			!runs_again(x, from, to, &depth)))
		return false;
	/* the function is that of the frame at this depth */
	const gs_phases *p = &m->internal->phases;
	const gs_id *frames = s->stack_frames + s->stacks[from].first;
	uint32_t i = s->stacks[from].n, outside = depth + 1;
	while (i && outside) {
		i--;
		if (p->frames[frames[i]] == GS_PHASE_FORWARD)
			return false; /* a loop of a module's is none of steps */
		outside -= p->stacks[from].python ? p->python[frames[i]] : s->frames[frames[i]].line > 0;
	}
	*out = (loop){depth, 1, s->frames[frames[i]].name, s->frames[frames[i]].file};
	return true;
}

/* Allocations that follow each other in the program's own thread, behind setup. */
static bool in_loop(const gs_meaning *m, size_t i)
{
	gs_id stack = gs_meaning_stack(m, i);
	if (gs_meaning_action(m, i) != GS_ACTION_ALLOC || !stack)
		return false;
	const gs_stack_phase *p = &m->internal->phases.stacks[stack];
	return p->phase != GS_PHASE_SETUP && p->phase != GS_PHASE_NONE && !p->autograd;
}

static void count_turn(loop *all, uint32_t *n, const loop *one)
{
	for (uint32_t k = 0; k < *n; k++)
		if (all[k].depth == one->depth && all[k].name == one->name && all[k].file == one->file) {
			all[k].count++;
			return;
		}
	if (*n < MOST_LOOPS)
		all[(*n)++] = *one;
}

typedef struct loops {
	search *x;
	loop all[MOST_LOOPS], best;
	uint32_t n;
	gs_id last; /* stack of the allocation before */
} loops;

static gs_status count_turns(void *arg, size_t i, size_t end)
{
	loops *o = arg;
	search *x = o->x;
	loop one;
	for (; i < end; i++)
		if (in_loop(x->m, i)) {
			gs_id stack = gs_meaning_stack(x->m, i);
			if (!x->seen[stack] && !note_calls(x, stack))
				return GS_NO_MEMORY;
			x->seen[stack] = true;
			if (o->last && turns(x, o->last, stack, &one))
				count_turn(o->all, &o->n, &one);
			o->last = stack;
		}
	return GS_OK;
}

/* A step is a turn of the best of them. */
static gs_status push_turns(void *arg, size_t i, size_t end)
{
	loops *o = arg;
	loop one;
	for (; i < end; i++)
		if (in_loop(o->x->m, i)) {
			gs_id stack = gs_meaning_stack(o->x->m, i);
			if ((o->last && turns(o->x, o->last, stack, &one) && one.depth == o->best.depth &&
					one.name == o->best.name && one.file == o->best.file) ||
				!o->last)
				if (push(o->x, (uint32_t)i))
					return GS_NO_MEMORY;
			o->last = stack;
		}
	return GS_OK;
}

static gs_status follow_loops(search *x)
{
	loops o = {.x = x};
	gs_status status = gs_in_parts(x->m->history->n, count_turns, &o);
	for (uint32_t k = 0; k < o.n; k++)
		if (o.all[k].count >= LEAST_TURNS && (!o.best.count || o.all[k].depth < o.best.depth))
			o.best = o.all[k];
	o.last = 0;
	return status || !o.best.count ? status : gs_in_parts(x->m->history->n, push_turns, &o);
}

/* --- the period of a trace without lines ---------------------------------------------------------
 */

enum { LEAST_PERIODS = 3, LEAST_LENGTH = 4 };

static uint64_t token(const gs_meaning *m, uint32_t i)
{
	return m->history->device->trace.events[i].size * UINT64_C(0x9e3779b97f4a7c15) ^
		gs_meaning_stack(m, i);
}

/* The longest end of the trace that repeats itself at least three times: by the failure function of
 * the allocations read backwards. */
static gs_status follow_period(search *x)
{
	const gs_meaning *m = x->m;
	size_t n = 0, best = 0, period = 0;
	uint32_t *at = malloc((m->history->n + 1) * 2 * sizeof *at), *fail = at + m->history->n + 1;
	if (!at)
		return GS_NO_MEMORY;
	for (size_t i = m->history->n; i--;)
		if (gs_meaning_action(m, i) == GS_ACTION_ALLOC)
			at[n++] = (uint32_t)i;
	for (size_t i = 1, k = fail[0] = 0; i < n; i++) {
		while (k && token(m, at[i]) != token(m, at[k]))
			k = fail[k - 1];
		k += token(m, at[i]) == token(m, at[k]);
		fail[i] = (uint32_t)k;
		size_t length = i + 1, p = length - k;
		if (p >= LEAST_LENGTH && length >= LEAST_PERIODS * p && length > best) {
			best = length;
			period = p;
		}
	}
	gs_status status = GS_OK;
	for (size_t k = period ? best / period : 0; k && !status; k--)
		status = push(x, at[k * period - 1]);
	free(at);
	return status;
}

/* --- all together --------------------------------------------------------------------------------
 */

static gs_status find_starts(search *x)
{
	gs_meaning_internal *w = x->m->internal;
	x->anchor = choose_anchor(x->m);
	x->neutral = UINT32_MAX;
	w->looped = x->anchor == GS_PHASE_NONE;
	gs_status status = w->looped ? follow_loops(x)
								 : gs_in_parts(x->m->history->n, follow_anchors, x);
	if (!status && (!w->looped || !w->nstarts)) {
		status = put_first(x);
		drop_tail(x->m);
	}
	bool lines = false;
	for (gs_id k = 1; k < x->m->history->snapshot->nstacks && !lines; k++)
		lines = w->phases.stacks[k].python;
	if (!status && !w->nstarts && !lines) {
		w->looped = true;
		status = follow_period(x);
	}
	return status;
}

gs_status gs_meaning_find_starts(gs_meaning *m)
{
	search x = {.m = m};
	x.memo_of = calloc((size_t)m->history->snapshot->nstacks + 1, sizeof *x.memo_of);
	x.memo = calloc((size_t)m->history->snapshot->nstacks + 1, sizeof *x.memo);
	x.seen = calloc((size_t)m->history->snapshot->nstacks + 1, sizeof *x.seen);
	gs_status status = x.memo_of && x.memo && x.seen ? find_starts(&x) : GS_NO_MEMORY;
	gs_hash_map_release(&x.functions);
	gs_hash_map_release(&x.order);
	free(x.seen);
	free(x.memo_of);
	free(x.memo);
	return status;
}
