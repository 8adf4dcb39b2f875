/* Dumps as they are gathered from a log: which one a line belongs to. */
#include "analyzer/read/logs/bfc_internal.h"

#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"

enum { MAX_DUMPS = 4096 };

void gs_bfc_release(gs_bfc *b)
{
	for (size_t i = 0; i < b->n; i++) {
		gs_memory_give(b->dumps[i].chunks);
		gs_memory_give(b->dumps[i].regions);
	}
	gs_memory_give(b->dumps);
	*b = (gs_bfc)GS_BFC_INIT;
}

bool gs_bfc_empty(const gs_bfc_dump *d)
{
	return !d->nchunks && !d->nregions && !d->nbins && !d->stats && !d->listed;
}

bool gs_bfc_found(const gs_bfc *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (!gs_bfc_empty(&b->dumps[i]))
			return true;
	return false;
}

static void forget_chunks(gs_bfc_dump *d)
{
	gs_memory_give(d->chunks);
	gs_memory_give(d->regions);
	d->chunks = NULL;
	d->regions = NULL;
	d->nchunks = d->cap_chunks = d->nregions = d->cap_regions = 0;
}

gs_bfc_dump *gs_bfc_dump_of(gs_bfc *b, const gs_text *t, size_t i, bool fresh)
{
	if (b->open && !fresh) {
		b->dumps[b->n - 1].end = t->base + i;
		return &b->dumps[b->n - 1];
	}
	if (b->n && gs_bfc_empty(&b->dumps[b->n - 1]))
		forget_chunks(&b->dumps[--b->n]);
	if (b->n == MAX_DUMPS) { /* the oldest ones give their place, many at once: moving the others
								takes long */
		for (size_t k = 0; k < MAX_DUMPS / 4; k++)
			forget_chunks(&b->dumps[k]);
		b->n -= MAX_DUMPS / 4;
		memmove(b->dumps, b->dumps + MAX_DUMPS / 4, b->n * sizeof *b->dumps);
	}
	if (!GS_ARRAY_RESERVE(b->dumps, b->cap, b->n + 1))
		return NULL;
	gs_bfc_dump *d = &b->dumps[b->n++];
	*d = (gs_bfc_dump){.device = b->asked_device, .at = t->base + i, .end = t->base + i};
	d->request = d->limit = d->in_use = d->max_in_use = d->num_allocs = d->max_alloc = d->reserved =
		d->largest_free = d->pool = d->sum_in_use = GS_NONE;
	for (size_t k = b->n - 1; k--;) {
		if (b->dumps[k].device == d->device) {
			forget_chunks(&b->dumps[k]); /* those before it went when it came */
			break;
		}
	}
	b->open = true;
	return d;
}

bool gs_bfc_is_over(const gs_bfc *b)
{
	return b->open && (b->dumps[b->n - 1].stats || b->dumps[b->n - 1].summed);
}
