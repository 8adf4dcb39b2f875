/* Which pool each life is of, where its event does not tell: that of the memory it lies in. */
#include "analyzer/state/lives.h"

#include <stdlib.h>

#include "analyzer/model/array.h"
#include "analyzer/model/hash_map.h"
#include "analyzer/model/parts.h"
#include "analyzer/state/history_internal.h"

/* The ids that there are, numbered: those of the snapshot as they stand there, then others. */
typedef struct numbering {
	gs_lives *lives;
	gs_hash_map numbers; /* by a hash of the id, or one of the keys after it */
	size_t cap;
	bool short_of_memory;
} numbering;

enum { MOST_TRIES = 64 }; /* ids that are made to have one hash are unknown */

static uint16_t add_number(numbering *p, uint64_t key, gs_pool_id id)
{
	gs_lives *x = p->lives;
	if (x->npools == UINT16_MAX)
		return 0;
	if (!GS_ARRAY_RESERVE(x->pools, p->cap, (size_t)x->npools + 1) ||
		!gs_hash_map_put(&p->numbers, key, x->npools)) {
		p->short_of_memory = true;
		return 0;
	}
	x->pools[x->npools++] = id;
	return x->npools;
}

/* Index + 1 among the pools, whose last it may become; 0 where there are too many. */
static uint16_t number_of(numbering *p, gs_pool_id id)
{
	uint64_t key = id.a * UINT64_C(0x9e3779b97f4a7c15) ^ id.b * UINT64_C(0xc2b2ae3d27d4eb4f);
	for (int i = 0; i < MOST_TRIES; i++) {
		uint32_t at;
		if (!gs_hash_map_find(&p->numbers, key + i, &at))
			return add_number(p, key + i, id);
		if (p->lives->pools[at].a == id.a && p->lives->pools[at].b == id.b)
			return (uint16_t)(at + 1);
	}
	return 0;
}

/* An id that the snapshot has twice keeps both places. */
static void number_snapshot(numbering *p)
{
	const gs_snapshot *s = p->lives->history->snapshot;
	for (uint32_t i = 0; i < s->npools && !p->short_of_memory; i++)
		if (number_of(p, s->pools[i]) != i + 1)
			add_number(p, UINT64_MAX - i, s->pools[i]);
}

/* By traits; 0 where nothing tells the id, and others are known. */
static uint16_t *number_traits(numbering *p)
{
	const gs_history_tables *w = p->lives->history->tables;
	uint16_t *pools = calloc((size_t)w->traits.n + 1, sizeof *pools);
	for (uint32_t i = 0; pools && i < w->traits.n; i++)
		if (!w->traits.all[i].id_guessed || !w->private_pools)
			pools[i] = number_of(p, w->traits.all[i].pool_id);
	return pools;
}

static uint16_t pool_at(const gs_playback *r, uint32_t number, const uint16_t *by_traits)
{
	uint32_t piece = number == GS_NO_ADDRESS ? GS_NO_ADDRESS
											 : gs_mapped_memory_piece(&r->map, number);
	return piece == GS_NO_ADDRESS ? 0 : by_traits[r->map.traits[piece]];
}

typedef struct look {
	gs_lives *lives;
	gs_playback r;
	const uint16_t *by_traits;
	uint32_t life;
} look;

/* By allocation, in the order of events. */
static gs_status look_where_they_lie(void *arg, size_t i, size_t end)
{
	look *x = arg;
	const gs_history *h = x->lives->history;
	for (; i < end; i++) {
		gs_playback_step(&x->r, i);
		if (h->tables->at[i] != GS_NO_ADDRESS &&
			gs_event_action(&h->device->trace.events[i]) == GS_ACTION_ALLOC)
			x->lives->lie_in[x->life++] = pool_at(&x->r, h->tables->at[i], x->by_traits);
	}
	return GS_OK;
}

static bool all_told(const gs_history *h)
{
	for (size_t i = 0; i < h->n; i++) {
		const gs_event *e = &h->device->trace.events[i];
		if (gs_event_action(e) == GS_ACTION_ALLOC && !e->pool)
			return false;
	}
	return true;
}

static gs_status find_where_they_lie(gs_lives *x, size_t births, const uint16_t *by_traits)
{
	look all = {.lives = x, .by_traits = by_traits};
	x->lie_in = calloc(births + 1, sizeof *x->lie_in);
	if (!x->lie_in || gs_playback_init(&all.r, x->history))
		return GS_NO_MEMORY;
	gs_in_parts(x->history->n, look_where_they_lie, &all);
	gs_playback_release(&all.r);
	return GS_OK;
}

gs_status gs_lives_find_pools(gs_lives *x, size_t births)
{
	numbering p = {.lives = x};
	number_snapshot(&p);
	const gs_layout *l = &x->history->initial;
	for (size_t i = 0; i < l->nsegments && !p.short_of_memory; i++)
		number_of(&p, l->segments[i].pool_id);
	uint16_t *by_traits = number_traits(&p);
	gs_status status = by_traits && !p.short_of_memory ? GS_OK : GS_NO_MEMORY;
	if (!status && x->history->tables->private_pools && !all_told(x->history))
		status = find_where_they_lie(x, births, by_traits);
	else if (!status && x->history->device->has_layout)
		x->usual_pool = number_of(&p, (gs_pool_id){0, 0});
	free(by_traits);
	gs_hash_map_release(&p.numbers);
	return status;
}
