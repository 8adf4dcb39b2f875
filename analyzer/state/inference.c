/* Playing the whole trace once to infer what it implies: block sizes, classes of segments, and
 * whether all agrees. */
#include <stdlib.h>

#include "analyzer/model/parts.h"
#include "analyzer/state/history_internal.h"
#include "recorder/pool/rule_sets.h"

static uint64_t address_of(const gs_history *h, uint32_t number)
{
	return h->tables->addresses.address[number];
}

static uint64_t least_size(const gs_history *h, uint64_t requested)
{
	uint64_t unit = h->tables->policy->caches ? GS_MIN_BLOCK : 1;
	return requested > UINT64_MAX - unit ? UINT64_MAX : (requested + unit - 1) / unit * unit;
}

/* The class of a segment is that of any request it served; a pool id told by an event of its blocks
 * is its own. */
static void infer_traits(gs_history *h, gs_traits *t, const gs_event *e)
{
	if (t->pool_guessed && h->tables->policy->classes) {
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
	gs_history *h, const gs_traits *t, uint64_t room, uint64_t requested, uint8_t *size_source)
{
	gs_history_tables *w = h->tables;
	uint64_t least = least_size(h, requested), rounded = w->policy->round(&w->settings, requested);
	*size_source = least == room ? GS_SIZE_PROVEN : GS_SIZE_BY_RULE;
	if (rounded > room) {
		w->conflicts += least < room;
		*size_source = least == room ? GS_SIZE_PROVEN : GS_SIZE_OPEN;
		return room;
	}
	if (w->mixed && t->pool != GS_SMALL && room - rounded >= GS_MIN_BLOCK &&
		room - rounded <= GS_SMALL_MAX)
		*size_source = GS_SIZE_OPEN;
	return w->policy->splits(&w->settings, (gs_pool_class)t->pool, rounded, room) ? rounded : room;
}

/* An allocation at that address begins where the active block before it ends. */
static void prove_end(gs_history *h, gs_playback *r, size_t i, uint32_t before, uint64_t end)
{
	int32_t birth = r->birth[before];
	uint64_t size = end - address_of(h, before);
	gs_preexisting_block *b = birth < 0 ? &h->tables->preexisting[-2 - birth] : NULL;
	uint64_t known = b ? b->size : gs_history_size(h, (size_t)birth);
	uint8_t *size_source = b ? &b->size_source : &h->tables->size_source[birth];
	uint64_t requested = b ? b->requested : h->device->trace.events[birth].size;
	if (known != size) {
		if ((*size_source & GS_SIZE_SOURCE_MASK) == GS_SIZE_PROVEN ||
			size < least_size(h, requested)) {
			gs_history_contradict(
				h, i, end, "an allocation that is not at the front of free memory");
			return;
		}
		h->tables->conflicts += (*size_source & GS_SIZE_SOURCE_MASK) == GS_SIZE_BY_RULE ||
			(b && size > b->high);
		if (b)
			b->size = size;
		else
			gs_history_set_size(h, (size_t)birth, size);
	}
	*size_source = (uint8_t)((*size_source & ~GS_SIZE_SOURCE_MASK) | GS_SIZE_PROVEN);
}

/* An allocation in mapped memory. room: the free bytes that begin at it. */
static void infer_size(gs_history *h, size_t i, uint32_t number, gs_traits *t, uint64_t room)
{
	gs_history_tables *w = h->tables;
	const gs_event *e = &h->device->trace.events[i];
	infer_traits(h, t, e);
	uint64_t size = size_by_rule(h, t, room, e->size, &w->size_source[i]);
	if (w->kept[number] == (int32_t)i) {
		uint64_t captured = h->device->captured.blocks[w->survivor[number] - 1].size;
		if (captured > room)
			gs_history_contradict(h, i, e->address,
				"the block as captured is larger than the free memory it came from");
		w->conflicts += captured != size && w->size_source[i] == GS_SIZE_BY_RULE;
		w->size_source[i] = GS_SIZE_PROVEN;
		size = captured;
	} else if (size < least_size(h, e->size)) {
		gs_history_contradict(
			h, i, e->address, "an allocation larger than the free memory at its address");
	}
	gs_history_set_size(h, i, size);
}

static void infer_alloc(gs_history *h, gs_playback *r, size_t i, uint32_t number)
{
	gs_history_tables *w = h->tables;
	const gs_event *e = &h->device->trace.events[i];
	h->births[i] = (int32_t)i;
	if (gs_address_set_has(&r->active, number))
		gs_history_contradict(h, i, e->address, "an allocation where a live block is");
	uint32_t piece = gs_mapped_memory_piece(&r->map, number);
	if (piece == GS_NO_ADDRESS) {
		gs_history_set_size(h, i,
			w->kept[number] == (int32_t)i ? h->device->captured.blocks[w->survivor[number] - 1].size
										  : w->policy->round(&w->settings, e->size));
		w->size_source[i] = GS_SIZE_PROVEN |
			(w->own_segments && e->size ? GS_SIZE_OF_OWN_SEGMENT : 0);
		if (!w->own_segments)
			gs_history_contradict(h, i, e->address, "an allocation outside the known segments");
		return;
	}
	uint32_t before = number ? gs_address_set_previous(&r->active, number - 1) : GS_NO_ADDRESS;
	if (before != GS_NO_ADDRESS && before >= piece)
		prove_end(h, r, i, before, e->address);
	else if (number != piece)
		gs_history_contradict(
			h, i, e->address, "an allocation that is not at the front of free memory");
	infer_size(h, i, number, &w->traits.all[r->map.traits[piece]],
		gs_playback_free_end(r, piece, number) - e->address);
}

static void infer_free(gs_history *h, gs_playback *r, size_t i, uint32_t number, bool completed)
{
	const gs_event *e = &h->device->trace.events[i];
	if (!gs_address_set_has(&r->active, number)) {
		gs_history_contradict(h, i, e->address, "a free where no live block is");
		return;
	}
	if (!completed && r->pending[number]) {
		gs_history_contradict(h, i, e->address, "a block freed twice");
		return;
	}
	int32_t birth = r->birth[number];
	h->births[i] = birth >= 0 ? birth : -1;
	gs_history_set_size(h, i, 1); /* a mark: sizes of frees are copied when all are known */
	if (completed && !r->pending[number])
		h->tables->size_source[i] |= GS_FREE_DIRECT;
	uint32_t piece = gs_mapped_memory_piece(&r->map, number);
	if (piece != GS_NO_ADDRESS)
		infer_traits(h, &h->tables->traits.all[r->map.traits[piece]], e);
}

/* Memory that goes away holds no active block. */
static void infer_removal(gs_history *h, gs_playback *r, size_t i, uint32_t number)
{
	const gs_event *e = &h->device->trace.events[i];
	uint32_t next = gs_address_set_next(&r->active, number);
	if (next != GS_NO_ADDRESS && address_of(h, next) < e->address + e->size)
		gs_history_contradict(h, i, e->address, "memory is given back that holds a live block");
	uint32_t piece = gs_mapped_memory_piece(&r->map, number),
			 before = gs_address_set_previous(&r->active, number);
	if (piece == GS_NO_ADDRESS || before == GS_NO_ADDRESS || before < piece || before == number)
		return;
	uint64_t most = e->address - address_of(h, before);
	if (gs_playback_size(r, before) <= most)
		return;
	int32_t birth = r->birth[before];
	if ((gs_playback_size_source(r, before) & GS_SIZE_SOURCE_MASK) == GS_SIZE_PROVEN)
		gs_history_contradict(h, i, e->address, "memory is given back that holds a live block");
	else if (birth < 0)
		h->tables->preexisting[-2 - birth].size = h->tables->preexisting[-2 - birth].high = most;
	else
		gs_history_set_size(h, (size_t)birth, most), h->tables->size_source[birth] = GS_SIZE_OPEN,
													 h->tables->conflicts++;
}

/* The size of a block that was there before the trace and freed in it, until an allocation behind
 * it tells: least what was requested, at most up to the next active block. */
static void bound_preexisting(gs_history *h, gs_playback *r, gs_preexisting_block *b)
{
	gs_history_tables *w = h->tables;
	uint32_t piece = gs_mapped_memory_piece(&r->map, b->number);
	uint64_t rounded = w->policy->round(&w->settings, b->requested);
	if (piece == GS_NO_ADDRESS) {
		b->size = b->high = rounded;
		gs_history_contradict(
			h, 0, address_of(h, b->number), "a block that was outside the known segments");
		return;
	}
	gs_traits *t = &w->traits.all[r->map.traits[piece]];
	uint64_t room = gs_playback_free_end(r, piece, b->number) - address_of(h, b->number);
	bool whole = b->number == piece &&
		address_of(h, b->number) + room == gs_mapped_memory_end(&r->map, piece);
	if (t->pool_guessed && w->policy->classes) {
		t->pool = b->requested <= GS_SMALL_MAX ? GS_SMALL : GS_LARGE;
		t->pool_guessed = false;
	}
	b->high = room;
	b->size = size_by_rule(h, t, room, b->requested, &b->size_source);
	if (b->size_source != GS_SIZE_BY_RULE)
		return;
	/* Where rests are always cut off, nothing but the rounding decides; a whole segment was not cut
	 * if it would not be now; free memory of the large class is never smaller than a rest that is
	 * cut off. Else the block may have come from a smaller hole, uncut. */
	bool always = w->policy->splits(
		&w->settings, (gs_pool_class)t->pool, GS_MIN_BLOCK, 2 * GS_MIN_BLOCK);
	bool uncut = b->size == room && (whole || rounded < w->settings.max_split);
	if (always || uncut)
		return;
	b->size_source = GS_SIZE_OPEN;
	if (rounded < w->settings.max_split && room - rounded > GS_SMALL_MAX)
		b->high = rounded + GS_SMALL_MAX;
}

static void bound_all_preexisting(gs_history *h, gs_playback *r)
{
	for (uint32_t i = 0; i < h->tables->npreexisting; i++)
		if ((h->tables->preexisting[i].size_source & GS_SIZE_SOURCE_MASK) == GS_SIZE_OPEN)
			bound_preexisting(h, r, &h->tables->preexisting[i]);
}

/* --- does it end as captured ---------------------------------------------------------------------
 */

static void compare_captured(gs_history *h, const gs_playback *r)
{
	const gs_history_tables *w = h->tables;
	size_t at = (size_t)(h->captured_at < 0 ? 0 : h->captured_at);
	for (uint32_t p = gs_address_set_next(&r->active, 0); p != GS_NO_ADDRESS;
		 p = gs_address_set_next(&r->active, p + 1)) {
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
	for (uint32_t p = 0; p < w->addresses.n; p++)
		if (w->survivor[p] && !gs_address_set_has(&r->active, p))
			gs_history_contradict(
				h, at, address_of(h, p), "a captured live block that no event made");
}

/* --- sums ----------------------------------------------------------------------------------------
 */

static uint64_t preexisting_size(const gs_history_tables *w, uint32_t number)
{
	uint32_t low = 0, high = w->npreexisting;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (w->preexisting[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < w->npreexisting && w->preexisting[low].number == number ? w->preexisting[low].size
																		 : 0;
}

/* A free's size is its allocation's, which is known when all events are played. */
static void size_free(gs_history *h, size_t i, gs_action action)
{
	const gs_history_tables *w = h->tables;
	if (!h->sizes[i] || (action != GS_ACTION_FREE_REQUESTED && action != GS_ACTION_FREE_COMPLETED))
		return;
	if (h->births[i] >= 0)
		h->sizes[i] = h->sizes[h->births[i]];
	else
		gs_history_set_size(h, i, preexisting_size(w, w->at[i]));
}

/* Where sizes were not as the settings foretell, no other size may rest on them. */
static void doubt_rules(gs_history *h)
{
	gs_history_tables *w = h->tables;
	if (!w->conflicts)
		return;
	for (size_t i = 0; i < h->n; i++)
		if (h->births[i] == (int32_t)i &&
			(w->size_source[i] & GS_SIZE_SOURCE_MASK) == GS_SIZE_BY_RULE)
			w->size_source[i] |= GS_SIZE_OPEN;
	for (uint32_t i = 0; i < w->npreexisting; i++)
		if ((w->preexisting[i].size_source & GS_SIZE_SOURCE_MASK) == GS_SIZE_BY_RULE)
			w->preexisting[i].size_source |= GS_SIZE_OPEN;
}

static uint32_t open_preexisting(const gs_history_tables *w)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < w->npreexisting; i++)
		n += (w->preexisting[i].size_source & GS_SIZE_SOURCE_MASK) == GS_SIZE_OPEN;
	return n;
}

typedef struct sums {
	gs_history *h;
	gs_running_totals now;
	uint64_t most_reserved;
	int64_t open; /* living blocks whose size is only bounded */
} sums;

static gs_status sum_up_events(void *arg, size_t i, size_t end)
{
	sums *x = arg;
	gs_history *h = x->h;
	gs_history_tables *w = h->tables;
	gs_running_totals g = x->now;
	uint64_t most_reserved = x->most_reserved;
	int64_t open = x->open;
	for (; i < end; i++) {
		const gs_event *e = &h->device->trace.events[i];
		gs_action action = gs_event_action(e);
		size_free(h, i, action);
		gs_history_add_up(h, i, &g);
		if (!i || g.allocated > w->at_peak.allocated)
			w->at_peak = g, w->peak_allocated = (int64_t)i;
		if (!i || g.reserved > most_reserved)
			most_reserved = g.reserved, w->peak_reserved = (int64_t)i;
		if (action == GS_ACTION_ALLOC)
			open += (w->size_source[i] & GS_SIZE_SOURCE_MASK) == GS_SIZE_OPEN;
		else if (action == GS_ACTION_FREE_COMPLETED && h->births[i] >= 0)
			open -= (w->size_source[h->births[i]] & GS_SIZE_SOURCE_MASK) == GS_SIZE_OPEN;
		if (action == GS_ACTION_SNAPSHOT && !open && e->size && e->size != g.allocated + g.pending)
			gs_history_contradict(
				h, i, 0, "an earlier snapshot's marker tells another sum of active bytes");
	}
	*x = (sums){h, g, most_reserved, open};
	return GS_OK;
}

/* Sizes the frees, finds the peaks; and an earlier snapshot's marker tells the active bytes of its
 * moment: they must be ours. */
static void sum_up(gs_history *h)
{
	sums x = {.h = h, .open = open_preexisting(h->tables)};
	gs_running_totals_start(h, &x.now);
	gs_in_parts(h->n, sum_up_events, &x);
}

typedef struct inference {
	gs_history *h;
	gs_playback r;
} inference;

static gs_status infer_events(void *arg, size_t i, size_t end)
{
	gs_history *h = ((inference *)arg)->h;
	gs_playback *r = &((inference *)arg)->r;
	for (; i < end; i++) {
		uint32_t number = h->tables->at[i];
		gs_action action = gs_event_action(&h->device->trace.events[i]);
		if (number != GS_NO_ADDRESS && action == GS_ACTION_ALLOC)
			infer_alloc(h, r, i, number);
		else if (number != GS_NO_ADDRESS && gs_action_is_block(action))
			infer_free(h, r, i, number, action == GS_ACTION_FREE_COMPLETED);
		else if (number != GS_NO_ADDRESS && !gs_action_adds_memory(action))
			infer_removal(h, r, i, number);
		gs_playback_step(r, i);
		if ((int64_t)i == h->captured_at && h->device->has_layout)
			compare_captured(h, r);
	}
	return GS_OK;
}

gs_status gs_history_infer(gs_history *h)
{
	inference all = {.h = h};
	if (gs_playback_init(&all.r, h))
		return GS_NO_MEMORY;
	bound_all_preexisting(h, &all.r);
	gs_in_parts(h->n, infer_events, &all);
	gs_playback_release(&all.r);
	doubt_rules(h);
	sum_up(h);
	return h->tables->short_of_memory ? GS_NO_MEMORY : GS_OK;
}
