/* Growth: what outlives steps while the total rises. */
#include "analyzer/meaning/growth.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/laps.h"
#include "analyzer/meaning/meaning_internal.h"

enum { LEAST_STEPS = 3, THIRDS = 3, QUARTERS = 4, MOST_WINDOWS = 8, LEAST_SHARE = 100 };

/* A stack over windows of the trace (its steps, or its thirds): live bytes and blocks towards the
 * end of each, where they are least (what a request has at hand when the window ends is no growth),
 * and which windows what lives at the end was born in. */
typedef struct course {
	uint64_t ends[MOST_WINDOWS], total_blocks;
	uint64_t counts[MOST_WINDOWS], live; /* blocks, as ends and bytes */
	uint64_t late, last_bytes; /* bytes when a quarter of the recording was left, and at its end */
	uint64_t born_in;          /* bit by window */
	uint64_t bytes,
		unknown; /* of what lives: all, and that of which nothing tells what it is for */
	int64_t first, last;
	size_t steps, first_step, last_step; /* in which what lives was born: how many, from, to */
} course;

typedef struct growth {
	const gs_meaning *m;
	size_t until;              /* events looked at */
	size_t n;                  /* windows */
	size_t ends[MOST_WINDOWS]; /* last event of each */
	uint64_t totals[MOST_WINDOWS];
	size_t last_allocation;                              /* its event */
	uint64_t at_last_window, at_last_allocation, at_end; /* bytes allocated */
	uint32_t *of_stack;                                  /* number + 1 */
	course *all;
	size_t ncourses;
	bool estimated;
	bool given_back; /* what is looked at ends before the program gave it all back */
	bool doubtful;   /* no steps, or those of a loop that nothing shows to be the program's */
	gs_laps laps;    /* doubtful */
} growth;

static bool is_done(const growth *x, size_t step)
{
	const gs_phase_step *s = &x->m->steps[step];
	return s->whole && (size_t)s->last_idx < x->until;
}

/* Whole steps that end by then; where there are many they are taken together, for not every step of
 * a leak leaks. */
static void take_steps(growth *x)
{
	const gs_meaning *m = x->m;
	size_t found = 0, seen = 0;
	for (size_t k = 0; k < m->nsteps; k++)
		found += is_done(x, k);
	size_t windows = found < MOST_WINDOWS ? found : MOST_WINDOWS;
	for (size_t k = 0; k < m->nsteps; k++)
		if (is_done(x, k) && ++seen * windows / found > x->n)
			x->ends[x->n++] = (size_t)m->steps[k].last_idx;
}

static void take_thirds(growth *x)
{
	x->estimated = x->doubtful = true;
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

/* Where the last quarter of the recording begins. */
static size_t late(const growth *x) { return x->until - x->until / QUARTERS; }

/* From there on a window is looked at. */
static size_t middle(const growth *x, size_t w)
{
	size_t begin = w ? x->ends[w - 1] + 1 : 0;
	return begin + (x->ends[w] - begin) / 2;
}

static void look_at(course *c, size_t w, bool begins)
{
	c->ends[w] = begins || c->bytes < c->ends[w] ? c->bytes : c->ends[w];
	c->counts[w] = begins || c->live < c->counts[w] ? c->live : c->counts[w];
}

/* Live bytes and blocks window by window. */
static void follow(growth *x)
{
	const gs_meaning *m = x->m;
	const gs_history *h = m->history;
	for (size_t i = 0, w = 0; i < x->until && w < x->n; i++) {
		gs_action action = gs_meaning_action(m, i);
		int32_t birth = h->births[i];
		course *c = birth >= 0 ? course_of(x, (size_t)birth) : NULL;
		if (c && action == GS_ACTION_ALLOC) {
			c->bytes += gs_history_size(h, i);
			c->live++;
		} else if (c && action == GS_ACTION_FREE_COMPLETED) {
			c->bytes -= gs_history_size(h, i) < c->bytes ? gs_history_size(h, i) : c->bytes;
			c->live -= c->live > 0;
		}
		for (size_t k = 0; k < x->ncourses && i == late(x); k++)
			x->all[k].late = x->all[k].bytes;
		for (size_t k = 0; k < x->ncourses && i == middle(x, w); k++)
			look_at(&x->all[k], w, true);
		if (c)
			look_at(c, w, false);
		w += i == x->ends[w];
	}
	for (size_t k = 0; k < x->ncourses; k++)
		x->all[k].last_bytes = x->all[k].bytes;
}

/* A user's category says who holds it, not whether it grows; and what is gone by the end, though
 * not before it, passes for a temporary. */
static bool is_unknown(const growth *x, size_t i)
{
	unsigned category = x->m->events[i].category;
	return category == GS_CATEGORY_UNKNOWN || category >= GS_CATEGORIES ||
		(x->given_back && category == GS_CATEGORY_TEMPORARY);
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
	for (size_t i = 0, w = 0, step = 0; i < x->until; i++) {
		while (w < x->n && i > x->ends[w])
			w++;
		while (step < m->nsteps && (int64_t)i > m->steps[step].last_idx)
			step++;
		course *c = gs_meaning_action(m, i) == GS_ACTION_ALLOC && !gone[i] ? course_of(x, i) : NULL;
		if (!c)
			continue;
		c->bytes += gs_history_size(h, i);
		c->unknown += is_unknown(x, i) ? gs_history_size(h, i) : 0;
		c->total_blocks++;
		c->first = c->first < 0 ? (int64_t)i : c->first;
		c->last = (int64_t)i;
		c->born_in |= w < x->n ? UINT64_C(1) << w : 0;
		c->first_step = c->steps ? c->first_step : step;
		c->steps += !c->steps || c->last_step != step;
		c->last_step = step;
	}
	free(gone);
	return GS_OK;
}

/* Does it rise to the end, and in how many windows. */
static size_t rises(const uint64_t *ends, size_t n)
{
	enum { A_DIP = 16 }; /* beside the whole rise; requests differ in what they have at hand */
	uint64_t dip = n && ends[n - 1] > ends[0] ? (ends[n - 1] - ends[0]) / A_DIP : 0;
	size_t count = 0;
	for (size_t w = 1; w < n; w++) {
		if (ends[w] + dip < ends[w - 1])
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

/* Whether it goes on in the last quarter as it did before, or not much slower: what a bound has
 * stopped, though new blocks take the place of old ones, does not. Of few steps nothing tells. */
static bool goes_on(const growth *x, const course *c)
{
	enum { SLOWER = 4 };
	uint64_t last = x->estimated ? c->last_bytes : c->ends[x->n - 1];
	uint64_t late = x->estimated ? c->late : x->n == MOST_WINDOWS ? c->ends[x->n - 3] : 0;
	uint64_t usual = last > c->ends[0] ? (last - c->ends[0]) / (x->n - 1) * x->n / QUARTERS : 0;
	return last >= late + usual / SLOWER;
}

/* In steps: it rises in each of the last windows, half of all at least, and so does the total; what
 * lives was born in as many, or is more and more blocks (of which some replace older ones).
 * Estimated: it rises in every third, and at the end. */
static bool grows(const growth *x, const course *c)
{
	size_t least = least_rises(x), born = (size_t)__builtin_popcountll(c->born_in);
	if (rises(c->ends, x->n) < least || !goes_on(x, c))
		return false;
	return born >= (least + 1 < x->n ? least + 1 : x->n) || rises(c->counts, x->n) >= least;
}

/* Steps that the program names or that an update ends are laps, and what outlives them grew. Of a
 * loop of whatever lines it is to be shown that it is one; and what one pass makes for itself is no
 * growth, however long the pass. */
static bool may_leak(const growth *x, const gs_growth *row, uint64_t leaks)
{
	const course *c = &x->all[x->of_stack[row->stack] - 1];
	if (!x->doubtful)
		return true;
	return c->unknown > c->bytes / 2 && gs_laps_leak(&x->laps, row->stack, leaks, !x->estimated);
}

static int by_bytes(const void *a, const void *b)
{
	const gs_growth *x = a, *y = b;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return (x->first_idx > y->first_idx) - (x->first_idx < y->first_idx);
}

/* Windows are of several steps, and not of equally many: what survived tells it better. */
static uint64_t each_step(const growth *x, const course *c)
{
	if (x->estimated)
		return c->ends[x->n - 1] - c->ends[x->n - 2];
	return c->bytes / (c->last_step - c->first_step + 1);
}

static void list_growing(const growth *x, gs_growth *rows, size_t *n)
{
	for (gs_id stack = 1; stack < x->m->history->snapshot->nstacks; stack++) {
		const course *c = x->of_stack[stack] ? &x->all[x->of_stack[stack] - 1] : NULL;
		if (!c || !grows(x, c))
			continue;
		rows[(*n)++] = (gs_growth){.stack = stack,
			.blocks = c->total_blocks,
			.bytes = c->bytes,
			.first_idx = c->first,
			.last_idx = c->last,
			.each_step = each_step(x, c),
			.steps = c->steps,
			.of_steps = c->last_step - c->first_step + 1,
			.estimated = x->estimated};
	}
	if (*n)
		qsort(rows, *n, sizeof *rows, by_bytes);
}

static void keep_leaks(const growth *x, gs_growth *rows, size_t *n)
{
	uint64_t sum = 0;
	size_t kept = 0;
	for (size_t i = 0; i < *n; i++)
		if (may_leak(x, &rows[i], sum)) {
			sum += rows[i].bytes;
			rows[kept++] = rows[i];
		}
	while (kept && rows[kept - 1].bytes < sum / LEAST_SHARE)
		kept--;
	*n = kept;
}

static void take_totals(growth *x)
{
	gs_running_totals g;
	gs_running_totals_start(x->m->history, &g);
	for (size_t i = 0, w = 0; i < x->until; i++) {
		gs_running_totals_step(x->m->history, i, &g);
		if (gs_meaning_action(x->m, i) == GS_ACTION_ALLOC) {
			x->last_allocation = i;
			x->at_last_allocation = g.allocated;
		}
		if (w == x->n)
			continue;
		if (i == middle(x, w) || g.allocated < x->totals[w])
			x->totals[w] = g.allocated;
		if (i == x->ends[w] && ++w == x->n)
			x->at_last_window = g.allocated;
	}
	x->at_end = g.allocated;
}

static gs_status search(growth *x, gs_growth **rows, size_t *n)
{
	take_steps(x);
	x->doubtful = x->m->internal->looped;
	if (!x->m->nsteps)
		take_thirds(x);
	if (x->n < LEAST_STEPS)
		return GS_OK;
	take_totals(x);
	if (rises(x->totals, x->n) < least_rises(x))
		return GS_OK;
	gs_status status = find_stacks(x);
	if (status || !x->ncourses)
		return status;
	if ((status = look_at_survivors(x)))
		return status;
	*rows = malloc(x->ncourses * sizeof **rows);
	if (!*rows)
		return GS_NO_MEMORY;
	list_growing(x, *rows, n);
	if (*n && x->doubtful)
		status = gs_laps_init(&x->laps, x->m, x->until);
	if (status)
		*n = 0;
	keep_leaks(x, *rows, n);
	return status;
}

/* A program that ends gives back what had grown. Where less than half is left of what lived when
 * the last step ended, or after the last allocation, the search is to end there. */
static bool leave_out_the_end(growth *x)
{
	size_t all = x->until;
	if (x->m->nsteps && x->at_end < x->at_last_window / 2)
		x->until = x->ends[x->n - 1] + 1;
	else if (x->at_end < x->at_last_allocation / 2)
		x->until = x->last_allocation + 1;
	return x->until < all;
}

static void release(growth *x)
{
	gs_laps_release(&x->laps);
	free(x->of_stack);
	free(x->all);
}

static gs_status search_again(growth *x, gs_growth **rows, size_t *n)
{
	free(*rows);
	*rows = NULL;
	release(x);
	*x = (growth){.m = x->m, .until = x->until, .given_back = true};
	gs_status status = search(x, rows, n);
	for (size_t i = 0; i < *n; i++)
		(*rows)[i].given_back = true;
	return status;
}

gs_status gs_meaning_growth(const gs_meaning *m, int64_t until, gs_growth **rows, size_t *n)
{
	size_t all = m->history->n;
	growth x = {.m = m, .until = until >= 0 && (size_t)until < all ? (size_t)until + 1 : all};
	*rows = NULL;
	*n = 0;
	gs_status status = search(&x, rows, n);
	if (!status && !*n && leave_out_the_end(&x))
		status = search_again(&x, rows, n);
	release(&x);
	return status;
}
