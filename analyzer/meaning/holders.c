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
		row->stack = parts[i].key.stack;
		row->bytes = parts[i].bytes;
		row->blocks = parts[i].blocks;
		gs_meaning_holder_name(m, parts[i].key, row->where, row->called_by);
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
