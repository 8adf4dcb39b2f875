/* Which stacks keep partly free segments from being whole. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/diagnose/attribution.h"
#include "analyzer/model/frames.h"
#include "analyzer/state/free_memory.h"

/* A stack's part of one segment. */
typedef struct share {
	gs_id stack;
	uint32_t segment;
	uint64_t blocks, bytes;
} share;

static int by_stack(const void *a, const void *b)
{
	const share *x = a, *y = b;
	if (x->stack != y->stack)
		return x->stack < y->stack ? -1 : 1;
	return (x->segment > y->segment) - (x->segment < y->segment);
}

static int by_pinned(const void *a, const void *b, void *snapshot)
{
	const gs_pinning *x = a, *y = b;
	if (x->free_pinned != y->free_pinned)
		return x->free_pinned > y->free_pinned ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return gs_stack_order(snapshot, x->stack, y->stack);
}

typedef struct fill {
	uint64_t pinned, live; /* pinned: free, but not for the driver to have back */
} fill;

static void measure(const gs_snapshot *s, const gs_layout *l, fill *fills)
{
	gs_free_rules rules = gs_free_rules_of(s);
	for (size_t i = 0; i < l->nsegments; i++) {
		const gs_segment *g = &l->segments[i];
		fills[i] = (fill){0, 0};
		for (size_t k = g->first_block; k < g->first_block + g->nblocks; k++)
			*(l->blocks[k].state == GS_INACTIVE ? &fills[i].pinned
												: &fills[i].live) += l->blocks[k].size;
		uint64_t whole = gs_free_parts_of(&rules, l, g).whole;
		fills[i].pinned -= whole < fills[i].pinned ? whole : fills[i].pinned;
	}
}

/* Collects one share a live block of a segment with such memory, sorted by stack and segment. */
static size_t collect(const gs_layout *l, const fill *fills, share *shares)
{
	size_t n = 0;
	for (size_t i = 0; i < l->nsegments; i++) {
		const gs_segment *g = &l->segments[i];
		for (size_t k = g->first_block; fills[i].pinned && k < g->first_block + g->nblocks; k++)
			if (l->blocks[k].state != GS_INACTIVE)
				shares[n++] = (share){l->blocks[k].stack, (uint32_t)i, 1, l->blocks[k].size};
	}
	if (n)
		qsort(shares, n, sizeof *shares, by_stack);
	return n;
}

/* Adds what a stack has in one segment. */
static void add_segment(const gs_layout *l, const fill *fills, gs_pinning *p, const share *s)
{
	p->blocks += s->blocks;
	p->bytes += s->bytes;
	p->segments++;
	p->free_pinned += fills[s->segment].pinned;
	if (s->bytes == fills[s->segment].live)
		p->sets_free += l->segments[s->segment].size;
}

static size_t add_up(
	const gs_layout *l, const fill *fills, const share *shares, size_t count, gs_pinning *all)
{
	size_t n = 0;
	for (size_t i = 0, next; i < count; i = next) {
		share sum = shares[i];
		for (next = i + 1;
			 next < count && shares[next].stack == sum.stack && shares[next].segment == sum.segment;
			 next++) {
			sum.blocks++;
			sum.bytes += shares[next].bytes;
		}
		if (!n || all[n - 1].stack != sum.stack)
			all[n++] = (gs_pinning){.stack = sum.stack};
		add_segment(l, fills, &all[n - 1], &sum);
	}
	return n;
}

gs_status gs_blame_pinning(const gs_snapshot *s, const gs_layout *l, gs_pinning **rows, size_t *n)
{
	share *shares = malloc((l->nblocks + 1) * sizeof *shares);
	fill *fills = malloc((l->nsegments + 1) * sizeof *fills);
	gs_pinning *all = malloc((l->nblocks + 1) * sizeof *all);
	gs_status status = shares && fills && all ? GS_OK : GS_NO_MEMORY;
	*n = 0;
	*rows = all;
	if (!status) {
		measure(s, l, fills);
		*n = add_up(l, fills, shares, collect(l, fills, shares), all);
	}
	if (*n)
		qsort_r(all, *n, sizeof *all, by_pinned, (void *)s);
	free(shares);
	free(fills);
	return status;
}
