/* Whose memory it is that a failure turns on. */
#include "analyzer/advice/culprit.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/advice/answer.h"
#include "analyzer/meaning/retry.h"
#include "analyzer/model/place.h"

/* Pinned memory matters from this part of the request on. */
enum { PINNED_SHARE = 4 };

/* Growth matters from this part of what is allocated on. */
enum { GROWTH_SHARE = 20 };

/* Nobody minds that this part of what is reserved is more than the peak needed, or that the device
 * has this part of it left. */
enum { SPARE_SHARE = 4, LEFT_SHARE = 10 };

/* The largest devices have 288 GiB (2025); four times that leaves room for those to come. */
#define MORE_THAN_ANY_DEVICE (INT64_C(1) << 40)

bool gs_pinning_matters(const gs_diagnosis *d)
{
	return d->npinning && d->requested > 0 &&
		d->pinning[0].free_pinned >= (uint64_t)d->requested / PINNED_SHARE;
}

const gs_segment *gs_foreign_hole(const gs_diagnosis *d, bool other_pool)
{
	gs_free_for f;
	gs_diagnosis_free_for(d, &f);
	size_t at = f.holes[other_pool ? GS_POOL_OTHER_ID : GS_POOL_OTHER_STREAM].largest_at;
	return at == SIZE_MAX ? NULL : &d->layout.segments[d->layout.blocks[at].segment];
}

gs_status gs_worst_rounded(const gs_diagnosis *d, gs_id *worst, uint64_t *lost)
{
	uint64_t *sums = calloc((size_t)d->snapshot->nstacks + 1, sizeof *sums);
	*worst = 0;
	*lost = 0;
	if (!sums)
		return GS_NO_MEMORY;
	for (size_t i = 0; i < d->layout.nblocks; i++) {
		const gs_block *b = &d->layout.blocks[i];
		if (b->state == GS_INACTIVE || b->requested == GS_NONE ||
			(uint64_t)b->requested > b->size || b->stack >= d->snapshot->nstacks)
			continue;
		sums[b->stack] += b->size - (uint64_t)b->requested;
		if (sums[b->stack] > *lost)
			*lost = sums[b->stack], *worst = b->stack;
	}
	free(sums);
	return GS_OK;
}

bool gs_free_is_small(const gs_diagnosis *d)
{
	uint64_t small = 0, all = 0;
	for (size_t i = 0; i < d->layout.nblocks; i++) {
		const gs_block *b = &d->layout.blocks[i];
		if (b->state != GS_INACTIVE)
			continue;
		all += b->size;
		small += d->layout.segments[b->segment].pool == GS_SMALL ? b->size : 0;
	}
	return d->pool == GS_LARGE && small > all / 2;
}

bool gs_request_exceeds_device(const gs_diagnosis *d)
{
	if (d->verdict != GS_VERDICT_SHORTAGE || d->oom == SIZE_MAX)
		return false;
	if (d->requested < 0)
		return d->snapshot->ooms[d->oom].told.says & GS_SAYS_HUGE;
	return d->requested > (d->capacity >= 0 ? d->capacity : MORE_THAN_ANY_DEVICE);
}

bool gs_look_outside_first(const gs_diagnosis *d)
{
	return !gs_request_exceeds_device(d) && d->verdict == GS_VERDICT_SHORTAGE &&
		d->null[GS_STEP_OUTSIDE] && d->has_layout && d->missing >= 0 &&
		(uint64_t)d->missing > (d->totals.allocated + d->totals.pending) / 2;
}

bool gs_growth_matters(const gs_diagnosis *d)
{
	return d->ngrowth && d->growth[0].bytes >= d->totals.allocated / GROWTH_SHARE &&
		!gs_request_exceeds_device(d) && gs_names_somebody(d, d->growth[0].stack);
}

static bool grow_at_one_place(const gs_diagnosis *d, size_t a, size_t b)
{
	char where[2][GS_PLACE_TEXT], called_by[2][GS_PLACE_TEXT];
	return gs_stack_place(d->snapshot, d->growth[a].stack, where[0], called_by[0]) &&
		gs_stack_place(d->snapshot, d->growth[b].stack, where[1], called_by[1]) &&
		!strcmp(where[0], where[1]) && !strcmp(called_by[0], called_by[1]);
}

bool gs_growth_of_place(const gs_diagnosis *d, size_t i, gs_growth *all)
{
	*all = d->growth[i];
	for (size_t k = 0; k < d->ngrowth; k++) {
		if (k == i || !grow_at_one_place(d, i, k))
			continue;
		if (k < i)
			return false;
		all->blocks += d->growth[k].blocks;
		all->bytes += d->growth[k].bytes;
	}
	return true;
}

uint64_t gs_growth_each_step(const gs_diagnosis *d)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < d->ngrowth; i++)
		sum += d->growth[i].estimated ? 0 : d->growth[i].each_step;
	return sum;
}

bool gs_growth_decides(const gs_diagnosis *d)
{
	const char *kind = gs_step_kind(d->verdict);
	const gs_rung *all = gs_diagnosis_rung(d, GS_STEP_STRANDED);
	if (!all || all->available < d->requested)
		all = gs_diagnosis_rung(d, d->verdict);
	return kind && !strcmp(kind, "fragmentation") && d->verdict != GS_STEP_ROUNDING &&
		d->requested > 0 && all && all->available >= d->requested &&
		(uint64_t)(all->available - d->requested) < gs_growth_each_step(d);
}

bool gs_peak_is_apart(const gs_diagnosis *d)
{
	return d->has_layout && d->peak.allocated > d->totals.allocated + d->totals.pending;
}

bool gs_tells_the_end(const gs_diagnosis *d)
{
	return d->verdict == GS_VERDICT_NONE && d->state.idx == GS_NONE;
}

/* Whether requests are recorded, and none of them gave the cache back to be served. */
static bool asks_once(const gs_diagnosis *d)
{
	const gs_trace *t = &d->device->trace;
	gs_retry retry = gs_retry_start(d->snapshot);
	bool any = false;
	for (size_t i = 0; i < t->n; i++) {
		gs_action action = gs_event_action(&t->events[i]);
		any |= action == GS_ACTION_ALLOC;
		if (gs_retry_step(&retry, action, t->events[i].stack))
			return false;
	}
	return any;
}

bool gs_nothing_to_change(const gs_diagnosis *d)
{
	const gs_snapshot *s = d->snapshot;
	uint64_t reserved = d->totals.reserved;
	if (!gs_tells_the_end(d) || !d->has_layout || !d->exact || !s->complete || s->nooms ||
		d->nadvice || d->ngrowth || s->ndevices != 1 || gs_device_is_host(s, d->device))
		return false;
	if (d->peak.allocated > d->peak.reserved)
		return false; /* what the file tells does not agree */
	if (reserved > d->peak.allocated && reserved - d->peak.allocated > reserved / SPARE_SHARE)
		return false;
	if (d->capacity >= 0 && reserved > (uint64_t)d->capacity / LEFT_SHARE * (LEFT_SHARE - 1))
		return false;
	return asks_once(d);
}
