#include "analyzer/export/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"
#include "analyzer/state/free_memory.h"
#include "schema/size.h"

/* --- rows --------------------------------------------------------------------------------------
 */

static int by_holder(const void *a, const void *b)
{
	const gs_diff_row *x = a, *y = b;
	int order = strcmp(x->where, y->where);

	order = order ? order : strcmp(x->called_by, y->called_by);
	return order ? order : (x->category > y->category) - (x->category < y->category);
}

int64_t gs_diff_change(const gs_diff_row *row) { return (int64_t)(row->bytes_b - row->bytes_a); }

static uint64_t size_of_change(const gs_diff_row *row)
{
	int64_t change = gs_diff_change(row);

	return change < 0 ? -(uint64_t)change : (uint64_t)change;
}

static int by_change(const void *a, const void *b)
{
	const gs_diff_row *x = a, *y = b;
	uint64_t p = size_of_change(x), q = size_of_change(y);

	if (p != q)
		return p < q ? 1 : -1;
	return x->device != y->device ? (x->device < y->device ? -1 : 1) : by_holder(a, b);
}

/* One side's holders as rows, behind those that there are. */
static gs_status list_holders(gs_diff *d, const gs_diff_side *side, bool second, int32_t device)
{
	gs_holder_row *holders = NULL;
	size_t n = 0, room = d->n;
	gs_status status = side->moment
		? gs_meaning_holders(side->meaning, &side->moment->layout, &holders, &n)
		: GS_OK;

	if (status || !GS_ARRAY_RESERVE(d->rows, room, d->n + n + 1)) {
		free(holders);
		return GS_NO_MEMORY;
	}
	for (size_t i = 0; i < n; i++) {
		gs_diff_row *row = &d->rows[d->n++];
		*row = (gs_diff_row){.device = device, .category = holders[i].category};
		snprintf(row->where, sizeof row->where, "%s", holders[i].where);
		snprintf(row->called_by, sizeof row->called_by, "%s", holders[i].called_by);
		*(second ? &row->bytes_b : &row->bytes_a) = holders[i].bytes;
		*(second ? &row->blocks_b : &row->blocks_a) = holders[i].blocks;
	}
	free(holders);
	return GS_OK;
}

/* Joins the rows from `first` on that are of one holder, and keeps those that differ. */
static void join(gs_diff *d, size_t first)
{
	size_t n = first, kept = first;

	qsort(d->rows + first, d->n - first, sizeof *d->rows, by_holder);
	for (size_t i = first; i < d->n; i++) {
		gs_diff_row *row = &d->rows[i];
		if (n > first && !by_holder(&d->rows[n - 1], row)) {
			d->rows[n - 1].bytes_a += row->bytes_a;
			d->rows[n - 1].bytes_b += row->bytes_b;
			d->rows[n - 1].blocks_a += row->blocks_a;
			d->rows[n - 1].blocks_b += row->blocks_b;
		} else {
			d->rows[n++] = *row;
		}
	}
	for (size_t i = first; i < n; i++)
		if (d->rows[i].bytes_a != d->rows[i].bytes_b || d->rows[i].blocks_a != d->rows[i].blocks_b)
			d->rows[kept++] = d->rows[i];
	d->n = kept;
}

/* --- layouts -----------------------------------------------------------------------------------
 */

/* Free bytes that the retry gives back. */
static uint64_t free_whole(const gs_snapshot *s, const gs_layout *l)
{
	const gs_free_rules rules = gs_free_rules_of(s);
	uint64_t bytes = 0;

	for (size_t i = 0; i < l->nsegments; i++)
		bytes += gs_free_parts_of(&rules, l, &l->segments[i]).whole;
	return bytes;
}

static void describe(
	const gs_diff_side *side, bool *there, gs_totals *t, uint64_t *hole, uint64_t *whole)
{
	*there = side->moment != NULL;
	if (!*there)
		return;
	gs_layout_totals(&side->moment->layout, t);
	*hole = t->largest == SIZE_MAX ? 0 : side->moment->layout.blocks[t->largest].size;
	*whole = free_whole(side->snapshot, &side->moment->layout);
}

gs_status gs_diff_add(gs_diff *d, const gs_diff_side *a, const gs_diff_side *b, gs_error *err)
{
	const gs_moment *any = a->moment ? a->moment : b->moment;
	gs_diff_layout *l;
	int32_t device = any->device->device;
	size_t first = d->n;

	if (!GS_ARRAY_ONE_MORE(d->layouts, d->nlayouts))
		return gs_fail(err, GS_NO_MEMORY, "comparing devices");
	l = &d->layouts[d->nlayouts++];
	*l = (gs_diff_layout){.device = device};
	describe(a, &l->there_a, &l->a, &l->hole_a, &l->whole_a);
	describe(b, &l->there_b, &l->b, &l->hole_b, &l->whole_b);
	if (list_holders(d, a, false, device) || list_holders(d, b, true, device))
		return gs_fail(err, GS_NO_MEMORY, "comparing holders");
	join(d, first);
	if (d->n)
		qsort(d->rows, d->n, sizeof *d->rows, by_change);
	return GS_OK;
}

void gs_diff_release(gs_diff *d)
{
	gs_memory_give(d->rows);
	gs_memory_give(d->layouts);
	*d = (gs_diff)GS_DIFF_INIT;
}

/* --- sentences ---------------------------------------------------------------------------------
 */

static void say_sizes(FILE *out, const char *what, uint64_t a, uint64_t b)
{
	char before[32], after[32];

	if (a == b)
		fprintf(out, "%s %s as before", what, gs_size_format(before, sizeof before, a));
	else
		fprintf(out, "%s %s → %s", what, gs_size_format_beside(before, sizeof before, a, b),
			gs_size_format_beside(after, sizeof after, b, a));
}

static void say_change(FILE *out, uint64_t a, uint64_t b)
{
	char size[32];

	if (a != b)
		fprintf(out, " (%s %s)", gs_size_format(size, sizeof size, b > a ? b - a : a - b),
			b > a ? "more" : "less");
}

static void say_largest(FILE *out, const gs_diff *d)
{
	const gs_diff_row *row = d->n ? &d->rows[0] : NULL;
	char size[32];

	if (!row || !gs_diff_change(row))
		return;
	fprintf(out, "; the largest change: %s %s at %s",
		gs_size_format(size, sizeof size, size_of_change(row)),
		gs_diff_change(row) > 0 ? "more" : "less", row->where);
	if (*row->called_by)
		fprintf(out, " ← %s", row->called_by);
}

static void say_layout(FILE *out, const gs_diff_layout *l, bool alone)
{
	if (!l->there_a || !l->there_b) {
		fprintf(out, " Device %d is in the %s alone.", l->device, l->there_a ? "first" : "second");
		return;
	}
	if (!alone)
		fprintf(out, " Device %d:", l->device);
	say_sizes(out, alone ? " Largest hole" : " largest hole", l->hole_a, l->hole_b);
	say_sizes(out, ", free in whole segments", l->whole_a, l->whole_b);
	say_sizes(out, ", reserved", l->a.reserved, l->b.reserved);
	if (l->a.segments == l->b.segments)
		fprintf(out, " in %zu segment%s.", l->b.segments, l->b.segments == 1 ? "" : "s");
	else
		fprintf(out, " in %zu → %zu segments.", l->a.segments, l->b.segments);
}

char *gs_diff_summary(const gs_diff *d)
{
	uint64_t a = 0, b = 0;
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		return NULL;
	for (size_t i = 0; i < d->nlayouts; i++) {
		a += d->layouts[i].a.allocated + d->layouts[i].a.pending;
		b += d->layouts[i].b.allocated + d->layouts[i].b.pending;
	}
	if (!d->n)
		fputs("no holder holds more or less: ", out);
	say_sizes(out, "in use", a, b);
	say_change(out, a, b);
	say_largest(out, d);
	fputc('.', out);
	for (size_t i = 0; i < d->nlayouts; i++)
		say_layout(out, &d->layouts[i], d->nlayouts == 1);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
