/* Events of a .gsnap file: from decoded columns to rows of the trace. This is the part that a large
 * file spends its time in. */
#include <stdlib.h>

#include "analyzer/model/memory.h"
#include "analyzer/read/gsnap/gsnap_internal.h"
#include "schema/bytes.h"

/* Places of the columns in the form of events. */
enum {
	ACTION,
	ADDRESS,
	SIZE,
	TIME,
	STREAM,
	HAS_POOL,
	POOL_A,
	POOL_B,
	STACK,
	TAG,
	EXTRA = TAG + 2,
	MORE,
	DEVICE_FREE,
	USED
};

/* A column that may be one value: value i is at[i & mask]. */
struct view {
	const uint64_t *at;
	uint32_t mask;
};

static struct view view_of(const gs_unpacked *u, unsigned c)
{
	struct view v = {u->columns[c].at, UINT32_MAX};
	if (!v.at) {
		v.at = &u->columns[c].constant;
		v.mask = 0;
	}
	return v;
}

static inline uint64_t cell_at(struct view v, uint32_t i) { return v.at[i & v.mask]; }

static gs_event *make_room(gs_trace *t, uint32_t n)
{
	if (t->cap - t->n < n) {
		size_t cap = t->n + n > t->cap + t->cap / 2 ? t->n + n : t->cap + t->cap / 2;
		if (!gs_memory_allows((cap - t->cap) * sizeof *t->events))
			cap = t->n + n;
		gs_event *grown = gs_memory_resize(t->events, cap * sizeof *grown);
		if (!grown)
			return NULL;
		t->events = grown;
		t->cap = cap;
	}
	return t->events + t->n;
}

static bool fill_streams(gs_snapshot *s, const gs_unpacked *u, gs_event *e)
{
	struct view handles = view_of(u, STREAM);
	uint64_t last = cell_at(handles, 0);
	uint32_t index = gs_snapshot_stream(s, last);
	for (uint32_t i = 0; i < u->rows; i++) {
		uint64_t handle = cell_at(handles, i);
		if (handle != last)
			index = gs_snapshot_stream(s, last = handle);
		if (index == UINT32_MAX)
			return false;
		e[i].stream = (uint16_t)index;
	}
	return true;
}

static bool fill_pools(gs_snapshot *s, const gs_unpacked *u, gs_event *e)
{
	struct view has = view_of(u, HAS_POOL), a = view_of(u, POOL_A), b = view_of(u, POOL_B);
	gs_pool_id last = {0, 0};
	uint32_t index = 0;
	for (uint32_t i = 0; i < u->rows; i++) {
		e[i].pool = 0;
		if (!cell_at(has, i))
			continue;
		gs_pool_id id = {cell_at(a, i), cell_at(b, i)};
		if (!index || id.a != last.a || id.b != last.b)
			index = gs_snapshot_pool(s, last = id);
		if (index == UINT32_MAX)
			return false;
		e[i].pool = (uint16_t)index;
	}
	return true;
}

/* The free bytes of an out-of-memory or a refusal: in a column of their own; in older files in the
 * place of the address, or of extra. */
static uint64_t free_bytes(uint64_t column, uint64_t address, uint64_t extra)
{
	if (column)
		return (uint64_t)gs_unzigzag(column - 1);
	return address ? address : extra ? extra : (uint64_t)GS_NONE;
}

static void fill_rest(const gs_gsnap_reading *g, const gs_unpacked *u, gs_event *e)
{
	struct view action = view_of(u, ACTION), address = view_of(u, ADDRESS), size = view_of(u, SIZE),
				time = view_of(u, TIME);
	struct view stack = view_of(u, STACK), tag = view_of(u, TAG), more = view_of(u, MORE),
				extra = view_of(u, EXTRA), device_free = view_of(u, DEVICE_FREE);
	bool stacks = g->stacks.n > 1;
	for (uint32_t i = 0; i < u->rows; i++) {
		uint64_t t = cell_at(time, i), word = cell_at(action, i);
		e[i].address = cell_at(address, i);
		e[i].size = cell_at(size, i);
		e[i].time_us = t ? gs_unzigzag(t - 1) : GS_NONE;
		e[i].more = g->strings.ids[cell_at(more, i)];
		e[i].stack = stacks ? g->stacks.ids[cell_at(stack, i)] : 0;
		e[i].tag_action = g->tags.ids[cell_at(tag, i)] << 8 |
			(uint32_t)(word < GS_ACTION_COUNT ? word : GS_ACTION_UNKNOWN);
		if (word == GS_ACTION_OOM || word == GS_ACTION_REFUSED)
			e[i].address = free_bytes(cell_at(device_free, i), e[i].address, cell_at(extra, i));
	}
}

gs_status gs_gsnap_add_events(gs_gsnap_reading *g, gs_error *err)
{
	const gs_unpacked *u = gs_sections_unpacked(g->sections);
	if (!u->rows)
		return GS_OK;
	gs_trace *t = &gs_snapshot_find_device(g->snapshot, g->section.device)->trace;
	gs_event *e = make_room(t, u->rows);
	if (!e)
		return gs_fail(err, GS_NO_MEMORY, "no memory for %zu events", t->n + u->rows);
	if (!fill_streams(g->snapshot, u, e) || !fill_pools(g->snapshot, u, e))
		return gs_fail(err, GS_LIMIT, "section %u (event) at byte %llu: too many streams or pools",
			g->section.sequence, (unsigned long long)g->section.offset);
	fill_rest(g, u, e);
	t->n += u->rows;
	return GS_OK;
}
