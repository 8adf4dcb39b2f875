#include "analyzer/timeline/span.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"

static void add_sum(gs_span_sum *sum, uint64_t bytes)
{
	sum->blocks++;
	sum->bytes += bytes;
}

static void add_life(gs_span_row *row, const gs_life *l, uint64_t bytes, int64_t from, int64_t to)
{
	bool begin = gs_life_lives(l, from), end = gs_life_lives(l, to);
	add_sum(begin ? (end ? &row->stayed : &row->died) : (end ? &row->born : &row->passed), bytes);
}

/* The row of a holder and category; where: its number + 1 by both. NULL: no memory. */
static gs_span_row *row_of(
	gs_timeline_span *span, uint32_t *where, uint32_t holder, uint8_t category)
{
	uint32_t *number = &where[(size_t)holder * GS_CATEGORIES + category];
	if (!*number) {
		if (!GS_ARRAY_ONE_MORE(span->rows, span->n))
			return NULL;
		span->rows[span->n] = (gs_span_row){.holder = holder, .category = category};
		*number = (uint32_t)++span->n;
	}
	return &span->rows[*number - 1];
}

static gs_status add_lives(
	gs_timeline_span *span, const gs_timeline *t, uint32_t *where, int64_t from, int64_t to)
{
	for (uint32_t i = 0; i < t->lives.n && t->lives.all[i].birth <= to; i++) {
		const gs_life *l = &t->lives.all[i];
		if (l->death <= from)
			continue;
		gs_span_row *row = row_of(
			span, where, t->holder[i], gs_timeline_categorization(t, i).category);
		if (!row)
			return GS_NO_MEMORY;
		add_life(row, l, gs_life_size(&t->lives, i), from, to);
		add_life(&span->total, l, gs_life_size(&t->lives, i), from, to);
	}
	return GS_OK;
}

static int by_change(const void *a, const void *b)
{
	const gs_span_row *x = a, *y = b;
	uint64_t p = x->born.bytes + x->died.bytes, q = y->born.bytes + y->died.bytes;
	if (p != q)
		return p > q ? -1 : 1;
	if (x->stayed.bytes != y->stayed.bytes)
		return x->stayed.bytes > y->stayed.bytes ? -1 : 1;
	if (x->passed.bytes != y->passed.bytes)
		return x->passed.bytes > y->passed.bytes ? -1 : 1;
	if (x->holder != y->holder)
		return x->holder < y->holder ? -1 : 1;
	return (x->category > y->category) - (x->category < y->category);
}

gs_status gs_span_init(
	gs_timeline_span *span, const gs_timeline *t, int64_t from, int64_t to, gs_error *err)
{
	memset(span, 0, sizeof *span);
	if (from < -1 || to < from || to >= (int64_t)t->history->n)
		return gs_fail(err, GS_INVALID, "a span goes from event %d at the earliest to event %lld",
			-1, (long long)t->history->n - 1);
	uint32_t *where = calloc(t->nholders * GS_CATEGORIES + 1, sizeof *where);
	gs_status status = where ? add_lives(span, t, where, from, to) : GS_NO_MEMORY;
	free(where);
	if (status)
		return gs_fail(err, status, "no memory for the rows of a span");
	if (span->n)
		qsort(span->rows, span->n, sizeof *span->rows, by_change);
	return GS_OK;
}

void gs_span_release(gs_timeline_span *span)
{
	free(span->rows);
	memset(span, 0, sizeof *span);
}
