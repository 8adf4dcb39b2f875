/* What would fit now in each pool, and how far its free memory is from being one piece. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/diagnose/diagnose_internal.h"

/* Rooms of one pool id, stream and class are one. */
static int by_place(const void *a, const void *b)
{
	const gs_pool_fit *x = a, *y = b;
	if (x->pool_id.a != y->pool_id.a)
		return x->pool_id.a < y->pool_id.a ? -1 : 1;
	if (x->pool_id.b != y->pool_id.b)
		return x->pool_id.b < y->pool_id.b ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return (x->pool > y->pool) - (x->pool < y->pool);
}

/* The largest request that the search would serve: the largest free block within the bounds of the
 * settings. */
static gs_pool_fit fit_of(const gs_diagnosis *d, const gs_segment *g)
{
	gs_free_parts parts = gs_policy_free_parts(d->policy, &d->settings, &d->layout, g);
	gs_pool_fit r = {.pool_id = g->pool_id,
		.stream = g->stream,
		.pool = g->pool,
		.whole = parts.whole,
		.largest_left = parts.largest_left};
	for (size_t k = g->first_block; k < g->first_block + g->nblocks; k++) {
		const gs_block *b = &d->layout.blocks[k];
		if (b->state != GS_INACTIVE)
			continue;
		r.free += b->size;
		r.blocks++;
		if (b->size > r.largest && d->policy->serves(&d->settings, b->size, b->size))
			r.largest = b->size;
	}
	return r;
}

/* One a segment, then sorted and merged: time does not grow with the number of streams. */
static gs_status find_pool_fits(gs_diagnosis *d)
{
	size_t n = d->layout.nsegments;
	d->pool_fits = malloc((n + 1) * sizeof *d->pool_fits);
	if (!d->pool_fits)
		return GS_NO_MEMORY;
	d->free_whole = 0;
	for (size_t i = 0; i < n; i++) {
		d->pool_fits[i] = fit_of(d, &d->layout.segments[i]);
		d->free_whole += (int64_t)d->pool_fits[i].whole;
	}
	qsort(d->pool_fits, n, sizeof *d->pool_fits, by_place);
	for (size_t i = 0; i < n; i++) {
		gs_pool_fit *last = d->npool_fits ? &d->pool_fits[d->npool_fits - 1] : NULL,
					r = d->pool_fits[i];
		if (!last || by_place(last, &r)) {
			d->pool_fits[d->npool_fits++] = r;
			continue;
		}
		last->free += r.free;
		last->blocks += r.blocks;
		last->largest = r.largest > last->largest ? r.largest : last->largest;
		last->whole += r.whole;
		last->largest_left = r.largest_left > last->largest_left ? r.largest_left
																 : last->largest_left;
	}
	return GS_OK;
}

static int by_largest(const void *a, const void *b)
{
	const gs_pool_fit *x = a, *y = b;
	if (x->largest != y->largest)
		return x->largest > y->largest ? -1 : 1;
	if (x->free != y->free)
		return x->free > y->free ? -1 : 1;
	return by_place(a, b);
}

gs_status gs_diagnose_health(gs_diagnosis *d)
{
	if (!d->has_layout)
		return GS_OK;
	if (find_pool_fits(d))
		return GS_NO_MEMORY;
	if (d->npool_fits)
		qsort(d->pool_fits, d->npool_fits, sizeof *d->pool_fits, by_largest);
	return GS_OK;
}

double gs_diagnosis_fragmentation(const gs_diagnosis *d, const gs_pool_fit **where)
{
	double worst = -1;
	*where = NULL;
	for (size_t i = 0; i < d->npool_fits; i++) {
		const gs_pool_fit *r = &d->pool_fits[i];
		double f = gs_fragmentation(r->free, r->whole, r->largest_left);
		if (f > worst) {
			worst = f;
			*where = r;
		}
	}
	return worst < 0 ? 0 : worst;
}
