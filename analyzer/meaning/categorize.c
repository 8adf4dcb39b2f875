/* What each allocation is: its stack's phase, its lifetime against passes and steps, its size; then
 * the first rule that holds. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/meaning_internal.h"
#include "analyzer/model/parts.h"

enum { CUBLAS_WORKSPACE = 8519680, CUBLAS_WORKSPACE_HOPPER = 33554432 };

/* An allocation as the rules see it. */
typedef struct subject {
	uint8_t phase, trait;
	uint16_t life, size;
} subject;

typedef struct categorizer {
	gs_meaning *m;
	uint16_t *life; /* by event: of allocs, gs_life */
	uint32_t *step; /* of one event in STEP_BLOCK and behind them: how many steps began by then */
	uint8_t *trait; /* by event: of user code's allocs, where in the step */
	uint32_t *twin; /* by event: the alloc of the same stack, so many after the step's start, in the
					   step before; UINT32_MAX none; NULL where there are not two steps */
	bool *copies;   /* by stack: makes several of parameters' sizes */
	bool *batches;  /* by stack: begins steps */
} categorizer;

enum { STEP_BLOCK = 1024 };

/* How many steps began by an event. */
static uint32_t step_of(const categorizer *x, size_t i)
{
	const uint32_t *starts = x->m->internal->starts;
	uint32_t low = x->step[i / STEP_BLOCK], high = x->step[i / STEP_BLOCK + 1];
	while (low < high) { /* the first that begins later */
		uint32_t middle = low + (high - low) / 2;
		if (starts[middle] <= i)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static gs_status count_steps(categorizer *x)
{
	const gs_meaning_internal *w = x->m->internal;
	size_t blocks = x->m->history->n / STEP_BLOCK + 2;
	if (!(x->step = malloc(blocks * sizeof *x->step)))
		return GS_NO_MEMORY;
	for (size_t k = 0, n = 0; k < blocks; k++) {
		while (n < w->nstarts && w->starts[n] <= k * STEP_BLOCK)
			n++;
		x->step[k] = (uint32_t)n;
	}
	return GS_OK;
}

/* --- lifetimes -----------------------------------------------------------------------------------
 */

typedef struct moment {
	uint32_t step;
	int64_t oom; /* the last out-of-memory, -1 none */
	uint32_t oom_step;
} moment;

/* What a failed request's unwinding frees tells no more than that it lived until then. */
static bool was_interrupted(const categorizer *x, const moment *now, size_t birth)
{
	return now->oom > (int64_t)birth && step_of(x, birth) == now->oom_step;
}

/* Behind the last allocation of a backward pass its own thread still frees what flowed through it;
 * gradients are freed by the program. */
static bool freed_by_backward(const gs_meaning *m, size_t death)
{
	return !gs_history_frees_tell_birth(m->history) &&
		gs_phase_of(&m->internal->phases, gs_meaning_stack(m, death)) == GS_PHASE_BACKWARD;
}

static uint16_t life_when_freed(const categorizer *x, const moment *now, size_t birth, size_t death)
{
	const gs_meaning_internal *w = x->m->internal;
	uint32_t born = gs_pass_at(w, birth), dies = gs_pass_at(w, death);
	const gs_pass *pass = &w->passes[born];
	if (was_interrupted(x, now, birth))
		return GS_LIFE_STEP | GS_LIFE_NEXT | (pass->failed ? GS_LIFE_PASS : GS_LIFE_LONG);
	uint16_t life = now->step <= step_of(x, birth) + 1 ? GS_LIFE_NEXT : GS_LIFE_PAST;
	if (born == dies) {
		life |= GS_LIFE_SHORT | (pass->phase == GS_PHASE_SETUP ? GS_LIFE_REPLACED : 0);
		/* what backward made may be freed behind it without an update that allocates */
		if (pass->phase == GS_PHASE_BACKWARD && death > pass->last_own &&
			!freed_by_backward(x->m, death))
			life |= GS_LIFE_LONG;
		return life;
	}
	uint8_t phase = w->passes[dies].phase;
	/* what the next step's beginning frees behind a backward pass was not held for backward */
	bool backward = (phase == GS_PHASE_BACKWARD || phase == GS_PHASE_RECOMPUTE) &&
		(now->step == step_of(x, birth) || death <= w->passes[dies].last_own);
	return life | GS_LIFE_LONG | (backward ? GS_LIFE_BACKWARD : 0);
}

static uint16_t life_when_kept(const categorizer *x, const moment *now, size_t birth)
{
	const gs_meaning_internal *w = x->m->internal;
	const gs_pass *pass = &w->passes[gs_pass_at(w, birth)];
	uint16_t life = GS_LIFE_KEPT;
	if (was_interrupted(x, now, birth))
		return life | GS_LIFE_STEP | GS_LIFE_NEXT | (pass->failed ? GS_LIFE_PASS : GS_LIFE_LONG);
	bool last = gs_pass_at(w, birth) == gs_pass_at(w, x->m->history->n - 1) && !w->pass_over;
	life |= last ? GS_LIFE_PASS : GS_LIFE_LONG;
	life |= step_of(x, birth) == now->step ? GS_LIFE_STEP : 0;
	return life | (now->step <= step_of(x, birth) + 1 ? GS_LIFE_NEXT : GS_LIFE_PAST);
}

/* Where user code allocates in its step. */
static uint8_t place_in_step(const gs_meaning *m, size_t i, bool forward_seen)
{
	const gs_meaning_internal *w = m->internal;
	gs_id stack = gs_meaning_stack(m, i);
	if (stack && w->phases.stacks[stack].argument && w->nstarts)
		return GS_TRAIT_WITHIN;
	if (!forward_seen)
		return stack && w->phases.stacks[stack].constructor ? GS_TRAIT_NONE : GS_TRAIT_BEFORE;
	return w->passes[gs_pass_at(w, i)].phase == GS_PHASE_FORWARD ? GS_TRAIT_WITHIN : GS_TRAIT_AFTER;
}

/* A program that never goes forward through a model has no batches either. */
static bool goes_forward(const gs_meaning_internal *w)
{
	for (uint32_t i = 0; i < w->npasses; i++)
		if (w->passes[i].phase == GS_PHASE_FORWARD)
			return true;
	return false;
}

typedef struct course {
	categorizer *x;
	moment now;
	bool forward_seen, batches;
} course;

static gs_status follow_events(void *arg, size_t i, size_t end)
{
	course *c = arg;
	categorizer *x = c->x;
	const gs_meaning *m = x->m;
	const gs_meaning_internal *w = m->internal;
	moment now = c->now;
	bool forward_seen = c->forward_seen;
	for (; i < end; i++) {
		if (now.step < w->nstarts && w->starts[now.step] == i) {
			now.step++;
			forward_seen = false;
		}
		gs_action action = gs_meaning_action(m, i);
		int32_t birth = m->history->births[i];
		if (action == GS_ACTION_ALLOC) {
			x->trait[i] = place_in_step(m, i, forward_seen || !c->batches);
			forward_seen |= gs_phase_of(&w->phases, gs_meaning_stack(m, i)) == GS_PHASE_FORWARD;
			x->batches[gs_meaning_stack(m, i)] |= x->trait[i] == GS_TRAIT_BEFORE && now.step;
		} else if (birth >= 0 && !x->life[birth]) {
			x->life[birth] = life_when_freed(x, &now, (size_t)birth, i);
		} else if (action == GS_ACTION_OOM) {
			now.oom = (int64_t)i;
			now.oom_step = now.step;
		}
	}
	c->now = now;
	c->forward_seen = forward_seen;
	return GS_OK;
}

static gs_status keep_lives(void *arg, size_t i, size_t end)
{
	const course *c = arg;
	categorizer *x = c->x;
	for (; i < end; i++)
		if (gs_meaning_action(x->m, i) == GS_ACTION_ALLOC && !x->life[i])
			x->life[i] = life_when_kept(x, &c->now, i);
	return GS_OK;
}

static void follow_lives(categorizer *x)
{
	const gs_meaning *m = x->m;
	/* before the first step nothing is a batch */
	course c = {x, {0, -1, 0}, true, goes_forward(m->internal)};
	gs_in_parts(m->history->n, follow_events, &c);
	gs_in_parts(m->history->n, keep_lives, &c);
}

/* --- twins ---------------------------------------------------------------------------------------
 */

typedef struct twins {
	categorizer *x;
	uint32_t *next;           /* by event: the next alloc of the same stack */
	uint32_t *last;           /* by stack: the last alloc seen */
	uint32_t *begin, *before; /* by stack: the first in the step that is read; its counterpart */
	uint32_t *step;           /* by stack: that step */
} twins;

/* Walks the allocations of each stack in step with those of the step before. before[stack] is the
 * counterpart of the next one. */
static gs_status pair(void *arg, size_t i, size_t end)
{
	twins *t = arg;
	categorizer *x = t->x;
	const gs_meaning *m = x->m;
	for (; i < end; i++) {
		if (gs_meaning_action(m, i) != GS_ACTION_ALLOC)
			continue;
		gs_id k = gs_meaning_stack(m, i);
		uint32_t step = step_of(x, i);
		if (t->last[k] != UINT32_MAX)
			t->next[t->last[k]] = (uint32_t)i;
		t->next[i] = UINT32_MAX;
		if (t->step[k] != step) {
			t->before[k] = t->step[k] + 1 == step && t->step[k] ? t->begin[k] : UINT32_MAX;
			t->begin[k] = (uint32_t)i;
			t->step[k] = step;
		}
		uint32_t b = t->before[k];
		x->twin[i] = b;
		if (b != UINT32_MAX)
			t->before[k] = t->next[b] != UINT32_MAX && step_of(x, t->next[b]) == step_of(x, b)
				? t->next[b]
				: UINT32_MAX;
		t->last[k] = (uint32_t)i;
	}
	return GS_OK;
}

static gs_status find_twins(categorizer *x)
{
	size_t n = x->m->history->n + 1, k = (size_t)x->m->history->snapshot->nstacks + 1;
	if (x->m->internal->nstarts < 2)
		return GS_OK;
	if (!(x->twin = malloc(n * sizeof *x->twin)))
		return GS_NO_MEMORY;
	twins t = {x, malloc(n * sizeof(uint32_t)), malloc(k * sizeof(uint32_t)),
		calloc(k, sizeof(uint32_t)), calloc(k, sizeof(uint32_t)), calloc(k, sizeof(uint32_t))};
	bool enough = t.next && t.last && t.begin && t.before && t.step;
	if (enough) {
		memset(t.last, 255, k * sizeof(uint32_t));
		memset(t.before, 255, k * sizeof(uint32_t));
		gs_in_parts(x->m->history->n, pair, &t);
	}
	free(t.next);
	free(t.last);
	free(t.begin);
	free(t.before);
	free(t.step);
	return enough ? GS_OK : GS_NO_MEMORY;
}

/* --- sizes ---------------------------------------------------------------------------------------
 */

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static bool is_parameter_stack(const gs_meaning_internal *w, gs_id stack)
{
	const gs_stack_phase *p = &w->phases.stacks[stack];
	return stack && p->phase == GS_PHASE_SETUP && p->trait != GS_TRAIT_NONE &&
		p->trait != GS_TRAIT_SHARED && p->trait != GS_TRAIT_CHECKPOINT;
}

static bool has_parameter_stacks(const gs_meaning *m)
{
	for (gs_id k = 1; k < m->history->snapshot->nstacks; k++)
		if (is_parameter_stack(m->internal, k))
			return true;
	return false;
}

typedef struct size_list {
	const gs_meaning *m;
	uint64_t *sizes; /* NULL: they are counted */
	size_t n;
} size_list;

static void add_size(size_list *x, uint64_t size)
{
	if (x->sizes)
		x->sizes[x->n] = size;
	x->n++;
}

static gs_status list_born(void *arg, size_t i, size_t end)
{
	size_list *x = arg;
	for (; i < end; i++)
		if (gs_meaning_action(x->m, i) == GS_ACTION_ALLOC &&
			is_parameter_stack(x->m->internal, gs_meaning_stack(x->m, i)))
			add_size(x, x->m->history->device->trace.events[i].size);
	return GS_OK;
}

/* Of allocations by parameters' stacks; where the recording has none, of all that was there before
 * it. sizes NULL: how many. */
static size_t list_sizes(const gs_meaning *m, uint64_t *sizes, bool born_only)
{
	const gs_layout *initial = &m->history->initial;
	size_list x = {m, sizes, 0};
	if (!born_only && has_parameter_stacks(m))
		gs_in_parts(m->history->n, list_born, &x);
	for (size_t i = 0; i < initial->nblocks; i++) {
		const gs_block *b = &initial->blocks[i];
		if (b->state != GS_INACTIVE && b->requested > 0 &&
			(born_only || is_parameter_stack(m->internal, b->stack)))
			add_size(&x, (uint64_t)b->requested);
	}
	return x.n;
}

/* Ascending, each once; the array is cut to those. */
static gs_status learn_sizes(gs_meaning *m)
{
	gs_meaning_internal *w = m->internal;
	size_t n = list_sizes(m, NULL, false), kept = 0;
	bool born_only = !n;
	n = born_only ? list_sizes(m, NULL, true) : n;
	uint64_t *sizes = malloc((n + 1) * sizeof *sizes);
	if (!sizes)
		return GS_NO_MEMORY;
	list_sizes(m, sizes, born_only);
	if (n)
		qsort(sizes, n, sizeof *sizes, by_value);
	for (size_t i = 0; i < n; i++)
		if (!kept || sizes[kept - 1] != sizes[i])
			sizes[kept++] = sizes[i];
	uint64_t *cut = realloc(sizes, (kept + 1) * sizeof *sizes);
	w->parameter_sizes = cut ? cut : sizes;
	w->nparameter_sizes = kept;
	return GS_OK;
}

size_t gs_parameter_size_at(const gs_meaning_internal *w, uint64_t size)
{
	const uint64_t *at = w->nparameter_sizes
		? bsearch(&size, w->parameter_sizes, w->nparameter_sizes, sizeof size, by_value)
		: NULL;
	return at ? (size_t)(at - w->parameter_sizes) : SIZE_MAX;
}

static bool is_parameter_size(const gs_meaning_internal *w, uint64_t size)
{
	return gs_parameter_size_at(w, size) != SIZE_MAX;
}

typedef struct copies {
	const categorizer *x;
	uint32_t *all, *same, *first; /* by stack: how many, of parameters' sizes, the step */
} copies;

/* Copies of a model: most of what a stack of the user's makes in one step, or before the first, has
 * parameters' sizes, and stays. */
static gs_status count_copies(void *arg, size_t i, size_t end)
{
	const copies *c = arg;
	const categorizer *x = c->x;
	const gs_meaning *m = x->m;
	for (; i < end; i++) {
		if (gs_meaning_action(m, i) != GS_ACTION_ALLOC || x->life[i] & GS_LIFE_SHORT)
			continue;
		gs_id k = gs_meaning_stack(m, i);
		c->first[k] = c->all[k] ? c->first[k] : step_of(x, i);
		c->all[k]++;
		c->same[k] += c->first[k] == step_of(x, i) &&
			is_parameter_size(m->internal, m->history->device->trace.events[i].size);
	}
	return GS_OK;
}

static gs_status find_copies(categorizer *x)
{
	enum { LEAST_COPIES = 3 };
	const gs_meaning *m = x->m;
	size_t n = (size_t)m->history->snapshot->nstacks + 1;
	uint32_t *all = calloc(3 * n, sizeof *all), *same = all + n;
	copies c = {x, all, same, same + n};
	if (!all)
		return GS_NO_MEMORY;
	gs_in_parts(m->history->n, count_copies, &c);
	for (gs_id k = 1; k < n; k++)
		x->copies[k] = same[k] >= LEAST_COPIES && same[k] * 2 > all[k];
	free(all);
	return GS_OK;
}

/* 32 MiB is many a tensor's size too: a workspace is made in a pass and kept, and no parameter is
 * as large. */
static bool is_cublas(const categorizer *x, uint64_t size, uint8_t phase, uint16_t life)
{
	return size == CUBLAS_WORKSPACE ||
		(size == CUBLAS_WORKSPACE_HOPPER && phase == GS_PHASE_BACKWARD && life & GS_LIFE_KEPT &&
			!is_parameter_size(x->m->internal, size));
}

/* --- judging -------------------------------------------------------------------------------------
 */

static bool trait_fits(uint8_t rule, uint8_t trait)
{
	return rule == GS_TRAIT_ANY || rule == trait ||
		(rule == GS_TRAIT_AFTER && trait == GS_TRAIT_WITHIN);
}

static gs_categorization category_by_rules(const subject *a)
{
	for (unsigned i = 0; i < gs_own_rules_count; i++) {
		const gs_category_rule *r = &gs_own_rules[i];
		if ((r->phase == GS_PHASE_ANY || r->phase == a->phase) && trait_fits(r->trait, a->trait) &&
			(!r->life || r->life & a->life) && (r->size & a->size) == r->size)
			return (gs_categorization){r->category, (uint8_t)(i + 1)};
	}
	return (gs_categorization){GS_CATEGORY_UNKNOWN, 0};
}

/* A living allocation of a step that is not over lives as its twin of the step before did. */
static uint16_t life_by_twin(const categorizer *x, size_t i)
{
	uint16_t life = x->life[i];
	uint32_t twin = x->twin ? x->twin[i] : UINT32_MAX;
	const gs_event *events = x->m->history->device->trace.events;
	if (!(life & GS_LIFE_STEP) || twin == UINT32_MAX || events[twin].size != events[i].size)
		return life;
	uint16_t was = x->life[twin];
	if (was & GS_LIFE_BACKWARD)
		return life | GS_LIFE_BACKWARD;
	if (was & GS_LIFE_SHORT && life & GS_LIFE_PASS && !(was & GS_LIFE_LONG))
		return life | GS_LIFE_SHORT;
	return was & GS_LIFE_PAST ? (life & (uint16_t) ~(GS_LIFE_STEP | GS_LIFE_NEXT)) | GS_LIFE_PAST
							  : life;
}

static gs_categorization category_of_stack(
	const gs_meaning *m, gs_id stack, gs_categorization otherwise)
{
	unsigned rule = stack ? m->internal->phases.stacks[stack].rule : 0;
	return rule ? (gs_categorization){(uint8_t)gs_category_of_rule(m->rules, rule), (uint8_t)rule}
				: otherwise;
}

static gs_status categorize_events(void *arg, size_t i, size_t end)
{
	categorizer *x = arg;
	/* a request that failed would have been of the step and pass that it ended */
	const uint16_t life_of_refused = GS_LIFE_STEP | GS_LIFE_PASS | GS_LIFE_NEXT;
	gs_meaning *m = x->m;
	const gs_phases *p = &m->internal->phases;
	for (; i < end; i++) {
		m->events[i] = (gs_categorization){GS_CATEGORY_UNKNOWN, 0};
		bool refused = gs_meaning_action(m, i) == GS_ACTION_OOM;
		if (!refused && gs_meaning_action(m, i) != GS_ACTION_ALLOC)
			continue;
		gs_id stack = gs_meaning_stack(m, i);
		uint64_t size = m->history->device->trace.events[i].size;
		subject a = {.phase = gs_phase_of(p, stack),
			.trait = stack ? p->stacks[stack].trait : GS_TRAIT_NONE,
			.life = refused ? life_of_refused : life_by_twin(x, i)};
		if (a.phase == GS_PHASE_USER) /* a step may take several batches */
			a.trait = x->batches[stack] ? GS_TRAIT_BEFORE : x->trait[i];
		a.size = (is_parameter_size(m->internal, size) ? GS_SIZE_PARAMETER : 0) |
			(is_cublas(x, size, a.phase, a.life) ? GS_SIZE_CUBLAS : 0) |
			(x->copies[stack] ? GS_SIZE_COPIES : 0);
		m->events[i] = category_of_stack(m, stack, category_by_rules(&a));
		if (m->events[i].category == GS_CATEGORY_GRADIENT && a.phase == GS_PHASE_BACKWARD)
			m->internal->passes[gs_pass_at(m->internal, i)].gradients = true;
	}
	return GS_OK;
}

/* Of what was there before the first event only the stack and the size are known: a lifetime that
 * says nothing but that it outlived its pass. */
static void categorize_preexisting(categorizer *x)
{
	gs_meaning *m = x->m;
	const gs_phases *p = &m->internal->phases;
	const gs_layout *l = &m->history->initial;
	bool recorded = false;
	for (size_t i = 0; i < l->nblocks; i++)
		recorded |= l->blocks[i].state != GS_INACTIVE && l->blocks[i].stack &&
			is_parameter_stack(m->internal, l->blocks[i].stack);
	for (size_t i = 0; i < l->nblocks; i++) {
		const gs_block *b = &l->blocks[i];
		m->initial[i] = (gs_categorization){GS_CATEGORY_UNKNOWN, 0};
		if (b->state == GS_INACTIVE)
			continue;
		gs_id stack = b->stack < m->history->snapshot->nstacks ? b->stack : 0;
		uint64_t size = b->requested > 0 ? (uint64_t)b->requested : 0;
		subject a = {.phase = stack || recorded ? gs_phase_of(p, stack) : GS_PHASE_NONE,
			.trait = stack ? p->stacks[stack].trait : GS_TRAIT_NONE,
			.life = GS_LIFE_LONG | GS_LIFE_KEPT};
		if (a.phase == GS_PHASE_FORWARD && !m->history->n)
			a.life |= GS_LIFE_STEP;
		a.size = (is_parameter_size(m->internal, size) ? GS_SIZE_PARAMETER : 0) |
			(is_cublas(x, size, a.phase, a.life) ? GS_SIZE_CUBLAS : 0);
		m->initial[i] = category_of_stack(m, stack, category_by_rules(&a));
	}
}

gs_status gs_meaning_categorize(gs_meaning *m)
{
	size_t n = m->history->n + 1, k = (size_t)m->history->snapshot->nstacks + 1;
	categorizer x = {.m = m,
		.life = calloc(n, sizeof *x.life),
		.trait = calloc(n, 1),
		.copies = calloc(k, sizeof *x.copies),
		.batches = calloc(k, sizeof *x.batches)};
	m->events = malloc(n * sizeof *m->events);
	m->initial = malloc((m->history->initial.nblocks + 1) * sizeof *m->initial);
	gs_status status = x.life && x.trait && x.copies && x.batches && m->events && m->initial
		? count_steps(&x)
		: GS_NO_MEMORY;
	if (!status)
		status = learn_sizes(m);
	if (!status) {
		follow_lives(&x);
		status = find_twins(&x);
	}
	if (!status)
		status = find_copies(&x);
	if (!status) {
		gs_in_parts(m->history->n, categorize_events, &x);
		categorize_preexisting(&x);
	}
	free(x.life);
	free(x.step);
	free(x.trait);
	free(x.twin);
	free(x.copies);
	free(x.batches);
	return status;
}
