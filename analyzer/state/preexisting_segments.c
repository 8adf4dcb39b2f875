/* The segments that were there before the first event: the trace undone from the captured layout.
 */
#include <stdlib.h>

#include "analyzer/model/parts.h"
#include "analyzer/state/history_internal.h"
#include "recorder/pool/rule_sets.h"

/* PyTorch's release of a segment carries the stack of the call that caused it, ours that of the
 * call that made the segment. */
static bool tells_maker(const gs_history *h, const gs_event *e)
{
	return gs_action_adds_memory(gs_event_action(e)) ||
		(h->tables->frees_tell_birth && h->snapshot->kind != GS_KIND_PYTORCH);
}

static bool is_of_expandable(const gs_event *e)
{
	gs_action action = gs_event_action(e);
	return action == GS_ACTION_SEGMENT_MAP || action == GS_ACTION_SEGMENT_UNMAP;
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
	bool expandable = is_of_expandable(e);
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

static gs_status list_some_moves(void *arg, size_t i, size_t end)
{
	const gs_history *h = arg;
	gs_history_tables *w = h->tables;
	for (; i < end; i++)
		if (w->at[i] != GS_NO_ADDRESS &&
			gs_action_is_segment(gs_event_action(&h->device->trace.events[i])))
			w->moves[w->nmoves++] = (gs_move){(uint32_t)i, 0};
	return GS_OK;
}

static gs_status list_moves(gs_history *h)
{
	gs_history_tables *w = h->tables;
	if (!(w->moves = malloc((w->nmoves + 1) * sizeof *w->moves)))
		return GS_NO_MEMORY;
	w->nmoves = 0;
	return gs_in_parts(h->n, list_some_moves, h);
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
		gs_traits t = traits_of_event(h, e, is_of_expandable(e));
		if ((w->moves[k - 1].traits = gs_traits_add(&w->traits, &t)) == UINT32_MAX)
			return GS_NO_MEMORY;
	}
	for (; k; k--)
		if (undo_move(h, m, &w->moves[k - 1]))
			return GS_NO_MEMORY;
	give_preexisting_segments(h, m);
	return keep_pieces(w, m);
}

gs_status gs_history_find_pieces(gs_history *h)
{
	gs_history_tables *w = h->tables;
	gs_mapped_memory m;
	gs_status status = gs_mapped_memory_init(&m, &w->addresses, &w->traits);
	if (!status && !(status = list_moves(h)) && !(status = map_captured(h, &m)))
		status = undo_moves(h, &m);
	gs_mapped_memory_release(&m);
	return status;
}
