/* Layouts: making, copies, totals. */
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

bool gs_layout_counted(const gs_snapshot *s, const gs_layout *l)
{
	bool counted = true;
	for (size_t i = 0; i < l->nsegments && s->kind == GS_KIND_BFC && !l->exact; i++)
		counted &= l->segments[i].has_address;
	return counted;
}
