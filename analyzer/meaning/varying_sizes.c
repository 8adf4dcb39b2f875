/* Stacks that ask for many sizes. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/varying_sizes.h"
#include "analyzer/model/frames.h"

/* Pairs of stack and size seen, open addressing; stack 0 marks a free slot. */
typedef struct pair {
	uint64_t size;
	gs_id stack;
} pair;
typedef struct pairs {
	pair *slots;
	size_t n, nslots;
} pairs;

static size_t slot_of(const pairs *p, gs_id stack, uint64_t size)
{
	uint64_t hash = (size ^ (uint64_t)stack << 40) * UINT64_C(0x9e3779b97f4a7c15);
	size_t at = (size_t)(hash >> 24) & (p->nslots - 1);
	while (p->slots[at].stack && (p->slots[at].stack != stack || p->slots[at].size != size))
		at = (at + 1) & (p->nslots - 1);
	return at;
}

static gs_status grow(pairs *p)
{
	pairs larger = {NULL, 0, p->nslots ? p->nslots * 2 : 4096};
	larger.slots = calloc(larger.nslots, sizeof *larger.slots);
	if (!larger.slots)
		return GS_NO_MEMORY;
	for (size_t i = 0; i < p->nslots; i++)
		if (p->slots[i].stack)
			larger.slots[slot_of(&larger, p->slots[i].stack, p->slots[i].size)] = p->slots[i];
	larger.n = p->n;
	free(p->slots);
	*p = larger;
	return GS_OK;
}

/* 1 when new, 0 when known, -1 when memory is short. */
static int add_pair(pairs *p, gs_id stack, uint64_t size)
{
	if (p->n >= p->nslots / 2 && grow(p))
		return -1;
	pair *slot = &p->slots[slot_of(p, stack, size)];
	if (slot->stack)
		return 0;
	*slot = (pair){size, stack};
	p->n++;
	return 1;
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
	pairs seen = {NULL, 0, 0};
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
	free(seen.slots);
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
