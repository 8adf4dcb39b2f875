/* Holders: live blocks by place, caller and category. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/meaning_internal.h"

/* Blocks of one key and category. */
typedef struct part {
	gs_holder_key key;
	uint8_t category;
	uint64_t bytes, blocks;
} part;

static int by_stack(const void *a, const void *b)
{
	const part *x = a, *y = b;
	if (x->key.stack != y->key.stack)
		return x->key.stack < y->key.stack ? -1 : 1;
	if (x->key.more != y->key.more)
		return x->key.more < y->key.more ? -1 : 1;
	if (x->key.before != y->key.before)
		return x->key.before ? 1 : -1;
	return (x->category > y->category) - (x->category < y->category);
}

static bool has_forward(const gs_snapshot *s, gs_id more)
{
	return more && more < s->nstrings &&
		strstr(gs_string_text(s, more), "\"forward_frames\"") != NULL;
}

/* What tells the forward line of a block of the backward pass: its own record, or in a state of the
 * past that of the event which made it; 0 none. */
static gs_id forward_of(const gs_meaning *m, const gs_block *b)
{
	const gs_history *h = m->history;
	const gs_snapshot *s = h->snapshot;
	if (b->stack >= s->nstacks || gs_phase_of(&m->internal->phases, b->stack) != GS_PHASE_BACKWARD)
		return 0;
	if (has_forward(s, b->more))
		return b->more;
	gs_id of_event = b->idx >= 0 && (uint64_t)b->idx < h->n ? h->device->trace.events[b->idx].more
															: 0;
	return has_forward(s, of_event) ? of_event : 0;
}

gs_holder_key gs_meaning_holder_key(const gs_meaning *m, const gs_block *b)
{
	return (gs_holder_key){
		b->stack < m->history->snapshot->nstacks ? b->stack : 0, forward_of(m, b), b->idx < 0};
}

static size_t list_parts(const gs_meaning *m, const gs_layout *l, part *all)
{
	size_t live = 0, n = 0;
	for (size_t i = 0; i < l->nblocks; i++) {
		const gs_block *b = &l->blocks[i];
		if (b->state != GS_INACTIVE)
			all[live++] = (part){
				gs_meaning_holder_key(m, b), gs_meaning_of(m, b).category, b->size, 1};
	}
	if (live)
		qsort(all, live, sizeof *all, by_stack);
	for (size_t i = 0; i < live; i++) {
		if (n && !by_stack(&all[n - 1], &all[i])) {
			all[n - 1].bytes += all[i].bytes;
			all[n - 1].blocks++;
		} else {
			all[n++] = all[i];
		}
	}
	return n;
}

/* What stands for a stack without a frame worth naming. */
void gs_meaning_holder_name(const gs_meaning *m, gs_holder_key key, char *where, char *called_by)
{
	const gs_snapshot *s = m->history->snapshot;
	if (!gs_stack_place(s, key.stack, where, called_by)) {
		bool backward = gs_phase_of(&m->internal->phases, key.stack) == GS_PHASE_BACKWARD &&
			(key.stack || !key.before);
		strcpy(where,
			backward                          ? "backward pass"
				: key.before && m->history->n ? "before the recording"
				: key.stack                   ? "library code"
											  : "no stack recorded");
	}
	if (key.more)
		gs_forward_place(gs_string_text(s, key.more), where, called_by);
}

static int by_words(const void *a, const void *b)
{
	const gs_holder_row *x = a, *y = b;
	int order = strcmp(x->where, y->where);
	order = order ? order : strcmp(x->called_by, y->called_by);
	order = order ? order : (x->category > y->category) - (x->category < y->category);
	if (order || x->bytes == y->bytes)
		return order;
	return x->bytes > y->bytes ? -1 : 1;
}

static int by_bytes(const void *a, const void *b)
{
	const gs_holder_row *x = a, *y = b;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return by_words(a, b);
}

/* Of rows that read alike the first, which holds most, stands for all. */
static size_t merge(gs_holder_row *rows, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		gs_holder_row *last = kept ? &rows[kept - 1] : NULL;
		if (last && last->category == rows[i].category && !strcmp(last->where, rows[i].where) &&
			!strcmp(last->called_by, rows[i].called_by)) {
			last->bytes += rows[i].bytes;
			last->blocks += rows[i].blocks;
		} else {
			rows[kept++] = rows[i];
		}
	}
	return kept;
}

/* The parts of a layout, a row each, named but not yet sorted and merged. */
typedef struct named {
	part *parts;
	gs_holder_row *rows;
	size_t n;
} named;

static int by_key(const gs_holder_key *a, const gs_holder_key *b)
{
	const part x = {.key = *a}, y = {.key = *b};
	return by_stack(&x, &y);
}

static void copy_name(gs_holder_row *to, const gs_holder_row *from)
{
	memcpy(to->where, from->where, sizeof to->where);
	memcpy(to->called_by, from->called_by, sizeof to->called_by);
}

/* A name takes longer than all else: one that the part before it or the known ones have is copied.
 */
static void name_rows(const gs_meaning *m, const named *known, named *x)
{
	for (size_t i = 0, k = 0; i < x->n; i++) {
		const part *p = &x->parts[i];
		gs_holder_row *row = &x->rows[i];
		row->category = p->category;
		row->stack = p->key.stack;
		row->bytes = p->bytes;
		row->blocks = p->blocks;
		while (known && k < known->n && by_key(&known->parts[k].key, &p->key) < 0)
			k++;
		if (i && !by_key(&p[-1].key, &p->key))
			copy_name(row, &row[-1]);
		else if (known && k < known->n && !by_key(&known->parts[k].key, &p->key))
			copy_name(row, &known->rows[k]);
		else
			gs_meaning_holder_name(m, p->key, row->where, row->called_by);
	}
}

static gs_status name_holders(const gs_meaning *m, const gs_layout *l, const named *known, named *x)
{
	*x = (named){malloc((l->nblocks + 1) * sizeof *x->parts), NULL, 0};
	x->n = x->parts ? list_parts(m, l, x->parts) : 0;
	x->rows = x->parts ? calloc(x->n + 1, sizeof *x->rows) : NULL;
	if (!x->rows)
		return GS_NO_MEMORY;
	name_rows(m, known, x);
	return GS_OK;
}

/* Hands the rows over as readers want them. */
static void finish(named *x, gs_holder_row **rows, size_t *n)
{
	if (x->n)
		qsort(x->rows, x->n, sizeof *x->rows, by_words);
	*n = merge(x->rows, x->n);
	if (*n)
		qsort(x->rows, *n, sizeof *x->rows, by_bytes);
	*rows = x->rows;
	free(x->parts);
}

static void release(named *x)
{
	free(x->parts);
	free(x->rows);
}

gs_status gs_meaning_holders(
	const gs_meaning *m, const gs_layout *l, gs_holder_row **rows, size_t *n)
{
	return gs_meaning_holders_of_two(m, l, NULL, rows, n, NULL, NULL);
}

gs_status gs_meaning_holders_of_two(const gs_meaning *m, const gs_layout *l, const gs_layout *other,
	gs_holder_row **rows, size_t *n, gs_holder_row **other_rows, size_t *other_n)
{
	named x = {NULL, NULL, 0}, y = {NULL, NULL, 0};
	gs_status status = name_holders(m, l, NULL, &x);
	if (!status && other)
		status = name_holders(m, other, &x, &y);
	*n = 0;
	if (other)
		*other_n = 0;
	if (status) {
		release(&x);
		release(&y);
		return status;
	}
	finish(&x, rows, n);
	if (other)
		finish(&y, other_rows, other_n);
	return GS_OK;
}
