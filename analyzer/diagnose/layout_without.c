/* A layout as it would be without some of its blocks. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/diagnose/attribution.h"
#include "recorder/pool/rule_sets.h"

/* Copies a segment's blocks, those in gone as free, free neighbours as one. True when a block went.
 */
static bool copy_segment(
	const gs_layout *l, const gs_segment *from, const bool *gone, gs_layout *out)
{
	bool went = false;
	gs_segment *g = &out->segments[out->nsegments++];
	*g = *from;
	g->first_block = out->nblocks;
	for (size_t k = from->first_block; k < from->first_block + from->nblocks; k++) {
		gs_block b = l->blocks[k];
		if (gone[k] && b.state != GS_INACTIVE) {
			b.state = GS_INACTIVE;
			b.requested = b.idx = GS_NONE;
			b.stack = b.tag = 0;
			went = true;
		}
		b.segment = (uint32_t)(out->nsegments - 1);
		gs_block *last = out->nblocks > g->first_block ? &out->blocks[out->nblocks - 1] : NULL;
		if (last && last->state == GS_INACTIVE && b.state == GS_INACTIVE)
			last->size += b.size;
		else
			out->blocks[out->nblocks++] = b;
	}
	g->nblocks = out->nblocks - g->first_block;
	return went;
}

/* Takes the segment just copied back when it is one free block. */
static uint64_t release_whole(gs_layout *out)
{
	gs_segment *g = &out->segments[out->nsegments - 1];
	if (g->nblocks != 1 || out->blocks[g->first_block].state != GS_INACTIVE)
		return 0;
	out->nblocks = g->first_block;
	out->nsegments--;
	return g->size;
}

static uint64_t whole_pages_from(uint64_t *address, uint64_t end, uint64_t base, uint64_t page)
{
	uint64_t from = base + (*address - base + page - 1) / page * page,
			 to = base + (end - base) / page * page;
	*address = from;
	return to > from ? to - from : 0;
}

/* Begins another run of the same reservation behind the one just copied. */
static gs_segment *split_run(gs_layout *out, uint64_t address)
{
	gs_segment *g = &out->segments[out->nsegments];
	*g = g[-1];
	g->address = address;
	g->size = 0;
	g->first_block = out->nblocks;
	g->nblocks = 0;
	out->nsegments++;
	return g;
}

static void push_block(gs_layout *out, gs_segment *g, gs_block b, uint64_t address, uint64_t size)
{
	if (!size)
		return;
	b.address = address;
	b.size = size;
	b.segment = (uint32_t)(out->nsegments - 1);
	out->blocks[out->nblocks++] = b;
	g->size += size;
	g->nblocks++;
}

/* Of an expandable run just copied: unmaps the whole pages of free blocks; what is left are shorter
 * runs. */
static gs_status release_pages(gs_layout *out, uint64_t page, uint64_t *released)
{
	gs_segment *g = &out->segments[out->nsegments - 1];
	size_t n = g->nblocks;
	gs_block *blocks = malloc((n + 1) * sizeof *blocks);
	if (!blocks)
		return GS_NO_MEMORY;
	memcpy(blocks, &out->blocks[g->first_block], n * sizeof *blocks);
	uint64_t base = g->address;
	out->nblocks = g->first_block;
	g->size = g->nblocks = 0;
	for (size_t k = 0; k < n; k++) {
		uint64_t at = blocks[k].address, end = at + blocks[k].size, from = at;
		uint64_t taken = blocks[k].state == GS_INACTIVE ? whole_pages_from(&from, end, base, page)
														: 0;
		if (!taken) {
			push_block(out, g, blocks[k], at, end - at);
			continue;
		}
		*released += taken;
		push_block(out, g, blocks[k], at, from - at);
		if (g->size)
			g = split_run(out, from + taken);
		g->address = from + taken;
		push_block(out, g, blocks[k], from + taken, end - from - taken);
	}
	if (!g->size)
		out->nsegments--;
	free(blocks);
	return GS_OK;
}

static bool retry_releases(const gs_policy *policy, const gs_segment *g)
{
	return policy->releases && !g->pool_id.a && !g->pool_id.b;
}

gs_status gs_layout_without(const gs_policy *policy, const gs_pool_settings *settings,
	const gs_layout *l, const bool *gone, bool release, gs_layout *out, uint64_t *released)
{
	gs_layout to;
	gs_status status = GS_OK;
	gs_layout_init(&to);
	*released = 0;
	to.idx = l->idx;
	to.exact = l->exact;
	to.segments = malloc((l->nsegments + l->nblocks + 1) * sizeof *to.segments);
	to.blocks = malloc((2 * l->nblocks + 1) * sizeof *to.blocks);
	if (!to.segments || !to.blocks)
		status = GS_NO_MEMORY;
	for (size_t i = 0; !status && i < l->nsegments; i++) {
		const gs_segment *g = &l->segments[i];
		bool went = copy_segment(l, g, gone, &to);
		if (!went || !release || !retry_releases(policy, g))
			continue;
		if (g->expandable)
			status = release_pages(
				&to, gs_rules_page_size(settings, (gs_pool_class)g->pool), released);
		else
			*released += release_whole(&to);
	}
	if (status)
		gs_layout_release(&to);
	else
		*out = to;
	return status;
}
