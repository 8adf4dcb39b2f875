/* Lives by playing the events over the numbered addresses. */
#include "analyzer/state/lives.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"
#include "analyzer/model/parts.h"
#include "analyzer/state/history_internal.h"

typedef struct count {
	const gs_event *events;
	size_t n;
} count;

static gs_status count_births(void *arg, size_t i, size_t end)
{
	count *x = arg;
	for (; i < end; i++)
		x->n += gs_event_action(&x->events[i]) == GS_ACTION_ALLOC;
	return GS_OK;
}

static size_t count_lives(const gs_history *h)
{
	count x = {h->device->trace.events, 0};
	for (size_t i = 0; i < h->initial.nblocks; i++)
		x.n += h->initial.blocks[i].state != GS_INACTIVE;
	gs_in_parts(h->n, count_births, &x);
	return x.n;
}

static uint16_t stream_of(const gs_snapshot *s, uint64_t handle)
{
	for (uint32_t i = 0; i < s->nstreams; i++)
		if (s->streams[i] == handle)
			return (uint16_t)(i + 1);
	return 0;
}

static uint16_t pool_of(const gs_lives *x, gs_pool_id id)
{
	for (uint16_t i = 0; i < x->npools; i++)
		if (x->pools[i].a == id.a && x->pools[i].b == id.b)
			return (uint16_t)(i + 1);
	return 0;
}

/* Blocks lie in the order of their segments: a segment is looked at once. */
static gs_life_before describe_before(const gs_lives *x, size_t block, gs_life_before last)
{
	const gs_layout *l = &x->history->initial;
	const gs_segment *g = &l->segments[l->blocks[block].segment];
	if (x->n && l->blocks[last.block].segment == l->blocks[block].segment)
		return (gs_life_before){(uint32_t)block, last.stream, last.pool};
	return (gs_life_before){
		(uint32_t)block, stream_of(x->history->snapshot, g->stream), pool_of(x, g->pool_id)};
}

/* Those of the layout before the first event. */
static void begin_before(gs_lives *x, uint32_t *living)
{
	const gs_layout *l = &x->history->initial;
	gs_life_before last = {0, 0, 0};
	for (size_t i = 0; i < l->nblocks; i++) {
		const gs_block *b = &l->blocks[i];
		if (b->state == GS_INACTIVE)
			continue;
		x->first[x->n] = last = describe_before(x, i, last);
		uint32_t number = gs_address_index_find(&x->history->tables->addresses, b->address);
		if (number != GS_NO_ADDRESS)
			living[number] = x->n;
		x->all[x->n++] = (gs_life){GS_LIFE_BEFORE,
			b->state == GS_ACTIVE_PENDING_FREE ? GS_LIFE_BEFORE : GS_LIFE_NEVER, GS_LIFE_NEVER};
	}
	x->before = x->n;
}

static void end_life(gs_lives *x, uint32_t life, int32_t event)
{
	if (life == GS_NO_LIFE)
		return;
	x->all[life].death = event;
	if (x->all[life].freed == GS_LIFE_NEVER)
		x->all[life].freed = event;
}

/* One that was not seen to go has gone by the time that its address is given away again. */
static gs_status end_unseen(gs_lives *x, uint32_t life, int32_t event)
{
	if (life == GS_NO_LIFE)
		return GS_OK;
	if (!GS_ARRAY_ONE_MORE(x->unseen, x->nunseen))
		return GS_NO_MEMORY;
	x->unseen[x->nunseen++] = (gs_life_unseen){event, life};
	end_life(x, life, event);
	return GS_OK;
}

static const gs_event *event_of(const gs_lives *x, uint32_t life)
{
	return &x->history->device->trace.events[x->all[life].birth];
}

static const gs_block *block_of(const gs_lives *x, uint32_t life)
{
	return &x->history->initial.blocks[x->first[life].block];
}

uint64_t gs_life_address(const gs_lives *x, uint32_t life)
{
	return life < x->before ? block_of(x, life)->address : event_of(x, life)->address;
}

/* Those from before ascend by address, segments without one apart. */
static uint32_t find_before(const gs_lives *x, uint64_t address)
{
	uint32_t low = 0, high = x->before;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (gs_life_address(x, middle) < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < x->before && gs_life_address(x, low) == address ? low : GS_NO_LIFE;
}

/* --- which life an event is of -------------------------------------------------------------------
 */

static uint32_t life_born_at(const gs_lives *x, size_t event)
{
	uint64_t word = x->begins[event / 64], bit = UINT64_C(1) << event % 64;
	return word & bit ? x->begun[event / 64] + (uint32_t)__builtin_popcountll(word & (bit - 1))
					  : GS_NO_LIFE;
}

/* As the history tells it: of an allocation its own, of a free that of the birth. */
static uint32_t life_told(const gs_lives *x, size_t event)
{
	const gs_event *e = &x->history->device->trace.events[event];
	gs_action action = gs_event_action(e);
	int32_t birth = x->history->births[event];
	if (action == GS_ACTION_ALLOC)
		return life_born_at(x, event);
	if (action != GS_ACTION_FREE_REQUESTED && action != GS_ACTION_FREE_COMPLETED)
		return GS_NO_LIFE;
	return birth >= 0 ? life_born_at(x, (size_t)birth) : find_before(x, e->address);
}

uint32_t gs_life_at(const gs_lives *x, size_t event)
{
	size_t low = 0, high = x->nodd;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (x->odd[middle].event < event)
			low = middle + 1;
		else
			high = middle;
	}
	return low < x->nodd && x->odd[low].event == event ? x->odd[low].life : life_told(x, event);
}

static void begin_life(gs_lives *x, size_t event)
{
	x->begins[event / 64] |= UINT64_C(1) << event % 64;
	x->all[x->n++] = (gs_life){(int32_t)event, GS_LIFE_NEVER, GS_LIFE_NEVER};
}

/* Where what was played is not what the history tells, it is kept. */
static gs_status note_life(gs_lives *x, size_t event, uint32_t life)
{
	if (life_told(x, event) == life)
		return GS_OK;
	if (!GS_ARRAY_RESERVE(x->odd, x->cap_odd, x->nodd + 1))
		return GS_NO_MEMORY;
	x->odd[x->nodd++] = (gs_life_of_event){(uint32_t)event, life};
	return GS_OK;
}

static gs_status play_event(gs_lives *x, size_t i, uint32_t *living)
{
	uint32_t number = x->history->tables->at[i], life;
	if (i % 64 == 0)
		x->begun[i / 64] = x->n;
	if (number == GS_NO_ADDRESS)
		return note_life(x, i, GS_NO_LIFE);
	switch (gs_event_action(&x->history->device->trace.events[i])) {
	case GS_ACTION_ALLOC:
		if (end_unseen(x, living[number], (int32_t)i))
			return GS_NO_MEMORY;
		living[number] = x->n;
		begin_life(x, i);
		return GS_OK;
	case GS_ACTION_FREE_REQUESTED:
		life = living[number];
		if (life != GS_NO_LIFE && x->all[life].freed == GS_LIFE_NEVER)
			x->all[life].freed = (int32_t)i;
		return note_life(x, i, life);
	case GS_ACTION_FREE_COMPLETED:
		life = living[number];
		end_life(x, life, (int32_t)i);
		living[number] = GS_NO_LIFE;
		return note_life(x, i, life);
	default: return GS_OK;
	}
}

typedef struct play {
	gs_lives *lives;
	uint32_t *living; /* by address: the life that is there */
} play;

static gs_status play_events(void *arg, size_t i, size_t end)
{
	const play *x = arg;
	gs_status status = GS_OK;
	for (; i < end && !status; i++)
		status = play_event(x->lives, i, x->living);
	return status;
}

gs_status gs_lives_init(gs_lives *lives, const gs_history *h, gs_error *err)
{
	size_t n = count_lives(h), addresses = h->tables->addresses.n;
	uint32_t *living = malloc((addresses + 1) * sizeof *living);
	*lives = (gs_lives){.history = h};
	lives->all = malloc((n + 1) * sizeof *lives->all);
	lives->begins = calloc(h->n / 64 + 1, sizeof *lives->begins);
	lives->begun = calloc(h->n / 64 + 1, sizeof *lives->begun);
	lives->first = malloc((h->initial.nblocks + 1) * sizeof *lives->first);
	if (!living || !lives->all || !lives->begins || !lives->begun || !lives->first) {
		free(living);
		return gs_fail(err, GS_NO_MEMORY, "no memory for the lives of %zu blocks", n);
	}
	memset(living, 0xff, (addresses + 1) * sizeof *living);
	gs_status status = gs_lives_find_pools(lives, n);
	play all = {lives, living};
	if (!status)
		begin_before(lives, living);
	if (!status)
		status = gs_in_parts(h->n, play_events, &all);
	free(living);
	return status ? gs_fail(err, status, "no memory for the lives of %zu blocks", n) : GS_OK;
}

void gs_lives_release(gs_lives *lives)
{
	free(lives->all);
	free(lives->begins);
	free(lives->begun);
	gs_memory_give(lives->odd);
	free(lives->first);
	gs_memory_give(lives->unseen);
	gs_memory_give(lives->pools);
	free(lives->lie_in);
	memset(lives, 0, sizeof *lives);
}

uint64_t gs_life_size(const gs_lives *x, uint32_t life)
{
	return life < x->before ? block_of(x, life)->size
							: gs_history_size(x->history, (size_t)x->all[life].birth);
}

gs_id gs_life_tag(const gs_lives *x, uint32_t life)
{
	return life < x->before ? block_of(x, life)->tag : gs_event_tag(event_of(x, life));
}

uint16_t gs_life_stream(const gs_lives *x, uint32_t life)
{
	if (life < x->before)
		return x->first[life].stream;
	uint32_t stream = event_of(x, life)->stream;
	return stream < x->history->snapshot->nstreams ? (uint16_t)(stream + 1) : 0;
}

uint16_t gs_life_pool(const gs_lives *x, uint32_t life)
{
	if (life < x->before)
		return x->first[life].pool;
	uint16_t pool = event_of(x, life)->pool;
	if (pool)
		return pool <= x->history->snapshot->npools ? pool : 0;
	return x->lie_in ? x->lie_in[life - x->before] : x->usual_pool;
}

/* A block that is there to the end has what the captured layout tells of it. */
static void take_captured(const gs_lives *x, uint32_t life, gs_block *b)
{
	const gs_history_tables *w = x->history->tables;
	uint32_t number = w->at[x->all[life].birth];
	if (number == GS_NO_ADDRESS || w->kept[number] != x->all[life].birth)
		return;
	const gs_block *captured = &x->history->device->captured.blocks[w->survivor[number] - 1];
	if (captured->stack)
		b->stack = captured->stack;
	if (captured->requested != GS_NONE)
		b->requested = captured->requested;
}

gs_block gs_life_block(const gs_lives *x, uint32_t life)
{
	if (life < x->before) {
		gs_block before = *block_of(x, life);
		before.segment = 0;
		return before;
	}
	const gs_event *e = event_of(x, life);
	gs_block b = {.address = e->address,
		.size = gs_life_size(x, life),
		.requested = (int64_t)e->size,
		.idx = x->all[life].birth,
		.stack = e->stack,
		.tag = gs_event_tag(e),
		.more = e->more,
		.state = GS_ACTIVE_ALLOCATED};
	take_captured(x, life, &b);
	return b;
}

uint32_t gs_lives_of_block(const gs_lives *x, const gs_block *b)
{
	if (b->state == GS_INACTIVE || b->idx >= (int64_t)x->history->n)
		return GS_NO_LIFE;
	return b->idx >= 0 ? gs_life_at(x, (size_t)b->idx) : find_before(x, b->address);
}
