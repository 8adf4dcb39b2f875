/* Figures of the ladder from a layout: every one a count of its blocks. */
#include <stdlib.h>

#include "analyzer/diagnose/diagnose_internal.h"
#include "recorder/pool/rule_sets.h"

static uint64_t greater(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* The largest hole of the request's own pool that is too small for it. */
static uint64_t largest_too_small(
	const gs_diagnosis *d, const gs_layout *l, const gs_policy_request *r)
{
	uint64_t found = 0;
	for (size_t i = 0; i < l->nblocks; i++) {
		const gs_block *b = &l->blocks[i];
		if (b->state == GS_INACTIVE && b->size < r->size && b->size > found &&
			gs_policy_same_pool(d->policy, &l->segments[b->segment], r))
			found = b->size;
	}
	return found;
}

/* Bytes of live blocks that do not tell what was asked for. */
static uint64_t unknown_requested(const gs_layout *l)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < l->nblocks; i++)
		if (l->blocks[i].state != GS_INACTIVE && l->blocks[i].requested == GS_NONE)
			bytes += l->blocks[i].size;
	return bytes;
}

/* The block that the search takes, else the largest that is too small. One that was made from sums
 * (it has no address) may be several. */
static gs_range search(const gs_diagnosis *d, const gs_layout *l, const gs_policy_request *r)
{
	size_t found = gs_policy_search(d->policy, &d->settings, l, r);
	if (found == SIZE_MAX)
		return gs_range_of(largest_too_small(d, l, r));
	gs_range hole = gs_range_of(l->blocks[found].size);
	if (l->exact || l->segments[l->blocks[found].segment].has_address)
		return hole;
	hole.low = 0;
	for (size_t i = 0; i < l->nblocks; i++) {
		const gs_segment *g = &l->segments[l->blocks[i].segment];
		if (l->blocks[i].state == GS_INACTIVE && g->has_address &&
			gs_policy_same_pool(d->policy, g, r))
			hole.low = greater(hole.low, l->blocks[i].size);
	}
	return hole;
}

/* As if pending frees were completed. Without any, nothing changes. */
static gs_status wait_for_frees(const gs_diagnosis *d, const gs_policy_request *r, gs_figures *f)
{
	const gs_layout *l = &d->layout;
	bool *gone = calloc(l->nblocks + 1, sizeof *gone);
	gs_layout merged, released;
	uint64_t bytes, missing;
	if (!gone)
		return GS_NO_MEMORY;
	for (size_t i = 0; i < l->nblocks; i++)
		gone[i] = l->blocks[i].state == GS_ACTIVE_PENDING_FREE;
	gs_status status = gs_layout_without(d->policy, &d->settings, l, gone, false, &merged, &bytes);
	if (!status) {
		f->waited_hole = search(d, &merged, r);
		gs_layout_release(&merged);
		status = gs_layout_without(d->policy, &d->settings, l, gone, true, &released, &bytes);
	}
	if (!status) {
		f->waited_ask = r->size
			? gs_range_of(gs_policy_ask(d->policy, &d->settings, &released, r, &missing))
			: gs_range_unknown();
		f->waited_gain = gs_range_of(bytes);
		f->waits = d->totals.pending != 0;
		gs_layout_release(&released);
	}
	free(gone);
	return status;
}

/* Expandable segments: where the reservation is known to begin, from what was ever mapped for that
 * class and stream. */
static uint64_t lowest_mapped(const gs_diagnosis *d, const gs_policy_request *r)
{
	uint64_t lowest = 0;
	for (size_t i = 0; i < d->device->trace.n && (d->idx < 0 || i <= (size_t)d->idx); i++) {
		const gs_event *e = &d->device->trace.events[i];
		if (gs_event_action(e) != GS_ACTION_SEGMENT_MAP || e->stream >= d->snapshot->nstreams ||
			d->snapshot->streams[e->stream] != r->stream)
			continue;
		gs_pool_id id = e->pool && e->pool <= d->snapshot->npools ? d->snapshot->pools[e->pool - 1]
																  : (gs_pool_id){0, 0};
		bool small = e->size <= UINT64_C(2) << 20;
		if (id.a != r->pool_id.a || id.b != r->pool_id.b || small != (r->pool == GS_SMALL))
			continue;
		if (!lowest || e->address < lowest)
			lowest = e->address;
	}
	return lowest;
}

/* Free and pending bytes of all pools and streams; for a large request those of the small pool only
 * in the whole segments (pages) that packing its live bytes would empty. */
static uint64_t free_for_request(const gs_diagnosis *d, const gs_policy_request *r)
{
	uint64_t small = 0;
	if (!d->policy->classes || r->pool != GS_LARGE)
		return d->totals.free + d->totals.pending;
	for (size_t i = 0; i < d->layout.nblocks; i++) {
		const gs_block *b = &d->layout.blocks[i];
		if (b->state != GS_ACTIVE_ALLOCATED && d->layout.segments[b->segment].pool == GS_SMALL)
			small += b->size;
	}
	return d->totals.free + d->totals.pending - small % GS_SMALL_SEGMENT;
}

/* What was asked for, and what of it was asked of the driver; missing as of gs_policy_ask. */
static void set_request(const gs_diagnosis *d, uint64_t size, uint64_t missing, gs_figures *f)
{
	f->request = gs_range_fact(d->requested);
	f->ask = gs_range_fact(d->ask);
	f->missing = gs_range_of(missing);
	if (d->requested <= 0)
		f->request = f->ask = f->missing = gs_range_unknown();
	else if (d->policy->round(&d->settings, size) != size)
		/* not what an allocator asks for: a printed figure */
		f->request = f->missing = gs_range_printed(d->requested);
}

gs_status gs_diagnose_layout(gs_diagnosis *d, gs_figures *f)
{
	const gs_layout *l = &d->layout;
	gs_policy_request r = gs_diagnosis_request(d);
	uint64_t missing = 0, untold = unknown_requested(l);
	gs_free_for free_for;
	if (d->settings.expandable && d->device)
		r.base = lowest_mapped(d, &r);
	gs_free_for_request(d->policy, l, &r, &free_for);
	const gs_holes *holes = free_for.holes, *same = &holes[GS_POOL_SAME];
	d->free = (int64_t)same->bytes;
	bool counted = gs_layout_counted(d->snapshot, l);
	d->free_blocks = counted ? (int64_t)same->n : GS_NONE;
	d->largest_free = counted ? (int64_t)same->largest : GS_NONE;
	d->ask = (int64_t)gs_policy_ask(d->policy, &d->settings, l, &r, &missing);
	if (!(d->policy->classes && d->settings.expandable) && d->needed >= 0)
		d->ask = d->needed;
	set_request(d, r.size, missing, f);
	f->device_free = gs_range_fact(d->device_free);
	f->hole = search(d, l, &r);
	f->stream_hole = gs_range_of(holes[GS_POOL_OTHER_STREAM].largest);
	f->private_hole = gs_range_of(holes[GS_POOL_OTHER_ID].largest);
	f->free_same = gs_range_of(same->bytes);
	f->free_all = gs_range_of(free_for_request(d, &r));
	f->rounding = (gs_range){d->totals.rounding, d->totals.rounding + untold,
		untold ? GS_NONE : (int64_t)d->totals.rounding};
	gs_status status = wait_for_frees(d, &r, f);
	if (d->requested <
		0) { /* a message that tells no size: "OOM when allocating tensor with shape" */
		d->ask = d->needed;
		f->ask = gs_range_fact(d->ask);
		f->missing = f->waited_ask = gs_range_unknown();
	}
	return status;
}
