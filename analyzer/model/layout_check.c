/* Whether a layout can be: one pass over its segments and blocks in the order of their addresses.
 * What contradicts itself is warned of with its place (the first of each kind, and how many more),
 * and counted, so that verify fails. Only sums that 64 bits cannot hold are an error: no figure
 * could be told then. */
#include "analyzer/model/layout_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum fault {
	SEGMENTS_UNORDERED,
	SEGMENT_BEYOND_END,
	SEGMENTS_OVERLAP,
	BLOCKS_UNORDERED,
	BLOCK_OUTSIDE,
	BLOCKS_OVERLAP,
	GAP,
	SUM_DIFFERS,
	MORE_REQUESTED,
	FAULTS
} fault;

/* The first of a kind: its segment and two numbers that its words name. */
typedef struct found {
	size_t n;
	uint64_t segment, at, amount;
} found;

typedef struct check {
	gs_snapshot *s;
	gs_device *d;
	found found[FAULTS];
	uint64_t end;         /* behind the last byte of all segments so far */
	uint64_t end_segment; /* whose that is */
} check;

static void note_fault(check *c, fault kind, uint64_t segment, uint64_t at, uint64_t amount)
{
	found *f = &c->found[kind];
	if (!f->n++)
		*f = (found){1, segment, at, amount};
}

/* Where the segment ends; past the last address, that. */
static uint64_t end_of(const gs_segment *g)
{
	uint64_t end;
	return __builtin_add_overflow(g->address, g->size, &end) ? UINT64_MAX : end;
}

static void check_segment(check *c, const gs_segment *g)
{
	if (!g->has_address || !g->size)
		return;
	if (g->address && g->address - 1 > UINT64_MAX - g->size)
		note_fault(c, SEGMENT_BEYOND_END, g->address, 0, g->size);
	if (g->address < c->end)
		note_fault(c, SEGMENTS_OVERLAP, g->address, c->end_segment, c->end - g->address);
	if (end_of(g) > c->end) {
		c->end = end_of(g);
		c->end_segment = g->address;
	}
}

static int by_address(const void *a, const void *b)
{
	const gs_block *x = a, *y = b;
	return (x->address > y->address) - (x->address < y->address);
}

static void sort_blocks(check *c, const gs_segment *g, gs_block *blocks)
{
	for (size_t k = 1; k < g->nblocks; k++)
		if (blocks[k].address < blocks[k - 1].address) {
			note_fault(c, BLOCKS_UNORDERED, g->address, blocks[k].address, 0);
			qsort(blocks, g->nblocks, sizeof *blocks, by_address);
			return;
		}
}

/* Blocks must tile their segment: each begins where the one before ended. */
static void check_blocks(check *c, const gs_segment *g, gs_block *blocks)
{
	uint64_t at = g->address, sum = 0, end = end_of(g);
	sort_blocks(c, g, blocks);
	for (size_t k = 0; k < g->nblocks; k++) {
		const gs_block *b = &blocks[k];
		if (b->address < g->address || b->address > end || b->size > end - b->address)
			note_fault(c, BLOCK_OUTSIDE, g->address, b->address, b->size);
		else if (b->address < at)
			note_fault(c, BLOCKS_OVERLAP, g->address, b->address, at - b->address);
		else if (b->address > at)
			note_fault(c, GAP, g->address, at, b->address - at);
		if (b->requested != GS_NONE && (uint64_t)b->requested > b->size)
			note_fault(c, MORE_REQUESTED, g->address, b->address, (uint64_t)b->requested);
		at = b->address + b->size;
		sum += b->size; /* cannot wrap: check_sums came before */
	}
	if (sum != g->size)
		note_fault(c, SUM_DIFFERS, g->address, sum, g->size);
}

/* --- sums --------------------------------------------------------------------------------------
 */

static gs_status check_size(
	const check *c, const char *what, uint64_t address, uint64_t size, uint64_t *sum, gs_error *err)
{
	if (size > INT64_MAX)
		return gs_fail(err, GS_FORMAT,
			"device %d: %s 0x%" PRIx64 " has %" PRIu64 " bytes, more than there can be",
			c->d->device, what, address, size);
	if (size > INT64_MAX - *sum)
		return gs_fail(err, GS_FORMAT,
			"device %d: the sizes of its %ss up to 0x%" PRIx64 " add up to more than there can be",
			c->d->device, what, address);
	*sum += size;
	return GS_OK;
}

static gs_status check_sums(const check *c, gs_error *err)
{
	const gs_layout *l = &c->d->captured;
	uint64_t segments = 0, blocks = 0;
	gs_status status = GS_OK;
	for (size_t i = 0; i < l->nsegments && !status; i++)
		status = check_size(
			c, "segment", l->segments[i].address, l->segments[i].size, &segments, err);
	for (size_t i = 0; i < l->nblocks && !status; i++)
		status = check_size(c, "block", l->blocks[i].address, l->blocks[i].size, &blocks, err);
	return status;
}

/* --- what is said ------------------------------------------------------------------------------
 */

static void describe_segment(const found *f, fault kind, char *buf, size_t n)
{
	switch (kind) {
	case SEGMENTS_UNORDERED:
		snprintf(buf, n,
			"segment 0x%" PRIx64 " stands behind segment 0x%" PRIx64 " (they shall ascend)",
			f->segment, f->at);
		break;
	case SEGMENT_BEYOND_END:
		snprintf(buf, n, "segment 0x%" PRIx64 " of %" PRIu64 " bytes ends beyond the last address",
			f->segment, f->amount);
		break;
	case SEGMENTS_OVERLAP:
		snprintf(buf, n,
			"segment 0x%" PRIx64 " overlaps segment 0x%" PRIx64 " by %" PRIu64 " bytes", f->segment,
			f->at, f->amount);
		break;
	case GAP:
		snprintf(buf, n,
			"segment 0x%" PRIx64 ": %" PRIu64 " bytes at 0x%" PRIx64 " belong to no block",
			f->segment, f->amount, f->at);
		break;
	case SUM_DIFFERS:
		snprintf(buf, n,
			"segment 0x%" PRIx64 " has %" PRIu64 " bytes, its blocks add up to %" PRIu64,
			f->segment, f->amount, f->at);
		break;
	default: break;
	}
}

static void describe_block(const found *f, fault kind, char *buf, size_t n)
{
	switch (kind) {
	case BLOCKS_UNORDERED:
		snprintf(buf, n,
			"segment 0x%" PRIx64 ": block 0x%" PRIx64 " stands behind one of a higher address",
			f->segment, f->at);
		break;
	case BLOCK_OUTSIDE:
		snprintf(buf, n,
			"segment 0x%" PRIx64 ": block 0x%" PRIx64 " of %" PRIu64 " bytes lies outside it",
			f->segment, f->at, f->amount);
		break;
	case BLOCKS_OVERLAP:
		snprintf(buf, n,
			"segment 0x%" PRIx64 ": block 0x%" PRIx64 " overlaps the one before it by %" PRIu64
			" bytes",
			f->segment, f->at, f->amount);
		break;
	case MORE_REQUESTED:
		snprintf(buf, n,
			"segment 0x%" PRIx64 ": block 0x%" PRIx64 " is smaller than the %" PRIu64
			" bytes asked for",
			f->segment, f->at, f->amount);
		break;
	default: break;
	}
}

static void describe_fault(const found *f, fault kind, char *buf, size_t n)
{
	describe_segment(f, kind, buf, n);
	describe_block(f, kind, buf, n);
}

static void warn_of_faults(check *c)
{
	char text[160];
	for (int kind = 0; kind < FAULTS; kind++) {
		const found *f = &c->found[kind];
		if (!f->n)
			continue;
		describe_fault(f, (fault)kind, text, sizeof text);
		if (!c->s->contradictions)
			c->s->first_contradiction = c->s->nwarnings;
		if (f->n > 1)
			gs_snapshot_warn(c->s, "device %d: %s; %zu more like it", c->d->device, text, f->n - 1);
		else
			gs_snapshot_warn(c->s, "device %d: %s", c->d->device, text);
		c->s->contradictions += f->n;
	}
}

gs_status gs_layout_check(
	gs_snapshot *s, gs_device *d, const gs_segment *segment_unordered, gs_error *err)
{
	check c = {.s = s, .d = d};
	gs_layout *l = &d->captured;
	gs_status status = check_sums(&c, err);
	if (status)
		return status;
	if (segment_unordered)
		note_fault(
			&c, SEGMENTS_UNORDERED, segment_unordered->address, segment_unordered[-1].address, 0);
	for (size_t i = 0; i < l->nsegments; i++) {
		check_segment(&c, &l->segments[i]);
		check_blocks(&c, &l->segments[i], l->blocks + l->segments[i].first_block);
	}
	warn_of_faults(&c);
	return GS_OK;
}
