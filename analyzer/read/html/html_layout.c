/* The layout that PyTorch 2.0's pages show. */
#include <stdlib.h>

#include "analyzer/model/memory.h"
#include "analyzer/read/html/html_columns_internal.h"

static int by_address(const void *a, const void *b)
{
	const gs_segment *x = a, *y = b;
	return (x->address > y->address) - (x->address < y->address);
}

static int block_by_address(const void *a, const void *b)
{
	const gs_block *x = a, *y = b;
	return (x->address > y->address) - (x->address < y->address);
}

static gs_block *live_blocks(gs_html_page *p)
{
	size_t n = p->columns[GS_HTML_BLOCK_ADDRESS].n;
	gs_block *b = gs_memory_zeroed(n + 1, sizeof *b);
	for (size_t i = 0; b && i < n; i++) {
		b[i] = (gs_block){.address = (uint64_t)gs_html_cell(p, GS_HTML_BLOCK_ADDRESS, i),
			.idx = GS_NONE,
			.requested = gs_html_cell(p, GS_HTML_BLOCK_REQUESTED, i)};
		b[i].size = gs_html_cell(p, GS_HTML_BLOCK_SIZE, i) < 0
			? 0
			: (uint64_t)gs_html_cell(p, GS_HTML_BLOCK_SIZE, i);
		b[i].state = gs_html_cell(p, GS_HTML_BLOCK_PENDING, i) == 1 ? GS_ACTIVE_PENDING_FREE
																	: GS_ACTIVE_ALLOCATED;
		b[i].stack = gs_html_stack(p, gs_html_cell(p, GS_HTML_BLOCK_FRAMES, i));
	}
	if (b)
		qsort(b, n, sizeof *b, block_by_address);
	return b;
}

/* The page leaves holes out: they are what lies between live blocks. */
static void lay_out(gs_html_page *p, gs_layout *l, const gs_block *live)
{
	size_t n = p->columns[GS_HTML_BLOCK_ADDRESS].n, k = 0;
	for (size_t i = 0; i < l->nsegments; i++) {
		gs_segment *g = &l->segments[i];
		uint64_t at = g->address, end = g->address + g->size;
		g->first_block = l->nblocks;
		while (k < n && live[k].address < at)
			k++;
		for (; k < n && live[k].address < end; at = live[k].address + live[k].size, k++) {
			if (live[k].address > at)
				l->blocks[l->nblocks++] = (gs_block){.address = at,
					.size = live[k].address - at,
					.requested = GS_NONE,
					.idx = GS_NONE,
					.state = GS_INACTIVE};
			l->blocks[l->nblocks++] = live[k];
		}
		if (at < end)
			l->blocks[l->nblocks++] = (gs_block){.address = at,
				.size = end - at,
				.requested = GS_NONE,
				.idx = GS_NONE,
				.state = GS_INACTIVE};
		g->nblocks = l->nblocks - g->first_block;
	}
}

gs_status gs_html_add_layout(gs_html_page *p, gs_layout *l)
{
	size_t n = p->columns[GS_HTML_SEGMENT_ADDRESS].n, nblocks = p->columns[GS_HTML_BLOCK_ADDRESS].n;
	gs_block *live = live_blocks(p);
	l->segments = gs_memory_zeroed(n + 1, sizeof *l->segments);
	l->blocks = gs_memory_zeroed(n + 2 * nblocks + 1, sizeof *l->blocks);
	if (!live || !l->segments || !l->blocks) {
		gs_memory_give(live);
		return gs_no_memory(&p->error);
	}
	for (size_t i = 0; i < n; i++) {
		gs_segment *g = &l->segments[i];
		g->address = (uint64_t)gs_html_cell(p, GS_HTML_SEGMENT_ADDRESS, i);
		g->size = gs_html_cell(p, GS_HTML_SEGMENT_SIZE, i) < 0
			? 0
			: (uint64_t)gs_html_cell(p, GS_HTML_SEGMENT_SIZE, i);
		g->stream = gs_html_cell(p, GS_HTML_SEGMENT_STREAM, i) == GS_NONE
			? 0
			: (uint64_t)gs_html_cell(p, GS_HTML_SEGMENT_STREAM, i);
		g->pool = g->size == 2 << 20 ? GS_SMALL : GS_LARGE; /* the sizes of 2.0's rules */
		g->has_address = true;
	}
	qsort(l->segments, n, sizeof *l->segments, by_address);
	l->nsegments = n;
	lay_out(p, l, live);
	gs_memory_give(live);
	return p->error.status;
}
