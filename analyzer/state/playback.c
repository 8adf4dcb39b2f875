/* Playing events: the same steps for learning sizes, for building a layout. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/state/history_internal.h"

gs_status gs_playback_init(gs_playback *r, const gs_history *h)
{
	const gs_history_work *w = h->work;
	memset(r, 0, sizeof *r);
	r->h = h;
	r->pending = calloc(w->places.n + 1, 1);
	r->birth = malloc((w->places.n + 1) * sizeof *r->birth);
	if (!r->pending || !r->birth || gs_place_set_init(&r->active, w->places.n) ||
		gs_map_init(&r->map, &w->places, &w->traits)) {
		gs_playback_release(r);
		return GS_NO_MEMORY;
	}
	for (uint32_t i = 0; i < w->npieces; i++)
		gs_map_add(&r->map, w->pieces[i].place, w->pieces[i].size, w->pieces[i].traits);
	for (uint32_t i = 0; i < w->nborn; i++) {
		uint32_t place = w->born[i].place;
		gs_place_set_add(&r->active, place);
		r->birth[place] = -2 - (int32_t)i;
		r->pending[place] = w->born[i].state == GS_ACTIVE_PENDING_FREE;
	}
	return GS_OK;
}

void gs_playback_release(gs_playback *r)
{
	gs_place_set_release(&r->active);
	gs_map_release(&r->map);
	free(r->pending);
	free(r->birth);
	memset(r, 0, sizeof *r);
}

uint64_t gs_playback_size(const gs_playback *r, uint32_t place)
{
	int32_t birth = r->birth[place];
	return birth >= 0 ? r->h->sizes[birth] : r->h->work->born[-2 - birth].size;
}

uint8_t gs_playback_how(const gs_playback *r, uint32_t place)
{
	int32_t birth = r->birth[place];
	return birth >= 0 ? r->h->work->how[birth] : r->h->work->born[-2 - birth].how;
}

uint64_t gs_playback_free_end(const gs_playback *r, uint32_t piece, uint32_t place)
{
	uint64_t end = gs_map_end(&r->map, piece);
	uint32_t next = gs_place_set_next(&r->active, place + 1);
	return next != GS_NO_PLACE && r->map.places->address[next] < end ? r->map.places->address[next]
																	 : end;
}

static void step_block(gs_playback *r, size_t i, gs_action action, uint32_t place)
{
	bool active = gs_place_set_has(&r->active, place);
	uint8_t how = active && action == GS_ACTION_FREE_COMPLETED ? gs_playback_how(r, place) : 0;
	switch (action) {
	case GS_ACTION_ALLOC:
		gs_place_set_add(&r->active, place);
		r->birth[place] = (int32_t)i;
		r->pending[place] = 0;
		if (r->h->work->how[i] & GS_HOW_OWN_SEGMENT)
			gs_map_add(&r->map, place, r->h->sizes[i],
				r->h->work->own_traits + r->h->device->trace.events[i].stream);
		break;
	case GS_ACTION_FREE_REQUESTED: r->pending[place] = 1; break;
	default:
		if (how & GS_HOW_OWN_SEGMENT)
			gs_map_cut(&r->map, place, gs_playback_size(r, place), NULL);
		if (active)
			gs_place_set_remove(&r->active, place);
		break;
	}
}

gs_status gs_playback_step(gs_playback *r, size_t i)
{
	const gs_history_work *w = r->h->work;
	const gs_event *e = &r->h->device->trace.events[i];
	gs_action action = gs_event_action(e);
	if (w->at[i] == GS_NO_PLACE)
		return GS_OK;
	if (gs_action_is_block(action)) {
		step_block(r, i, action, w->at[i]);
		return GS_OK;
	}
	uint32_t traits = w->moves[r->move++].traits;
	if (gs_action_adds_memory(action))
		gs_map_add(&r->map, w->at[i], e->size, traits);
	else
		gs_map_cut(&r->map, w->at[i], e->size, NULL);
	return GS_OK;
}
