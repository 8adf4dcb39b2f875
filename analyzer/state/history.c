/* Making a history: numbering addresses, undoing the trace from the captured layout, and handing
 * over to inference. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/state/history_internal.h"
#include "recorder/pool/rules.h"

/* --- numbering -----------------------------------------------------------------------------------
 */

static bool has_range(const gs_event *e) { return e->size && e->address + e->size > e->address; }

static gs_status collect_events(gs_history *h)
{
	gs_history_tables *w = h->tables;
	for (size_t i = 0; i < h->n; i++) {
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

static gs_status number_addresses(gs_history *h)
{
	gs_history_tables *w = h->tables;
	uint32_t *renumber = NULL;
	if (collect_events(h) || collect_layout(h) || gs_address_index_seal(&w->addresses, &renumber))
		return GS_NO_MEMORY;
	for (size_t i = 0; i < h->n; i++)
		if (w->at[i] != GS_NO_ADDRESS)
			w->at[i] = renumber[w->at[i]];
	free(renumber);
	return GS_OK;
}

/* --- segments before the first event -------------------------------------------------------------
 */

/* PyTorch's release of a segment carries the stack of the call that caused it, ours that of the
 * call that made the segment. */
static bool tells_maker(const gs_history *h, const gs_event *e)
{
	return gs_action_adds_memory(gs_event_action(e)) ||
		(h->tables->frees_tell_birth && h->snapshot->kind != GS_KIND_PYTORCH);
}

static gs_traits traits_of_event(const gs_history *h, const gs_event *e, bool expandable)
{
	const gs_history_tables *w = h->tables;
	gs_traits t = {.expandable = expandable, .stack = tells_maker(h, e) ? e->stack : 0};
	t.stream = e->stream < h->snapshot->nstreams ? h->snapshot->streams[e->stream] : 0;
	t.id_guessed = !e->pool || e->pool > h->snapshot->npools;
	if (!t.id_guessed)
		t.pool_id = h->snapshot->pools[e->pool - 1];
	uint64_t large = expandable ? w->settings.large_segment : GS_LARGE_MIN;
	t.pool = expandable ? (e->size % large ? GS_SMALL : GS_LARGE)
						: (e->size < large ? GS_SMALL : GS_LARGE);
	t.pool_guessed = true;
	return t;
}

/* Memory that an undone segment_unmap brings back next to a run belongs to that run. */
static void inherit(const gs_mapped_memory *m, uint32_t number, uint64_t size, gs_traits *t)
{
	uint32_t after = gs_address_set_next(&m->starts, number),
			 before = gs_address_set_previous(&m->starts, number);
	const gs_traits *neighbour = NULL;
	if (after != GS_NO_ADDRESS &&
		m->addresses->address[after] == m->addresses->address[number] + size)
		neighbour = &m->table->all[m->traits[after]];
	else if (before != GS_NO_ADDRESS &&
		gs_mapped_memory_end(m, before) == m->addresses->address[number])
		neighbour = &m->table->all[m->traits[before]];
	if (neighbour && gs_traits_joinable(neighbour, t))
		*t = *neighbour;
}

/* A page mapped at a time tells the class: large pages are never as small as small ones. */
static void infer_class_of_mapping(gs_history *h, gs_traits *t, uint64_t size)
{
	if (t->expandable && t->pool_guessed) {
		t->pool = size == GS_SMALL_SEGMENT ? GS_SMALL : GS_LARGE;
		t->pool_guessed = false;
	}
	(void)h;
}

static gs_status undo_move(gs_history *h, gs_mapped_memory *m, gs_move *move)
{
	gs_history_tables *w = h->tables;
	const gs_event *e = &h->device->trace.events[move->event];
	gs_action action = gs_event_action(e);
	bool expandable = action == GS_ACTION_SEGMENT_MAP || action == GS_ACTION_SEGMENT_UNMAP;
	uint32_t number = w->at[move->event], traits = UINT32_MAX;
	if (gs_action_adds_memory(action)) {
		uint64_t taken = gs_mapped_memory_cut(m, number, e->size, &traits);
		if (h->device->has_layout && taken != e->size)
			gs_history_contradict(
				h, move->event, e->address, "memory that was gone without an event");
	}
	if (traits == UINT32_MAX) {
		gs_traits t = traits_of_event(h, e, expandable);
		if (expandable)
			inherit(m, number, e->size, &t);
		if ((traits = gs_traits_add(&w->traits, &t)) == UINT32_MAX)
			return GS_NO_MEMORY;
	}
	if (action == GS_ACTION_SEGMENT_MAP)
		infer_class_of_mapping(h, &w->traits.all[traits], e->size);
	if (!gs_action_adds_memory(action) && gs_mapped_memory_add(m, number, e->size, traits))
		gs_history_contradict(
			h, move->event, e->address, "memory that is given back is still there");
	move->traits = traits;
	return GS_OK;
}

/* The map as captured. Segments that are one block each, told by no event, come and go with their
 * block. */
static gs_status map_captured(gs_history *h, gs_mapped_memory *m)
{
	gs_history_tables *w = h->tables;
	const gs_layout *l = &h->device->captured;
	for (size_t i = 0; i < l->nsegments; i++) {
		const gs_segment *g = &l->segments[i];
		gs_traits t = {g->stream, g->pool_id, g->stack, g->pool, g->expandable, false, false};
		uint32_t traits = gs_traits_add(&w->traits, &t);
		if (traits == UINT32_MAX)
			return GS_NO_MEMORY;
		w->private_pools |= g->pool_id.a || g->pool_id.b;
		uint32_t number = gs_address_index_find(&w->addresses, g->address);
		if (w->own_segments && g->nblocks && w->kept[number] >= 0)
			continue;
		if (!g->size || g->address + g->size < g->address ||
			gs_mapped_memory_add(m, number, g->size, traits))
			gs_history_contradict(h, h->n, g->address, "the captured segments overlap");
	}
	return GS_OK;
}

static gs_status list_moves(gs_history *h)
{
	gs_history_tables *w = h->tables;
	if (!(w->moves = malloc((w->nmoves + 1) * sizeof *w->moves)))
		return GS_NO_MEMORY;
	w->nmoves = 0;
	for (size_t i = 0; i < h->n; i++)
		if (w->at[i] != GS_NO_ADDRESS &&
			gs_action_is_segment(gs_event_action(&h->device->trace.events[i])))
			w->moves[w->nmoves++] = (gs_move){(uint32_t)i, 0};
	return GS_OK;
}

/* In a log of blocks alone: one that was freed in the trace and there before it had its own segment
 * too. */
static void give_preexisting_segments(gs_history *h, gs_mapped_memory *m)
{
	gs_history_tables *w = h->tables;
	for (uint32_t i = 0; w->own_segments && i < w->npreexisting; i++) {
		gs_preexisting_block *b = &w->preexisting[i];
		b->size_source |= GS_SIZE_OF_OWN_SEGMENT;
		if (b->captured)
			continue;
		b->size = b->high = b->requested;
		b->size_source = GS_SIZE_PROVEN | GS_SIZE_OF_OWN_SEGMENT;
		if (b->size)
			gs_mapped_memory_add(m, b->number, b->size, w->own_traits);
	}
}

static gs_status keep_pieces(gs_history_tables *w, const gs_mapped_memory *m)
{
	uint32_t n = 0;
	for (uint32_t p = gs_address_set_next(&m->starts, 0); p != GS_NO_ADDRESS;
		 p = gs_address_set_next(&m->starts, p + 1))
		n++;
	if (!(w->pieces = malloc((n + 1) * sizeof *w->pieces)))
		return GS_NO_MEMORY;
	for (uint32_t p = gs_address_set_next(&m->starts, 0); p != GS_NO_ADDRESS;
		 p = gs_address_set_next(&m->starts, p + 1))
		w->pieces[w->npieces++] = (gs_piece){m->size[p], p, m->traits[p]};
	return GS_OK;
}

/* Undoes the segment events up to the captured layout; gives those behind it their traits. */
static gs_status undo_moves(gs_history *h, gs_mapped_memory *m)
{
	gs_history_tables *w = h->tables;
	size_t k = w->nmoves;
	for (; k && (int64_t)w->moves[k - 1].event > h->captured_at; k--) {
		const gs_event *e = &h->device->trace.events[w->moves[k - 1].event];
		gs_traits t = traits_of_event(h, e, gs_event_action(e) == GS_ACTION_SEGMENT_MAP);
		if ((w->moves[k - 1].traits = gs_traits_add(&w->traits, &t)) == UINT32_MAX)
			return GS_NO_MEMORY;
	}
	for (; k; k--)
		if (undo_move(h, m, &w->moves[k - 1]))
			return GS_NO_MEMORY;
	give_preexisting_segments(h, m);
	return keep_pieces(w, m);
}

static gs_status find_pieces(gs_history *h)
{
	gs_history_tables *w = h->tables;
	gs_mapped_memory m;
	gs_status status = gs_mapped_memory_init(&m, &w->addresses, &w->traits);
	if (!status && !(status = list_moves(h)) && !(status = map_captured(h, &m)))
		status = undo_moves(h, &m);
	gs_mapped_memory_release(&m);
	return status;
}

/* --- blocks before the first event ---------------------------------------------------------------
 */

typedef struct last_seen {
	int32_t first, alloc, completed;
} last_seen; /* events by address number, -1 none */

/* Whose stack a free carries is a choice of the recording that the file does not name (PyTorch's
 * context: "all", the default, records the call that freed; "alloc" repeats the allocation's).
 * Blocks of which both events are in the trace show it; one that differs is enough. */
static void infer_stacks_of_frees(gs_history *h)
{
	gs_history_tables *w = h->tables;
	const gs_event *events = h->device->trace.events;
	size_t same = 0, other = 0;
	for (uint32_t p = 0; p < w->addresses.n; p++)
		w->kept[p] = -1;
	for (size_t i = 0; i < h->n && !other; i++) {
		gs_action action = gs_event_action(&events[i]);
		if (!gs_action_is_block(action))
			continue;
		int32_t *live = &w->kept[w->at[i]];
		if (action != GS_ACTION_ALLOC && *live >= 0 && events[*live].stack && events[i].stack)
			*(events[*live].stack == events[i].stack ? &same : &other) += 1;
		*live = action == GS_ACTION_ALLOC ? (int32_t)i : -1;
	}
	w->frees_tell_birth = !other && (same || h->snapshot->kind != GS_KIND_PYTORCH);
}

static last_seen *last_events_by_address(const gs_history *h)
{
	const gs_history_tables *w = h->tables;
	last_seen *seen = malloc((w->addresses.n + 1) * sizeof *seen);
	if (!seen)
		return NULL;
	for (uint32_t p = 0; p < w->addresses.n; p++)
		seen[p] = (last_seen){-1, -1, -1};
	for (size_t i = 0; i < h->n; i++) {
		gs_action action = gs_event_action(&h->device->trace.events[i]);
		if (!gs_action_is_block(action))
			continue;
		last_seen *p = &seen[w->at[i]];
		if (p->first < 0)
			p->first = (int32_t)i;
		if ((int64_t)i > h->captured_at)
			continue;
		if (action == GS_ACTION_ALLOC)
			p->alloc = (int32_t)i;
		else if (action == GS_ACTION_FREE_COMPLETED)
			p->completed = (int32_t)i;
	}
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

static gs_status find_preexisting(gs_history *h)
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
	if (!w->survivor || !w->kept || find_preexisting(h) || look_for_own_segments(h) ||
		find_pieces(h))
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
		return gs_fail(err, GS_NO_MEMORY, "out of memory");
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
	free(h->births);
	memset(h, 0, sizeof *h);
}
