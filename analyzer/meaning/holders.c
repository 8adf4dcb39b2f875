/* Holders: live blocks by place, caller and category. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/meaning_internal.h"

/* Blocks of one stack, category and forward line. */
typedef struct part {
	gs_id stack, more;
	uint8_t category;
	bool before; /* born before the recording */
	uint64_t bytes, blocks;
} part;

static int by_stack(const void *a, const void *b)
{
	const part *x = a, *y = b;
	if (x->stack != y->stack)
		return x->stack < y->stack ? -1 : 1;
	if (x->more != y->more)
		return x->more < y->more ? -1 : 1;
	if (x->before != y->before)
		return x->before ? 1 : -1;
	return (x->category > y->category) - (x->category < y->category);
}

/* Only the autograd thread's blocks have a forward line. */
static gs_id forward_of(const gs_meaning *m, const gs_block *b)
{
	const gs_snapshot *s = m->history->snapshot;
	if (!b->more || b->more >= s->nstrings || b->stack >= s->nstacks ||
		gs_phase_of(&m->internal->phases, b->stack) != GS_PHASE_BACKWARD)
		return 0;
	return strstr(gs_string_text(s, b->more), "\"forward_frames\"") ? b->more : 0;
}

static size_t list_parts(const gs_meaning *m, const gs_layout *l, part *all)
{
	size_t live = 0, n = 0;
	for (size_t i = 0; i < l->nblocks; i++) {
		const gs_block *b = &l->blocks[i];
		if (b->state != GS_INACTIVE)
			all[live++] = (part){b->stack < m->history->snapshot->nstacks ? b->stack : 0,
				forward_of(m, b), gs_meaning_of(m, b).category, b->idx < 0, b->size, 1};
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
static void name_place(const gs_meaning *m, const part *p, gs_holder_row *row)
{
	const gs_snapshot *s = m->history->snapshot;
	if (!gs_stack_place(s, p->stack, row->where, row->called_by)) {
		bool backward = gs_phase_of(&m->internal->phases, p->stack) == GS_PHASE_BACKWARD &&
			(p->stack || !p->before);
		strcpy(row->where,
			backward                         ? "backward pass"
				: p->before && m->history->n ? "before the recording"
				: p->stack                   ? "library code"
											 : "no stack recorded");
	}
	if (p->more)
		gs_forward_place(gs_string_text(s, p->more), row->called_by);
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

gs_status gs_meaning_holders(
	const gs_meaning *m, const gs_layout *l, gs_holder_row **rows, size_t *n)
{
	part *parts = malloc((l->nblocks + 1) * sizeof *parts);
	size_t count = parts ? list_parts(m, l, parts) : 0;
	*n = 0;
	*rows = parts ? calloc(count + 1, sizeof **rows) : NULL;
	for (size_t i = 0; *rows && i < count; i++) {
		gs_holder_row *row = &(*rows)[i];
		row->category = parts[i].category;
		row->stack = parts[i].stack;
		row->bytes = parts[i].bytes;
		row->blocks = parts[i].blocks;
		name_place(m, &parts[i], row);
	}
	free(parts);
	if (!*rows)
		return GS_NO_MEMORY;
	if (count)
		qsort(*rows, count, sizeof **rows, by_words);
	*n = merge(*rows, count);
	if (*n)
		qsort(*rows, *n, sizeof **rows, by_bytes);
	return GS_OK;
}
