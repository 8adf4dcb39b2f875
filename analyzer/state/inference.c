/* Playing the whole trace once to learn what it implies: block sizes, classes of segments, and
 * whether all agrees. */
#include <stdlib.h>

#include "analyzer/state/history_internal.h"
#include "recorder/pool/rules.h"

static uint64_t address_of(const gs_history *h, uint32_t place)
{
	return h->work->places.address[place];
}

static uint64_t least_size(const gs_history *h, uint64_t requested)
{
	uint64_t unit = h->work->policy->caches ? GS_MIN_BLOCK : 1;
	return requested > UINT64_MAX - unit ? UINT64_MAX : (requested + unit - 1) / unit * unit;
}

/* The class of a segment is that of any request it served; a pool id told by an event of its blocks
 * is its own. */
static void learn_traits(gs_history *h, gs_traits *t, const gs_event *e)
{
	if (t->pool_guessed && h->work->policy->classes) {
		t->pool = e->size <= GS_SMALL_MAX ? GS_SMALL : GS_LARGE;
		t->pool_guessed = false;
	}
	if (t->id_guessed && e->pool && e->pool <= h->snapshot->npools) {
		t->pool_id = h->snapshot->pools[e->pool - 1];
		t->id_guessed = false;
	}
}

/* The size of a block carved from the front of free bytes, as the rules have it. */
static uint64_t size_by_rule(
	gs_history *h, const gs_traits *t, uint64_t room, uint64_t requested, uint8_t *how)
{
	gs_history_work *w = h->work;
	uint64_t least = least_size(h, requested), rounded = w->policy->round(&w->settings, requested);
	*how = least == room ? GS_HOW_PROVEN : GS_HOW_RULE;
	if (rounded > room) {
		w->conflicts += least < room;
		*how = least == room ? GS_HOW_PROVEN : GS_HOW_OPEN;
		return room;
	}
	if (w->mixed && t->pool != GS_SMALL && room - rounded >= GS_MIN_BLOCK &&
		room - rounded <= GS_SMALL_MAX)
		*how = GS_HOW_OPEN;
	return w->policy->splits(&w->settings, (gs_pool_class)t->pool, rounded, room) ? rounded : room;
}

/* An allocation at that address begins where the active block before it ends. */
static void prove_end(gs_history *h, gs_playback *r, size_t i, uint32_t before, uint64_t end)
{
	int32_t birth = r->birth[before];
	uint64_t size = end - address_of(h, before);
	gs_born *b = birth < 0 ? &h->work->born[-2 - birth] : NULL;
	uint64_t *known = b ? &b->size : &h->sizes[birth];
	uint8_t *how = b ? &b->how : &h->work->how[birth];
	uint64_t requested = b ? b->requested : h->device->trace.events[birth].size;
	if (*known != size) {
		if ((*how & GS_HOW_MASK) == GS_HOW_PROVEN || size < least_size(h, requested)) {
			gs_history_contradict(
				h, i, end, "an allocation that is not at the front of free memory");
			return;
		}
		h->work->conflicts += (*how & GS_HOW_MASK) == GS_HOW_RULE || (b && size > b->high);
		*known = size;
	}
	*how = (uint8_t)((*how & ~GS_HOW_MASK) | GS_HOW_PROVEN);
}

/* An allocation in mapped memory. room: the free bytes that begin at it. */
static void learn_size(gs_history *h, size_t i, uint32_t place, gs_traits *t, uint64_t room)
{
	gs_history_work *w = h->work;
	const gs_event *e = &h->device->trace.events[i];
	learn_traits(h, t, e);
	uint64_t size = size_by_rule(h, t, room, e->size, &w->how[i]);
	if (w->kept[place] == (int32_t)i) {
		uint64_t captured = h->device->captured.blocks[w->survivor[place] - 1].size;
		if (captured > room)
			gs_history_contradict(h, i, e->address,
				"the block as captured is larger than the free memory it came from");
		w->conflicts += captured != size && w->how[i] == GS_HOW_RULE;
		w->how[i] = GS_HOW_PROVEN;
		size = captured;
	} else if (size < least_size(h, e->size)) {
		gs_history_contradict(
			h, i, e->address, "an allocation larger than the free memory at its address");
	}
	h->sizes[i] = size;
}

static void learn_alloc(gs_history *h, gs_playback *r, size_t i, uint32_t place)
{
	gs_history_work *w = h->work;
	const gs_event *e = &h->device->trace.events[i];
	h->births[i] = (int32_t)i;
	if (gs_place_set_has(&r->active, place))
		gs_history_contradict(h, i, e->address, "an allocation where a live block is");
	uint32_t piece = gs_map_piece(&r->map, place);
	if (piece == GS_NO_PLACE) {
		h->sizes[i] = w->kept[place] == (int32_t)i
			? h->device->captured.blocks[w->survivor[place] - 1].size
			: w->policy->round(&w->settings, e->size);
		w->how[i] = GS_HOW_PROVEN | (w->own_segments && e->size ? GS_HOW_OWN_SEGMENT : 0);
		if (!w->own_segments)
			gs_history_contradict(h, i, e->address, "an allocation outside the known segments");
		return;
	}
	uint32_t before = place ? gs_place_set_previous(&r->active, place - 1) : GS_NO_PLACE;
	if (before != GS_NO_PLACE && before >= piece)
		prove_end(h, r, i, before, e->address);
	else if (place != piece)
		gs_history_contradict(
			h, i, e->address, "an allocation that is not at the front of free memory");
	learn_size(h, i, place, &w->traits.all[r->map.traits[piece]],
		gs_playback_free_end(r, piece, place) - e->address);
}

static void learn_free(gs_history *h, gs_playback *r, size_t i, uint32_t place, bool completed)
{
	const gs_event *e = &h->device->trace.events[i];
	if (!gs_place_set_has(&r->active, place)) {
		gs_history_contradict(h, i, e->address, "a free where no live block is");
		return;
	}
	if (!completed && r->pending[place]) {
		gs_history_contradict(h, i, e->address, "a block freed twice");
		return;
	}
	int32_t birth = r->birth[place];
	h->births[i] = birth >= 0 ? birth : -1;
	h->sizes[i] = 1; /* a mark: sizes of frees are copied when all are known */
	if (completed && !r->pending[place])
		h->work->how[i] |= GS_HOW_DIRECT;
	uint32_t piece = gs_map_piece(&r->map, place);
	if (piece != GS_NO_PLACE)
		learn_traits(h, &h->work->traits.all[r->map.traits[piece]], e);
}

/* Memory that goes away holds no active block. */
static void learn_removal(gs_history *h, gs_playback *r, size_t i, uint32_t place)
{
	const gs_event *e = &h->device->trace.events[i];
	uint32_t next = gs_place_set_next(&r->active, place);
	if (next != GS_NO_PLACE && address_of(h, next) < e->address + e->size)
		gs_history_contradict(h, i, e->address, "memory is given back that holds a live block");
	uint32_t piece = gs_map_piece(&r->map, place),
			 before = gs_place_set_previous(&r->active, place);
	if (piece == GS_NO_PLACE || before == GS_NO_PLACE || before < piece || before == place)
		return;
	uint64_t most = e->address - address_of(h, before);
	if (gs_playback_size(r, before) <= most)
		return;
	int32_t birth = r->birth[before];
	if ((gs_playback_how(r, before) & GS_HOW_MASK) == GS_HOW_PROVEN)
		gs_history_contradict(h, i, e->address, "memory is given back that holds a live block");
	else if (birth < 0)
		h->work->born[-2 - birth].size = h->work->born[-2 - birth].high = most;
	else
		h->sizes[birth] = most, h->work->how[birth] = GS_HOW_OPEN, h->work->conflicts++;
}

/* The size of a block that was born before the trace and freed in it, until an allocation behind it
 * tells: least what was requested, at most up to the next active block. */
static void bound_born(gs_history *h, gs_playback *r, gs_born *b)
{
	gs_history_work *w = h->work;
	uint32_t piece = gs_map_piece(&r->map, b->place);
	uint64_t rounded = w->policy->round(&w->settings, b->requested);
	if (piece == GS_NO_PLACE) {
		b->size = b->high = rounded;
		gs_history_contradict(
			h, 0, address_of(h, b->place), "a block that was outside the known segments");
		return;
	}
	gs_traits *t = &w->traits.all[r->map.traits[piece]];
	uint64_t room = gs_playback_free_end(r, piece, b->place) - address_of(h, b->place);
	bool whole = b->place == piece && address_of(h, b->place) + room == gs_map_end(&r->map, piece);
	if (t->pool_guessed && w->policy->classes) {
		t->pool = b->requested <= GS_SMALL_MAX ? GS_SMALL : GS_LARGE;
		t->pool_guessed = false;
	}
	b->high = room;
	b->size = size_by_rule(h, t, room, b->requested, &b->how);
	if (b->how != GS_HOW_RULE)
		return;
	/* Where rests are always cut off, nothing but the rounding decides; a whole segment was not cut
	 * if it would not be now; free memory of the large class is never smaller than a rest that is
	 * cut off. Else the block may have come from a smaller hole, uncut. */
	bool always = w->policy->splits(
		&w->settings, (gs_pool_class)t->pool, GS_MIN_BLOCK, 2 * GS_MIN_BLOCK);
	bool uncut = b->size == room && (whole || rounded < w->settings.max_split);
	if (always || uncut)
		return;
	b->how = GS_HOW_OPEN;
	if (rounded < w->settings.max_split && room - rounded > GS_SMALL_MAX)
		b->high = rounded + GS_SMALL_MAX;
}

static void bound_all_born(gs_history *h, gs_playback *r)
{
	for (uint32_t i = 0; i < h->work->nborn; i++)
		if ((h->work->born[i].how & GS_HOW_MASK) == GS_HOW_OPEN)
			bound_born(h, r, &h->work->born[i]);
}

/* --- does it end as captured ---------------------------------------------------------------------
 */

static void compare_captured(gs_history *h, const gs_playback *r)
{
	const gs_history_work *w = h->work;
	size_t at = (size_t)(h->captured_at < 0 ? 0 : h->captured_at);
	for (uint32_t p = gs_place_set_next(&r->active, 0); p != GS_NO_PLACE;
		 p = gs_place_set_next(&r->active, p + 1)) {
		if (!w->survivor[p]) {
			gs_history_contradict(
				h, at, address_of(h, p), "a live block that the captured segments do not show");
			return;
		}
		bool pending = h->device->captured.blocks[w->survivor[p] - 1].state ==
			GS_ACTIVE_PENDING_FREE;
		if (pending != !!r->pending[p])
			gs_history_contradict(
				h, at, address_of(h, p), "a block whose free is pending, or is not, as captured");
	}
	for (uint32_t p = 0; p < w->places.n; p++)
		if (w->survivor[p] && !gs_place_set_has(&r->active, p))
			gs_history_contradict(
				h, at, address_of(h, p), "a captured live block that no event made");
}

/* --- sums ----------------------------------------------------------------------------------------
 */

static uint64_t born_size(const gs_history_work *w, uint32_t place)
{
	uint32_t low = 0, high = w->nborn;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (w->born[middle].place < place)
			low = middle + 1;
		else
			high = middle;
	}
	return low < w->nborn && w->born[low].place == place ? w->born[low].size : 0;
}

static void size_frees(gs_history *h)
{
	gs_history_work *w = h->work;
	for (size_t i = 0; i < h->n; i++) {
		gs_action action = gs_event_action(&h->device->trace.events[i]);
		if (!h->sizes[i] || action == GS_ACTION_ALLOC || !gs_action_is_block(action))
			continue;
		h->sizes[i] = h->births[i] >= 0 ? h->sizes[h->births[i]] : born_size(w, w->at[i]);
	}
}

/* Where sizes were not as the settings foretell, no other size may rest on them. */
static void doubt_rules(gs_history *h)
{
	gs_history_work *w = h->work;
	if (!w->conflicts)
		return;
	for (size_t i = 0; i < h->n; i++)
		if (h->births[i] == (int32_t)i && (w->how[i] & GS_HOW_MASK) == GS_HOW_RULE)
			w->how[i] |= GS_HOW_OPEN;
	for (uint32_t i = 0; i < w->nborn; i++)
		if ((w->born[i].how & GS_HOW_MASK) == GS_HOW_RULE)
			w->born[i].how |= GS_HOW_OPEN;
}

static uint32_t open_born(const gs_history_work *w)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < w->nborn; i++)
		n += (w->born[i].how & GS_HOW_MASK) == GS_HOW_OPEN;
	return n;
}

/* Finds the peaks; and an earlier snapshot's marker tells the active bytes of its moment: they must
 * be ours. */
static void sum_up(gs_history *h)
{
	gs_history_work *w = h->work;
	gs_gauge g;
	gs_gauge_start(h, &g);
	uint64_t most_allocated = 0, most_reserved = 0;
	int64_t open = open_born(w);
	for (size_t i = 0; i < h->n; i++) {
		const gs_event *e = &h->device->trace.events[i];
		gs_action action = gs_event_action(e);
		gs_gauge_step(h, i, &g);
		if (!i || g.allocated > most_allocated)
			most_allocated = g.allocated, w->peak_allocated = (int64_t)i;
		if (!i || g.reserved > most_reserved)
			most_reserved = g.reserved, w->peak_reserved = (int64_t)i;
		if (action == GS_ACTION_ALLOC)
			open += (w->how[i] & GS_HOW_MASK) == GS_HOW_OPEN;
		else if (action == GS_ACTION_FREE_COMPLETED && h->births[i] >= 0)
			open -= (w->how[h->births[i]] & GS_HOW_MASK) == GS_HOW_OPEN;
		if (action == GS_ACTION_SNAPSHOT && !open && e->size && e->size != g.allocated + g.pending)
			gs_history_contradict(
				h, i, 0, "an earlier snapshot's marker tells another sum of active bytes");
	}
}

gs_status gs_history_learn(gs_history *h)
{
	gs_playback r;
	if (gs_playback_init(&r, h))
		return GS_NO_MEMORY;
	bound_all_born(h, &r);
	for (size_t i = 0; i < h->n; i++) {
		uint32_t place = h->work->at[i];
		gs_action action = gs_event_action(&h->device->trace.events[i]);
		if (place != GS_NO_PLACE && action == GS_ACTION_ALLOC)
			learn_alloc(h, &r, i, place);
		else if (place != GS_NO_PLACE && gs_action_is_block(action))
			learn_free(h, &r, i, place, action == GS_ACTION_FREE_COMPLETED);
		else if (place != GS_NO_PLACE && !gs_action_adds_memory(action))
			learn_removal(h, &r, i, place);
		gs_playback_step(&r, i);
		if ((int64_t)i == h->captured_at && h->device->has_layout)
			compare_captured(h, &r);
	}
	gs_playback_release(&r);
	size_frees(h);
	doubt_rules(h);
	sum_up(h);
	return GS_OK;
}
