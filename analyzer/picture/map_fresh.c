/* Of two moments: which blocks in use were not there before. */
#include <stdlib.h>

#include "analyzer/picture/map_internal.h"

typedef struct live {
	uint64_t address, size;
	int64_t idx;
} live;

static bool in_use(const gs_block *b) { return b->state == GS_ACTIVE_ALLOCATED; }

static int by_address(const void *a, const void *b)
{
	const live *x = a, *y = b;
	return (x->address > y->address) - (x->address < y->address);
}

static live *list_live(const gs_layout *l, size_t *n)
{
	live *all = malloc((l->nblocks + 1) * sizeof *all);
	*n = 0;
	for (size_t i = 0; all && i < l->nblocks; i++)
		if (in_use(&l->blocks[i]))
			all[(*n)++] = (live){l->blocks[i].address, l->blocks[i].size, l->blocks[i].idx};
	if (all && *n)
		qsort(all, *n, sizeof *all, by_address);
	return all;
}

/* The same place and size; in one trace also the same event, for memory is handed out again. */
static bool was_there(const live *all, size_t n, const gs_block *b, bool one_trace)
{
	live wanted = {.address = b->address};
	const live *found = n ? bsearch(&wanted, all, n, sizeof *all, by_address) : NULL;
	return found && found->size == b->size &&
		(!one_trace || found->idx == GS_NONE || b->idx == GS_NONE || found->idx == b->idx);
}

gs_status gs_map_find_fresh(gs_map_view *now, const gs_map_view *before, gs_error *err)
{
	const gs_layout *l = now->in.layout;
	size_t n;
	if (!before->in.layout)
		return GS_OK;
	live *all = list_live(before->in.layout, &n);
	now->fresh = calloc(l->nblocks + 1, sizeof *now->fresh);
	if (!all || !now->fresh) {
		free(all);
		return gs_fail(err, GS_NO_MEMORY, "marks of %zu blocks", l->nblocks);
	}
	for (size_t i = 0; i < l->nblocks; i++) {
		const gs_block *b = &l->blocks[i];
		now->fresh[i] = in_use(b) && !was_there(all, n, b, now->in.snapshot == before->in.snapshot);
		now->fresh_blocks += now->fresh[i];
		now->fresh_bytes += now->fresh[i] ? b->size : 0;
	}
	free(all);
	return GS_OK;
}
