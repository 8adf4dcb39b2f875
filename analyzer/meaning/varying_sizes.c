/* Stacks that ask for many sizes. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/varying_sizes.h"
#include "analyzer/model/frames.h"
#include "analyzer/model/hash_map.h"

/* Pairs of stack and size seen. Sizes are numbered, so that a pair fits a key. */
typedef struct pairs {
	gs_hash_map sizes, seen;
} pairs;

/* 1 when new, 0 when known, -1 when memory is short. */
static int add_pair(pairs *p, gs_id stack, uint64_t size)
{
	bool is_new;
	uint32_t *number = gs_hash_map_at(&p->sizes, size, &is_new);
	if (!number)
		return -1;
	if (is_new)
		*number = (uint32_t)p->sizes.n;
	return gs_hash_map_at(&p->seen, (uint64_t)stack << 32 | *number, &is_new) ? is_new : -1;
}

static int by_sizes(const void *a, const void *b, void *snapshot)
{
	const gs_varying *x = a, *y = b;
	if (x->sizes != y->sizes)
		return x->sizes > y->sizes ? -1 : 1;
	if (x->requests != y->requests)
		return x->requests > y->requests ? -1 : 1;
	return gs_stack_order(snapshot, x->stack, y->stack);
}

static gs_status count(const gs_snapshot *s, const gs_device *d, gs_varying *by_stack)
{
	pairs seen = {0};
	gs_status status = GS_OK;
	for (size_t i = 0; !status && i < d->trace.n; i++) {
		const gs_event *e = &d->trace.events[i];
		if (gs_event_action(e) != GS_ACTION_ALLOC || !e->stack || e->stack >= s->nstacks)
			continue;
		gs_varying *v = &by_stack[e->stack];
		int is_new = add_pair(&seen, e->stack, e->size);
		if (is_new < 0)
			status = GS_NO_MEMORY;
		v->sizes += is_new > 0;
		v->min = !v->requests || e->size < v->min ? e->size : v->min;
		v->max = e->size > v->max ? e->size : v->max;
		v->requests++;
	}
	gs_hash_map_release(&seen.sizes);
	gs_hash_map_release(&seen.seen);
	return status;
}

gs_status gs_blame_varying(const gs_snapshot *s, const gs_device *d, gs_varying **rows, size_t *n)
{
	gs_varying *all = calloc((size_t)s->nstacks + 1, sizeof *all);
	*rows = all;
	*n = 0;
	if (!all || count(s, d, all))
		return GS_NO_MEMORY;
	for (gs_id stack = 1; stack < s->nstacks; stack++) {
		all[stack].stack = stack;
		if (all[stack].sizes > 1)
			all[(*n)++] = all[stack];
	}
	if (*n)
		qsort_r(all, *n, sizeof *all, by_sizes, (void *)s);
	return GS_OK;
}
