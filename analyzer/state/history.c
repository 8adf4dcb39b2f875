/* Making a history: numbering addresses, what was there before the first event, inference. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/memory.h"
#include "analyzer/model/parts.h"
#include "analyzer/state/history_internal.h"
#include "recorder/pool/rule_sets.h"

/* --- numbering -----------------------------------------------------------------------------------
 */

static bool has_range(const gs_event *e) { return e->size && e->address + e->size > e->address; }

static gs_status collect_events(void *arg, size_t i, size_t end)
{
	gs_history *h = arg;
	gs_history_tables *w = h->tables;
	for (; i < end; i++) {
		const gs_event *e = &h->device->trace.events[i];
		gs_action action = gs_event_action(e);
		w->at[i] = GS_NO_ADDRESS;
		h->births[i] = -1;
		if (gs_action_is_segment(action)) {
			if (!has_range(e)) {
				gs_history_contradict(h, i, e->address, "a segment without bytes");
				continue;
			}
			if (gs_address_index_add(&w->addresses, e->address + e->size) == GS_NO_ADDRESS)
				return GS_NO_MEMORY;
			w->nmoves++;
		} else if (!gs_action_is_block(action)) {
			continue;
		}
		if ((w->at[i] = gs_address_index_add(&w->addresses, e->address)) == GS_NO_ADDRESS)
			return GS_NO_MEMORY;
		w->last_change = (int64_t)i;
	}
	return GS_OK;
}

static gs_status collect_layout(gs_history *h)
{
	gs_history_tables *w = h->tables;
	const gs_layout *l = &h->device->captured;
	for (size_t i = 0; i < l->nsegments; i++)
		if (gs_address_index_add(&w->addresses, l->segments[i].address) == GS_NO_ADDRESS ||
			gs_address_index_add(&w->addresses, l->segments[i].address + l->segments[i].size) ==
				GS_NO_ADDRESS)
			return GS_NO_MEMORY;
	for (size_t i = 0; i < l->nblocks; i++)
		if (l->blocks[i].state != GS_INACTIVE &&
			gs_address_index_add(&w->addresses, l->blocks[i].address) == GS_NO_ADDRESS)
			return GS_NO_MEMORY;
	return GS_OK;
}

typedef struct renumbering {
	uint32_t *at;
	const uint32_t *number;
} renumbering;

static gs_status renumber_events(void *arg, size_t i, size_t end)
{
	const renumbering *x = arg;
	for (; i < end; i++)
		if (x->at[i] != GS_NO_ADDRESS)
			x->at[i] = x->number[x->at[i]];
	return GS_OK;
}

static gs_status number_addresses(gs_history *h)
{
	gs_history_tables *w = h->tables;
	uint32_t *number = NULL;
	if (gs_in_parts(h->n, collect_events, h) || collect_layout(h) ||
		gs_address_index_seal(&w->addresses, &number))
		return GS_NO_MEMORY;
	renumbering x = {w->at, number};
	gs_in_parts(h->n, renumber_events, &x);
	free(number);
	return GS_OK;
}

/* --- all together --------------------------------------------------------------------------------
 */

/* Logs of blocks alone (a driver hook's, RMM's): no event speaks of segments and no segment holds
 * more than a block. */
static gs_status look_for_own_segments(gs_history *h)
{
	gs_history_tables *w = h->tables;
	const gs_layout *l = &h->device->captured;
	w->own_segments = !w->policy->caches && !w->nmoves;
	for (size_t i = 0; i < l->nsegments; i++)
		if (l->segments[i].nblocks > 1)
			w->own_segments = false;
	w->own_traits = w->traits.n;
	for (uint32_t i = 0; w->own_segments && i < h->snapshot->nstreams; i++) {
		gs_traits t = {.stream = h->snapshot->streams[i], .pool = GS_LARGE};
		if (gs_traits_add(&w->traits, &t) == UINT32_MAX)
			return GS_NO_MEMORY;
	}
	return GS_OK;
}

static void look_at_kinds(gs_history *h)
{
	gs_history_tables *w = h->tables;
	bool expandable = false, plain = false;
	for (uint32_t i = 0; i < w->traits.n; i++)
		*(w->traits.all[i].expandable ? &expandable : &plain) = true;
	w->mixed = expandable && plain;
	for (uint32_t i = 0; i < h->snapshot->npools; i++)
		w->private_pools |= h->snapshot->pools[i].a || h->snapshot->pools[i].b;
}

static gs_status make_tables(gs_history *h)
{
	gs_history_tables *w = h->tables;
	h->sizes = calloc(h->n + 1, sizeof *h->sizes);
	h->births = malloc((h->n + 1) * sizeof *h->births);
	w->at = malloc((h->n + 1) * sizeof *w->at);
	w->size_source = calloc(h->n + 1, 1);
	if (!h->sizes || !h->births || !w->at || !w->size_source || number_addresses(h))
		return GS_NO_MEMORY;
	w->survivor = calloc(w->addresses.n + 1, sizeof *w->survivor);
	w->kept = malloc((w->addresses.n + 1) * sizeof *w->kept);
	if (!w->survivor || !w->kept || gs_history_find_preexisting(h) || look_for_own_segments(h) ||
		gs_history_find_pieces(h))
		return GS_NO_MEMORY;
	look_at_kinds(h);
	gs_status status = gs_history_infer(h);
	return status ? status : gs_history_layout(h, -1, &h->initial, NULL);
}

gs_status gs_history_init(gs_history *h, const gs_snapshot *s, const gs_device *d, gs_error *err)
{
	memset(h, 0, sizeof *h);
	gs_layout_init(&h->initial);
	h->snapshot = s;
	h->device = d;
	h->n = d->trace.n;
	if (h->n > INT32_MAX)
		return gs_fail(err, GS_LIMIT, "device %d has more than %d events", d->device, INT32_MAX);
	h->captured_at = (int64_t)h->n - 1;
	for (size_t i = 0; d->layout_at_oom && i < s->nooms; i++)
		if (s->ooms[i].device == d->device && s->ooms[i].idx >= 0 && s->ooms[i].idx < (int64_t)h->n)
			h->captured_at = s->ooms[i].idx;
	if (d->captured.idx >= -1 && d->captured.idx < (int64_t)h->n)
		h->captured_at = d->captured.idx; /* a stream's last layout: events follow it */
	if (!(h->tables = calloc(1, sizeof *h->tables)))
		return gs_no_memory(err);
	h->tables->last_change = h->tables->peak_allocated = h->tables->peak_reserved = -1;
	h->tables->policy = gs_policy_of(s);
	gs_policy_settings(s, &h->tables->settings, NULL);
	if (make_tables(h))
		return gs_fail(
			err, GS_NO_MEMORY, "out of memory while rebuilding the states of device %d", d->device);
	h->starts_empty = !h->initial.nsegments && !h->contradictions;
	return GS_OK;
}

void gs_history_release(gs_history *h)
{
	if (h->tables) {
		gs_address_index_release(&h->tables->addresses);
		free(h->tables->at);
		free(h->tables->size_source);
		free(h->tables->survivor);
		free(h->tables->kept);
		free(h->tables->preexisting);
		free(h->tables->pieces);
		free(h->tables->moves);
		free(h->tables->traits.all);
		free(h->tables);
	}
	gs_layout_release(&h->initial);
	free(h->sizes);
	gs_memory_give(h->large);
	free(h->births);
	memset(h, 0, sizeof *h);
}
