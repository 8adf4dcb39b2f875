/* What would fit now, by pool and stream. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/diagnose/diagnose_internal.h"

static gs_room *room_of(gs_diagnosis *d, const gs_segment *g)
{
	for (size_t i = 0; i < d->nrooms; i++) {
		gs_room *r = &d->rooms[i];
		if (r->stream == g->stream && r->pool == g->pool && r->pool_id.a == g->pool_id.a &&
			r->pool_id.b == g->pool_id.b)
			return r;
	}
	gs_room *grown = realloc(d->rooms, (d->nrooms + 1) * sizeof *grown);
	if (!grown)
		return NULL;
	d->rooms = grown;
	grown[d->nrooms] = (gs_room){g->pool_id, g->stream, g->pool, 0, 0, 0};
	return &grown[d->nrooms++];
}

/* The largest request that the search would serve: the largest free block within the bounds of the
 * settings. */
static gs_status find_rooms(gs_diagnosis *d)
{
	for (size_t i = 0; i < d->layout.nsegments; i++) {
		const gs_segment *g = &d->layout.segments[i];
		gs_room *r = room_of(d, g);
		if (!r)
			return GS_NO_MEMORY;
		for (size_t k = g->first_block; k < g->first_block + g->nblocks; k++) {
			const gs_block *b = &d->layout.blocks[k];
			if (b->state != GS_INACTIVE)
				continue;
			r->free += b->size;
			r->blocks++;
			if (b->size > r->largest && d->policy->serves(&d->settings, b->size, b->size))
				r->largest = b->size;
		}
	}
	return GS_OK;
}

static int by_largest(const void *a, const void *b)
{
	const gs_room *x = a, *y = b;
	if (x->largest != y->largest)
		return x->largest > y->largest ? -1 : 1;
	return (x->free < y->free) - (x->free > y->free);
}

gs_status gs_diagnose_health(gs_diagnosis *d)
{
	if (!d->has_layout)
		return GS_OK;
	if (find_rooms(d))
		return GS_NO_MEMORY;
	if (d->nrooms)
		qsort(d->rooms, d->nrooms, sizeof *d->rooms, by_largest);
	return GS_OK;
}

double gs_diagnosis_fragmentation(const gs_diagnosis *d)
{
	double worst = 0;
	for (size_t i = 0; i < d->nrooms; i++) {
		double f = d->rooms[i].free ? 1 - (double)d->rooms[i].largest / (double)d->rooms[i].free
									: 0;
		worst = f > worst ? f : worst;
	}
	return worst;
}
