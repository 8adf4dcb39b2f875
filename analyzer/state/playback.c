/* Playing events: the same steps for inferring sizes, for building a layout. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/state/history_internal.h"

gs_status gs_playback_init(gs_playback *r, const gs_history *h)
{
	const gs_history_tables *w = h->tables;
	memset(r, 0, sizeof *r);
	r->h = h;
	r->pending = calloc(w->addresses.n + 1, 1);
	r->birth = malloc((w->addresses.n + 1) * sizeof *r->birth);
	if (!r->pending || !r->birth || gs_address_set_init(&r->active, w->addresses.n) ||
		gs_mapped_memory_init(&r->map, &w->addresses, &w->traits)) {
		gs_playback_release(r);
		return GS_NO_MEMORY;
	}
	for (uint32_t i = 0; i < w->npieces; i++)
		gs_mapped_memory_add(&r->map, w->pieces[i].number, w->pieces[i].size, w->pieces[i].traits);
	for (uint32_t i = 0; i < w->npreexisting; i++) {
		uint32_t number = w->preexisting[i].number;
		gs_address_set_add(&r->active, number);
		r->birth[number] = -2 - (int32_t)i;
		r->pending[number] = w->preexisting[i].state == GS_ACTIVE_PENDING_FREE;
	}
	return GS_OK;
}

void gs_playback_release(gs_playback *r)
{
	gs_address_set_release(&r->active);
	gs_mapped_memory_release(&r->map);
	free(r->pending);
	free(r->birth);
	memset(r, 0, sizeof *r);
}

uint64_t gs_playback_size(const gs_playback *r, uint32_t number)
{
	int32_t birth = r->birth[number];
	return birth >= 0 ? gs_history_size(r->h, (size_t)birth)
					  : r->h->tables->preexisting[-2 - birth].size;
}

uint8_t gs_playback_size_source(const gs_playback *r, uint32_t number)
{
	int32_t birth = r->birth[number];
	return birth >= 0 ? r->h->tables->size_source[birth]
					  : r->h->tables->preexisting[-2 - birth].size_source;
}

uint64_t gs_playback_free_end(const gs_playback *r, uint32_t piece, uint32_t number)
{
	uint64_t end = gs_mapped_memory_end(&r->map, piece);
	uint32_t next = gs_address_set_next(&r->active, number + 1);
	return next != GS_NO_ADDRESS && r->map.addresses->address[next] < end
		? r->map.addresses->address[next]
		: end;
}

static void step_block(gs_playback *r, size_t i, gs_action action, uint32_t number)
{
	bool active = gs_address_set_has(&r->active, number);
	uint8_t size_source = active && action == GS_ACTION_FREE_COMPLETED
		? gs_playback_size_source(r, number)
		: 0;
	switch (action) {
	case GS_ACTION_ALLOC:
		gs_address_set_add(&r->active, number);
		r->birth[number] = (int32_t)i;
		r->pending[number] = 0;
		if (r->h->tables->size_source[i] & GS_SIZE_OF_OWN_SEGMENT)
			gs_mapped_memory_add(&r->map, number, gs_history_size(r->h, i),
				r->h->tables->own_traits + r->h->device->trace.events[i].stream);
		break;
	case GS_ACTION_FREE_REQUESTED: r->pending[number] = 1; break;
	default:
		if (size_source & GS_SIZE_OF_OWN_SEGMENT)
			gs_mapped_memory_cut(&r->map, number, gs_playback_size(r, number), NULL);
		if (active)
			gs_address_set_remove(&r->active, number);
		break;
	}
}

void gs_playback_step(gs_playback *r, size_t i)
{
	const gs_history_tables *w = r->h->tables;
	const gs_event *e = &r->h->device->trace.events[i];
	gs_action action = gs_event_action(e);
	if (w->at[i] == GS_NO_ADDRESS)
		return;
	if (gs_action_is_block(action)) {
		step_block(r, i, action, w->at[i]);
		return;
	}
	uint32_t traits = w->moves[r->move++].traits;
	if (gs_action_adds_memory(action))
		gs_mapped_memory_add(&r->map, w->at[i], e->size, traits);
	else
		gs_mapped_memory_cut(&r->map, w->at[i], e->size, NULL);
}
