/* The blocks that were there before the first event: freed in the trace, or in the captured layout
 * without an allocation. */
#include <stdlib.h>

#include "analyzer/model/parts.h"
#include "analyzer/state/history_internal.h"

typedef struct last_seen {
	int32_t first, alloc, completed;
} last_seen; /* events by address number, -1 none */

typedef struct frees {
	const gs_history *h;
	size_t same, other; /* by whether its stack is that of the allocation */
} frees;

/* Whose stack a free carries is a choice of the recording that the file does not name (PyTorch's
 * context: "all", the default, records the call that freed; "alloc" repeats the allocation's).
 * Blocks of which both events are in the trace show it; one that differs is enough. */
static gs_status compare_stacks_of_frees(void *arg, size_t i, size_t end)
{
	frees *x = arg;
	const gs_history_tables *w = x->h->tables;
	const gs_event *events = x->h->device->trace.events;
	for (; i < end && !x->other; i++) {
		gs_action action = gs_event_action(&events[i]);
		if (!gs_action_is_block(action))
			continue;
		int32_t *live = &w->kept[w->at[i]];
		if (action != GS_ACTION_ALLOC && *live >= 0 && events[*live].stack && events[i].stack)
			*(events[*live].stack == events[i].stack ? &x->same : &x->other) += 1;
		*live = action == GS_ACTION_ALLOC ? (int32_t)i : -1;
	}
	return GS_OK;
}

static void infer_stacks_of_frees(gs_history *h)
{
	gs_history_tables *w = h->tables;
	frees x = {.h = h};
	for (uint32_t p = 0; p < w->addresses.n; p++)
		w->kept[p] = -1;
	gs_in_parts(h->n, compare_stacks_of_frees, &x);
	w->frees_tell_birth = !x.other && (x.same || h->snapshot->kind != GS_KIND_PYTORCH);
}

typedef struct look {
	const gs_history *h;
	last_seen *seen;
} look;

static gs_status look_at_events(void *arg, size_t i, size_t end)
{
	const look *x = arg;
	const gs_history *h = x->h;
	for (; i < end; i++) {
		gs_action action = gs_event_action(&h->device->trace.events[i]);
		if (!gs_action_is_block(action))
			continue;
		last_seen *p = &x->seen[h->tables->at[i]];
		if (p->first < 0)
			p->first = (int32_t)i;
		if ((int64_t)i > h->captured_at)
			continue;
		if (action == GS_ACTION_ALLOC)
			p->alloc = (int32_t)i;
		else if (action == GS_ACTION_FREE_COMPLETED)
			p->completed = (int32_t)i;
	}
	return GS_OK;
}

static last_seen *last_events_by_address(const gs_history *h)
{
	const gs_history_tables *w = h->tables;
	last_seen *seen = malloc((w->addresses.n + 1) * sizeof *seen);
	if (!seen)
		return NULL;
	for (uint32_t p = 0; p < w->addresses.n; p++)
		seen[p] = (last_seen){-1, -1, -1};
	look x = {h, seen};
	gs_in_parts(h->n, look_at_events, &x);
	return seen;
}

/* Which captured active blocks were allocated where in the trace. */
static void match_survivors(gs_history *h, const last_seen *seen)
{
	gs_history_tables *w = h->tables;
	const gs_layout *l = &h->device->captured;
	for (uint32_t p = 0; p < w->addresses.n; p++)
		w->kept[p] = -2;
	for (size_t i = 0; i < l->nblocks; i++) {
		const gs_block *b = &l->blocks[i];
		if (b->state == GS_INACTIVE)
			continue;
		uint32_t p = gs_address_index_find(&w->addresses, b->address);
		w->survivor[p] = (uint32_t)i + 1;
		if (seen[p].completed > seen[p].alloc || (seen[p].completed >= 0 && seen[p].alloc < 0))
			gs_history_contradict(
				h, (size_t)seen[p].completed, b->address, "a block was freed and is captured live");
		else
			w->kept[p] = seen[p].alloc;
	}
}

static bool is_preexisting(const gs_history *h, uint32_t p, const last_seen *seen)
{
	if (h->tables->kept[p] == -1)
		return true;
	return seen->first >= 0 &&
		gs_event_action(&h->device->trace.events[seen->first]) != GS_ACTION_ALLOC;
}

static void fill_preexisting(
	const gs_history *h, uint32_t p, const last_seen *seen, gs_preexisting_block *b)
{
	const gs_history_tables *w = h->tables;
	*b = (gs_preexisting_block){
		.number = p, .state = GS_ACTIVE_ALLOCATED, .size_source = GS_SIZE_PROVEN};
	if (seen->first >= 0) {
		const gs_event *e = &h->device->trace.events[seen->first];
		b->requested = e->size;
		b->stack = w->frees_tell_birth ? e->stack : 0;
		b->tag = gs_event_tag(e);
		if (gs_event_action(e) == GS_ACTION_FREE_COMPLETED)
			b->state = GS_ACTIVE_PENDING_FREE;
	}
	if (w->kept[p] != -1) {
		b->size_source = GS_SIZE_OPEN;
		return;
	}
	const gs_block *c = &h->device->captured.blocks[w->survivor[p] - 1];
	b->captured = w->survivor[p];
	b->size = b->high = c->size;
	b->stack = c->stack;
	b->tag = c->tag;
	if (c->requested != GS_NONE)
		b->requested = (uint64_t)c->requested;
	if (seen->first < 0)
		b->state = c->state;
}

gs_status gs_history_find_preexisting(gs_history *h)
{
	gs_history_tables *w = h->tables;
	infer_stacks_of_frees(h);
	last_seen *seen = last_events_by_address(h);
	if (!seen)
		return GS_NO_MEMORY;
	match_survivors(h, seen);
	uint32_t n = 0;
	for (uint32_t p = 0; p < w->addresses.n; p++)
		n += is_preexisting(h, p, &seen[p]);
	if (!(w->preexisting = malloc((n + 1) * sizeof *w->preexisting))) {
		free(seen);
		return GS_NO_MEMORY;
	}
	for (uint32_t p = 0; p < w->addresses.n; p++)
		if (is_preexisting(h, p, &seen[p]))
			fill_preexisting(h, p, &seen[p], &w->preexisting[w->npreexisting++]);
	free(seen);
	return GS_OK;
}
