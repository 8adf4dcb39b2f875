/* Stacks whose live bytes only grow. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/growth.h"

enum { WINDOWS = 16, LEAST_ALLOCATIONS = 3, LEAST_RISES = 3 };

typedef struct course {
	uint64_t allocations, blocks, bytes;
	int64_t first, last;
	int32_t window;          /* the last one that floors is filled for, -1 none */
	uint64_t floor[WINDOWS]; /* least live bytes */
	/* sums for the line through (event, live bytes) at its own events */
	double n, x, y, xx, xy;
} course;

typedef struct courses {
	uint32_t *of_stack; /* number + 1 */
	course *all;
	size_t n, until;
} courses;

static gs_id stack_of(const gs_history *h, size_t i)
{
	return h->births[i] >= 0 ? h->device->trace.events[h->births[i]].stack : 0;
}

/* Only stacks that allocate often enough get a course. */
static gs_status find_stacks(const gs_history *h, courses *c)
{
	uint32_t n = h->snapshot->nstacks ? h->snapshot->nstacks : 1, found = 0;
	c->of_stack = calloc(n, sizeof *c->of_stack);
	if (!c->of_stack)
		return GS_NO_MEMORY;
	for (size_t i = 0; i < c->until; i++)
		if (h->births[i] == (int32_t)i && stack_of(h, i) < n)
			c->of_stack[stack_of(h, i)]++;
	for (uint32_t k = 0; k < n; k++)
		c->of_stack[k] = k && c->of_stack[k] >= LEAST_ALLOCATIONS ? ++found : 0;
	c->all = calloc(found + 1, sizeof *c->all);
	if (!c->all)
		return GS_NO_MEMORY;
	c->n = found;
	for (size_t k = 0; k < c->n; k++)
		c->all[k].window = c->all[k].first = -1;
	return GS_OK;
}

static void advance(course *k, int32_t window)
{
	for (int32_t w = k->window + 1; w <= window; w++)
		k->floor[w] = k->bytes;
	k->window = window;
}

static void change(courses *c, const gs_history *h, size_t i, course *k)
{
	int32_t window = (int32_t)(i * WINDOWS / c->until);
	gs_action action = gs_event_action(&h->device->trace.events[i]);
	advance(k, window);
	if (action == GS_ACTION_ALLOC) {
		k->allocations++;
		k->blocks++;
		k->bytes += h->sizes[i];
		k->first = k->first < 0 ? (int64_t)i : k->first;
		k->last = (int64_t)i;
	} else {
		k->blocks -= k->blocks != 0;
		k->bytes -= h->sizes[i] < k->bytes ? h->sizes[i] : k->bytes;
	}
	if (k->bytes < k->floor[window])
		k->floor[window] = k->bytes;
	double x = (double)i, y = (double)k->bytes;
	k->n += 1;
	k->x += x;
	k->y += y;
	k->xx += x * x;
	k->xy += x * y;
}

static bool is_free(const gs_history *h, size_t i)
{
	gs_action action = gs_event_action(&h->device->trace.events[i]);
	return action == GS_ACTION_FREE_REQUESTED;
}

static void follow(const gs_history *h, courses *c)
{
	uint32_t n = h->snapshot->nstacks ? h->snapshot->nstacks : 1;
	for (size_t i = 0; i < c->until; i++) {
		if (h->births[i] < 0 || (h->births[i] != (int32_t)i && !is_free(h, i)))
			continue;
		gs_id stack = stack_of(h, i);
		uint32_t k = stack < n ? c->of_stack[stack] : 0;
		if (k)
			change(c, h, i, &c->all[k - 1]);
	}
	for (size_t k = 0; k < c->n; k++)
		advance(&c->all[k], WINDOWS - 1);
}

/* Never falls, rises often and late. A window's floor is compared with the live bytes at its end
 * through the next one's. */
static bool grows(const course *k, size_t until, gs_growth *row)
{
	int rises = 0, first = (int)((size_t)k->first * WINDOWS / until);
	bool late = false;
	for (int w = first + 1; w <= WINDOWS; w++) {
		uint64_t before = k->floor[w - 1], now = w < WINDOWS ? k->floor[w] : k->bytes;
		if (now < before)
			return false;
		rises += now > before;
		late |= now > before && w >= WINDOWS - WINDOWS / 4;
	}
	double spread = k->n * k->xx - k->x * k->x;
	row->slope = spread > 0 ? (k->n * k->xy - k->x * k->y) / spread : 0;
	row->confidence = (double)rises / (WINDOWS - first);
	return late && rises >= LEAST_RISES;
}

static int by_bytes(const void *a, const void *b)
{
	const gs_growth *x = a, *y = b;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return (x->stack > y->stack) - (x->stack < y->stack);
}

static void collect(const gs_history *h, const courses *c, gs_growth *rows, size_t *n)
{
	for (gs_id stack = 1; stack < h->snapshot->nstacks; stack++) {
		const course *k = c->of_stack[stack] ? &c->all[c->of_stack[stack] - 1] : NULL;
		gs_growth row = {.stack = stack};
		if (!k || !grows(k, c->until, &row))
			continue;
		row.blocks = k->blocks;
		row.bytes = k->bytes;
		row.first_idx = k->first;
		row.last_idx = k->last;
		rows[(*n)++] = row;
	}
	if (*n)
		qsort(rows, *n, sizeof *rows, by_bytes);
}

gs_status gs_blame_growth(const gs_history *h, int64_t until, gs_growth **rows, size_t *n)
{
	courses c = {NULL, NULL, 0, until >= 0 && (size_t)until < h->n ? (size_t)until + 1 : h->n};
	gs_status status = find_stacks(h, &c);
	*n = 0;
	*rows = status ? NULL : malloc((c.n + 1) * sizeof **rows);
	if (!status && !*rows)
		status = GS_NO_MEMORY;
	if (!status && c.until) {
		follow(h, &c);
		collect(h, &c, *rows, n);
	}
	free(c.of_stack);
	free(c.all);
	return status;
}
