/* Layouts: totals, copies, and the check that blocks tile their segments. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/memory.h"
#include "analyzer/model/snapshot.h"

void gs_layout_init(gs_layout *l)
{
	memset(l, 0, sizeof *l);
	l->idx = GS_NONE;
	l->exact = true;
}

void gs_layout_release(gs_layout *l)
{
	gs_memory_give(l->segments);
	gs_memory_give(l->blocks);
	gs_layout_init(l);
}

gs_status gs_layout_copy(gs_layout *to, const gs_layout *from)
{
	gs_layout l = *from;
	l.segments = gs_memory_take((from->nsegments + 1) * sizeof *l.segments);
	l.blocks = gs_memory_take((from->nblocks + 1) * sizeof *l.blocks);
	if (!l.segments || !l.blocks) {
		gs_memory_give(l.segments);
		gs_memory_give(l.blocks);
		return GS_NO_MEMORY;
	}
	if (from->nsegments)
		memcpy(l.segments, from->segments, from->nsegments * sizeof *l.segments);
	if (from->nblocks)
		memcpy(l.blocks, from->blocks, from->nblocks * sizeof *l.blocks);
	*to = l;
	return GS_OK;
}

void gs_layout_totals(const gs_layout *l, gs_totals *t)
{
	memset(t, 0, sizeof *t);
	t->largest = SIZE_MAX;
	t->segments = l->nsegments;
	t->blocks = l->nblocks;
	for (size_t i = 0; i < l->nsegments; i++)
		t->reserved += l->segments[i].size;
	for (size_t i = 0; i < l->nblocks; i++) {
		const gs_block *b = &l->blocks[i];
		if (b->state == GS_INACTIVE) {
			t->free += b->size;
			t->free_blocks++;
			if (t->largest == SIZE_MAX || b->size > l->blocks[t->largest].size)
				t->largest = i;
			continue;
		}
		*(b->state == GS_ACTIVE_ALLOCATED ? &t->allocated : &t->pending) += b->size;
		if (b->requested != GS_NONE && (uint64_t)b->requested < b->size)
			t->rounding += b->size - (uint64_t)b->requested;
	}
}

/* --- finishing what a reader filled ------------------------------------------------------------
 */

static int by_address(const void *a, const void *b)
{
	const gs_segment *x = a, *y = b;
	if (x->has_address != y->has_address)
		return x->has_address ? -1 : 1;
	if (x->has_address && x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->first_block > y->first_block) - (x->first_block < y->first_block);
}

static bool in_order(const gs_layout *l)
{
	for (size_t i = 1; i < l->nsegments; i++)
		if (by_address(&l->segments[i - 1], &l->segments[i]) > 0)
			return false;
	return true;
}

/* Sorts segments by address and moves their blocks along. */
static gs_status sort_segments(gs_layout *l)
{
	if (in_order(l))
		return GS_OK;
	qsort(l->segments, l->nsegments, sizeof *l->segments, by_address);
	gs_block *moved = gs_memory_take((l->nblocks + 1) * sizeof *moved);
	if (!moved)
		return GS_NO_MEMORY;
	size_t at = 0;
	for (size_t i = 0; i < l->nsegments; i++) {
		gs_segment *g = &l->segments[i];
		memcpy(&moved[at], &l->blocks[g->first_block], g->nblocks * sizeof *moved);
		g->first_block = at;
		at += g->nblocks;
	}
	gs_memory_give(l->blocks);
	l->blocks = moved;
	l->nblocks = at;
	return GS_OK;
}

gs_status gs_layout_finish(gs_snapshot *s, gs_device *d, gs_error *err)
{
	gs_layout *l = &d->captured;
	if (sort_segments(l))
		return gs_fail(err, GS_NO_MEMORY, "out of memory");
	for (size_t i = 0; i < l->nsegments; i++) {
		const gs_segment *g = &l->segments[i];
		uint64_t sum = 0;
		for (size_t k = g->first_block; k < g->first_block + g->nblocks; k++) {
			gs_block *b = &l->blocks[k];
			b->segment = (uint32_t)i;
			if (!b->address)
				b->address = g->address + sum;
			sum += b->size;
		}
		if (sum != g->size)
			gs_snapshot_warn(s,
				"device %d: segment 0x%llx has %llu bytes, its blocks add up to %llu", d->device,
				(unsigned long long)g->address, (unsigned long long)g->size,
				(unsigned long long)sum);
	}
	return GS_OK;
}
