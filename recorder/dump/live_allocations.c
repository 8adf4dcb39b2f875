/* Live allocations: an open-addressing table, and their copy in address order. */
#include "recorder/dump/live_allocations.h"

enum { FIRST_SLOTS = 4096 };

static size_t slot_of(const gs_live *l, uint64_t address)
{
	return (size_t)((address >> 8) * 0x9e3779b97f4a7c15ull >> 20) & (l->cap - 1);
}

static gs_live_block *find_block(const gs_live *l, uint64_t address)
{
	size_t i = slot_of(l, address);
	while (l->slots[i].address && l->slots[i].address != address)
		i = (i + 1) & (l->cap - 1);
	return &l->slots[i];
}

static bool grow(gs_live *l, gs_pages *pages)
{
	gs_live bigger = *l;
	bigger.cap = l->cap ? l->cap * 2 : FIRST_SLOTS;
	bigger.slots = gs_pages_take(pages, bigger.cap * sizeof *bigger.slots);
	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < l->cap; i++)
		if (l->slots[i].address)
			*find_block(&bigger, l->slots[i].address) = l->slots[i];
	gs_pages_give(pages, l->slots, l->cap * sizeof *l->slots);
	*l = bigger;
	return true;
}

void gs_live_add(gs_live *l, const gs_live_block *block, gs_pages *pages)
{
	if (l->n * 4 >= l->cap * 3 && !grow(l, pages) && l->n + 1 >= l->cap) {
		l->lost++;
		return;
	}
	gs_live_block *at = find_block(l, block->address);
	if (at->address)
		l->bytes -= at->size;
	else
		l->n++;
	*at = *block;
	l->bytes += block->size;
	if (l->bytes > l->peak)
		l->peak = l->bytes;
}

const gs_live_block *gs_live_find(const gs_live *l, uint64_t address)
{
	const gs_live_block *at = l->cap ? find_block(l, address) : NULL;
	return at && at->address ? at : NULL;
}

bool gs_live_take(gs_live *l, uint64_t address, gs_live_block *block)
{
	gs_live_block *at = l->cap ? find_block(l, address) : NULL;
	if (!at || !at->address)
		return false;
	*block = *at;
	l->n--;
	l->bytes -= at->size;
	size_t hole = (size_t)(at - l->slots);
	for (size_t i = (hole + 1) & (l->cap - 1); l->slots[i].address; i = (i + 1) & (l->cap - 1)) {
		size_t home = slot_of(l, l->slots[i].address);
		if (((i - home) & (l->cap - 1)) < ((i - hole) & (l->cap - 1)))
			continue; /* it may stay: its home lies behind the hole */
		l->slots[hole] = l->slots[i];
		hole = i;
	}
	l->slots[hole].address = 0;
	return true;
}

size_t gs_live_staging_bytes(const gs_live *l) { return (l->n + 1) * GS_STAGE_OBJECT; }

/* --- in address order: a heap sort, since qsort may take memory --- */

static void sift_down(gs_stage_segment *a, size_t root, size_t n)
{
	gs_stage_segment moved = a[root];
	for (size_t child; (child = root * 2 + 1) < n; root = child) {
		if (child + 1 < n && a[child].address < a[child + 1].address)
			child++;
		if (moved.address >= a[child].address)
			break;
		a[root] = a[child];
	}
	a[root] = moved;
}

static void sort_by_address(gs_stage_segment *a, size_t n)
{
	for (size_t i = n / 2; i--;)
		sift_down(a, i, n);
	for (size_t i = n; i-- > 1;) {
		gs_stage_segment last = a[i];
		a[i] = a[0];
		a[0] = last;
		sift_down(a, 0, i);
	}
}

void gs_live_copy(const gs_live *l, gs_staging *s)
{
	s->nsegments = s->nblocks = 0;
	s->whole = true;
	for (size_t i = 0; i < l->cap; i++) {
		const gs_live_block *b = &l->slots[i];
		if (!b->address)
			continue;
		if (s->nsegments == s->room) {
			s->whole = false;
			break;
		}
		s->segments[s->nsegments++] = (gs_stage_segment){.address = b->address,
			.size = b->size,
			.stream = b->stream,
			.stack = b->stack,
			.pool = GS_CLASS_UNKNOWN};
	}
	sort_by_address(s->segments, s->nsegments);
	for (size_t i = 0; i < s->nsegments; i++) {
		const gs_stage_segment *g = &s->segments[i];
		const gs_live_block *b = find_block(l, g->address);
		s->blocks[s->nblocks++] = (gs_stage_block){.address = g->address,
			.size = g->size,
			.requested = g->size,
			.segment = (uint32_t)i,
			.stack = b->stack,
			.tag = b->tag,
			.state = GS_ACTIVE_ALLOCATED};
	}
}
