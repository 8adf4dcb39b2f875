/* Growth: what outlives steps while the total rises. */
#include "analyzer/meaning/growth.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/meaning_internal.h"
#include "analyzer/model/frames.h"

enum { LEAST_STEPS = 3, THIRDS = 3, MOST_WINDOWS = 64, LEAST_SHARE = 100 };

/* A stack over windows of the trace (the last steps, or its thirds): live bytes at the end of each,
 * and which windows what lives at the end was born in. */
typedef struct course {
	uint64_t ends[MOST_WINDOWS], total_blocks;
	uint64_t births, frees;
	uint64_t born_in;      /* bit by window */
	uint32_t born[THIRDS]; /* estimated: allocations of each third that live at the end */
	uint64_t bytes;
	int64_t first, last;
} course;

typedef enum pace { PACE_PILES, PACE_BUILDS, PACE_RUNS } pace;

typedef struct growth {
	const gs_meaning *m;
	size_t until;              /* events looked at */
	size_t n;                  /* windows */
	size_t ends[MOST_WINDOWS]; /* last event of each */
	uint64_t totals[MOST_WINDOWS];
	uint32_t *of_stack; /* number + 1 */
	course *all;
	size_t ncourses;
	bool estimated;
	pace pace; /* estimated: how much it frees meanwhile */
} growth;

/* The last whole steps that end by then. */
static void take_steps(growth *x)
{
	const gs_meaning *m = x->m;
	size_t from = 0, found = 0;
	for (size_t k = 0; k < m->nsteps; k++)
		found += m->steps[k].whole && (size_t)m->steps[k].last_idx < x->until;
	from = found > MOST_WINDOWS ? found - MOST_WINDOWS : 0;
	for (size_t k = 0, i = 0; k < m->nsteps; k++)
		if (m->steps[k].whole && (size_t)m->steps[k].last_idx < x->until && i++ >= from)
			x->ends[x->n++] = (size_t)m->steps[k].last_idx;
}

static void take_thirds(growth *x)
{
	x->estimated = true;
	for (size_t k = 1; k <= THIRDS && x->until >= THIRDS; k++)
		x->ends[x->n++] = x->until * k / THIRDS - 1;
}

/* Stacks that have a block alive at the end which was allocated in the trace. */
static gs_status find_stacks(growth *x)
{
	const gs_meaning *m = x->m;
	size_t n = (size_t)m->history->snapshot->nstacks + 1;
	int32_t *live = calloc(n, sizeof *live);
	x->of_stack = calloc(n, sizeof *x->of_stack);
	if (!live || !x->of_stack) {
		free(live);
		return GS_NO_MEMORY;
	}
	for (size_t i = 0; i < x->until; i++) {
		int32_t birth = m->history->births[i];
		if (gs_meaning_action(m, i) == GS_ACTION_ALLOC)
			live[gs_meaning_stack(m, i)]++;
		else if (gs_meaning_action(m, i) == GS_ACTION_FREE_COMPLETED && birth >= 0)
			live[gs_meaning_stack(m, (size_t)birth)]--;
	}
	for (gs_id k = 1; k < n; k++)
		x->of_stack[k] = live[k] >= LEAST_STEPS ? (uint32_t)++x->ncourses : 0;
	free(live);
	x->all = calloc(x->ncourses + 1, sizeof *x->all);
	return x->all ? GS_OK : GS_NO_MEMORY;
}

static course *course_of(const growth *x, size_t birth)
{
	uint32_t k = x->of_stack[gs_meaning_stack(x->m, birth)];
	return k ? &x->all[k - 1] : NULL;
}

/* Live bytes window by window. */
static void follow(growth *x)
{
	const gs_meaning *m = x->m;
	const gs_history *h = m->history;
	for (size_t i = 0, w = 0; i < x->until && w < x->n; i++) {
		gs_action action = gs_meaning_action(m, i);
		int32_t birth = h->births[i];
		course *c = birth >= 0 ? course_of(x, (size_t)birth) : NULL;
		if (c && action == GS_ACTION_ALLOC) {
			c->bytes += h->sizes[i];
			c->births++;
		} else if (c && action == GS_ACTION_FREE_COMPLETED) {
			c->bytes -= h->sizes[i] < c->bytes ? h->sizes[i] : c->bytes;
			c->frees++;
		}
		if (i != x->ends[w])
			continue;
		for (size_t k = 0; k < x->ncourses; k++)
			x->all[k].ends[w] = x->all[k].bytes;
		w++;
	}
}

/* Of what lives at the end: how much, and born in which windows. */
static gs_status look_at_survivors(growth *x)
{
	const gs_meaning *m = x->m;
	const gs_history *h = m->history;
	bool *gone = calloc(h->n + 1, sizeof *gone);
	if (!gone)
		return GS_NO_MEMORY;
	for (size_t i = 0; i < x->until; i++)
		if (gs_meaning_action(m, i) == GS_ACTION_FREE_COMPLETED && h->births[i] >= 0)
			gone[h->births[i]] = true;
	for (size_t k = 0; k < x->ncourses; k++)
		x->all[k] = (course){.first = -1};
	follow(x);
	for (size_t k = 0; k < x->ncourses; k++)
		x->all[k].bytes = 0;
	for (size_t i = 0, w = 0; i < x->until; i++) {
		while (w < x->n && i > x->ends[w])
			w++;
		course *c = gs_meaning_action(m, i) == GS_ACTION_ALLOC && !gone[i] ? course_of(x, i) : NULL;
		if (!c)
			continue;
		c->bytes += h->sizes[i];
		c->total_blocks++;
		c->first = c->first < 0 ? (int64_t)i : c->first;
		c->last = (int64_t)i;
		c->born_in |= w < x->n ? UINT64_C(1) << w : 0;
		if (w < THIRDS)
			c->born[w]++;
	}
	free(gone);
	return GS_OK;
}

/* Does it rise to the end, and in how many windows. */
static size_t rises(const uint64_t *ends, size_t n)
{
	size_t count = 0;
	for (size_t w = 1; w < n; w++) {
		if (ends[w] < ends[w - 1])
			count = 0; /* what was gained was lost again */
		else
			count += ends[w] > ends[w - 1];
	}
	return n && ends[n - 1] > ends[n > 1 ? n - 2 : 0] ? count : 0;
}

/* The windows in which it must rise. */
static size_t least_rises(const growth *x)
{
	return x->n / 2 > LEAST_STEPS - 1 ? x->n / 2 : LEAST_STEPS - 1;
}

/* In steps: it rises with each of the last steps, half of all at least, and so does the total; what
 * lives was born in as many steps. Estimated: it rises in every third, in which the program frees
 * as it goes. */
static bool grows(const growth *x, const course *c, size_t *steps)
{
	size_t least = least_rises(x);
	*steps = rises(c->ends, x->n);
	if (*steps < least)
		return false;
	return (size_t)__builtin_popcountll(c->born_in) >= (least + 1 < x->n ? least + 1 : x->n);
}

/* What the thirds of a trace show of the program: it frees half of what it allocates in each; it
 * frees something in each; or there is one without. */
static pace pace_of(const growth *x)
{
	const gs_meaning *m = x->m;
	size_t allocs = 0, frees = 0;
	pace found = PACE_RUNS;
	for (size_t i = 0, w = 0; i < x->until; i++) {
		gs_action action = gs_meaning_action(m, i);
		allocs += action == GS_ACTION_ALLOC;
		frees += action == GS_ACTION_FREE_COMPLETED;
		if (i != x->ends[w])
			continue;
		if (!frees)
			return PACE_PILES;
		if (frees * 2 < allocs || !allocs)
			found = PACE_BUILDS;
		allocs = frees = 0;
		w++;
	}
	return found;
}

/* One expression that builds one structure. */
static bool is_comprehension(const gs_snapshot *s, gs_id stack)
{
	static const char *const names[] = {"<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"};
	gs_stack range = s->stacks[stack];
	for (uint32_t i = 0; i < range.n; i++) {
		const gs_frame *f = &s->frames[s->stack_frames[range.first + i]];
		for (size_t k = 0; k < sizeof names / sizeof *names; k++)
			if (!strcmp(gs_string_text(s, f->name), names[k]))
				return true;
	}
	return false;
}

/* Behind what the program set up it allocates by this stack alone, again and again: a pass would
 * go on to other lines. */
static bool stands_alone(const growth *x, gs_id stack, const course *c)
{
	const gs_meaning *m = x->m;
	bool set_up = false;
	for (size_t i = 0; i < (size_t)c->first && !set_up; i++)
		set_up = gs_meaning_action(m, i) == GS_ACTION_ALLOC;
	for (size_t i = (size_t)c->first; i < x->until && set_up; i++)
		if (gs_meaning_action(m, i) == GS_ACTION_ALLOC && gs_meaning_stack(m, i) != stack)
			return false;
	return set_up && !is_comprehension(m->history->snapshot, stack);
}

/* What one pass makes for itself is no growth, however long the pass, nor is what a program builds
 * up that frees nothing meanwhile: then the total tells no more than that it built. Of a program
 * that frees little a line of the user's is named that keeps all that it allocates, in each third
 * several. */
static bool may_leak(const growth *x, gs_id stack, const course *c)
{
	const gs_snapshot *s = x->m->history->snapshot;
	unsigned category = x->m->events[c->last].category;
	if (!x->estimated)
		return true;
	if (category != GS_CATEGORY_UNKNOWN && category < GS_CATEGORIES)
		return false;
	if (x->pace == PACE_RUNS)
		return true;
	return !c->frees && c->born[0] >= LEAST_STEPS && c->born[1] >= LEAST_STEPS &&
		c->born[2] >= LEAST_STEPS && gs_frame_is_user(s, gs_stack_user_frame(s, stack)) &&
		(x->pace == PACE_BUILDS || stands_alone(x, stack, c));
}

static int by_bytes(const void *a, const void *b)
{
	const gs_growth *x = a, *y = b;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return (x->first_idx > y->first_idx) - (x->first_idx < y->first_idx);
}

static void collect(const growth *x, gs_growth *rows, size_t *n)
{
	uint64_t sum = 0;
	for (gs_id stack = 1; stack < x->m->history->snapshot->nstacks; stack++) {
		const course *c = x->of_stack[stack] ? &x->all[x->of_stack[stack] - 1] : NULL;
		size_t steps;
		if (!c || !grows(x, c, &steps) || !may_leak(x, stack, c))
			continue;
		rows[(*n)++] = (gs_growth){.stack = stack,
			.blocks = c->total_blocks,
			.bytes = c->bytes,
			.first_idx = c->first,
			.last_idx = c->last,
			.each_step = c->ends[x->n - 1] - c->ends[x->n - 2],
			.steps = steps + 1,
			.estimated = x->estimated};
		sum += c->bytes;
	}
	if (*n)
		qsort(rows, *n, sizeof *rows, by_bytes);
	while (*n && rows[*n - 1].bytes < sum / LEAST_SHARE)
		--*n;
}

static void take_totals(growth *x)
{
	gs_running_totals g;
	gs_running_totals_start(x->m->history, &g);
	for (size_t i = 0, w = 0; i < x->until && w < x->n; i++) {
		gs_running_totals_step(x->m->history, i, &g);
		if (i == x->ends[w])
			x->totals[w++] = g.allocated;
	}
}

static gs_status search(growth *x, gs_growth **rows, size_t *n)
{
	take_steps(x);
	if (!x->m->nsteps)
		take_thirds(x);
	if (x->n < LEAST_STEPS)
		return GS_OK;
	take_totals(x);
	if (rises(x->totals, x->n) < least_rises(x))
		return GS_OK;
	if (x->estimated)
		x->pace = pace_of(x);
	gs_status status = find_stacks(x);
	if (status || !x->ncourses)
		return status;
	if ((status = look_at_survivors(x)))
		return status;
	*rows = malloc(x->ncourses * sizeof **rows);
	if (!*rows)
		return GS_NO_MEMORY;
	collect(x, *rows, n);
	return GS_OK;
}

gs_status gs_meaning_growth(const gs_meaning *m, int64_t until, gs_growth **rows, size_t *n)
{
	size_t all = m->history->n;
	growth x = {.m = m, .until = until >= 0 && (size_t)until < all ? (size_t)until + 1 : all};
	*rows = NULL;
	*n = 0;
	gs_status status = search(&x, rows, n);
	free(x.of_stack);
	free(x.all);
	return status;
}
