/* From events to requests. */
#include "analyzer/replay/replay_internal.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"

static gs_status push(gs_request_maker *m, gs_replay_op op)
{
	if (!GS_ARRAY_RESERVE(m->ops, m->cap, m->n + 1))
		return GS_NO_MEMORY;
	m->ops[m->n++] = op;
	m->last = (gs_replay_kind)op.kind;
	return GS_OK;
}

static gs_replay_op request(gs_replay_kind kind, const gs_event *e, size_t event, uint32_t slot)
{
	return (gs_replay_op){
		.size = e->size, .slot = slot, .event = (uint32_t)event, .stream = e->stream, .kind = kind};
}

static gs_status take_slot(gs_request_maker *m, uint32_t *slot)
{
	if (m->nunused) {
		*slot = m->unused[--m->nunused];
	} else {
		if (!GS_ARRAY_RESERVE(m->pending, m->cap_pending, (size_t)m->nslots + 1))
			return GS_NO_MEMORY;
		*slot = m->nslots++;
	}
	m->pending[*slot] = 0;
	return GS_OK;
}

static gs_status give_slot(gs_request_maker *m, uint32_t slot)
{
	if (!GS_ARRAY_RESERVE(m->unused, m->cap_unused, m->nunused + 1))
		return GS_NO_MEMORY;
	m->unused[m->nunused++] = slot;
	return GS_OK;
}

/* The block in the slot is gone with this request. */
static gs_status push_last_of(gs_request_maker *m, gs_replay_op op)
{
	gs_status status = push(m, op);
	return status ? status : give_slot(m, op.slot);
}

static gs_status put_live(gs_request_maker *m, uint64_t address, uint32_t slot)
{
	return gs_hash_map_put(&m->live, address, slot) ? GS_OK : GS_NO_MEMORY;
}

static gs_status add_initial_block(gs_request_maker *m, const gs_block *b, uint32_t *slot)
{
	gs_status status = take_slot(m, slot);
	if (!status)
		status = put_live(m, b->address, *slot);
	if (!status)
		m->pending[*slot] = b->state == GS_ACTIVE_PENDING_FREE;
	m->deferred |= b->state == GS_ACTIVE_PENDING_FREE;
	return status;
}

/* Live blocks from before the first event. */
static gs_status add_initial(gs_request_maker *m)
{
	const gs_layout *l = m->r->initial;
	gs_status status = GS_OK;

	m->initial_slots = malloc((l->nblocks + 1) * sizeof *m->initial_slots);
	if (!m->initial_slots)
		return GS_NO_MEMORY;
	for (size_t i = 0; i < l->nblocks && !status; i++) {
		m->initial_slots[i] = UINT32_MAX;
		if (l->blocks[i].state != GS_INACTIVE)
			status = add_initial_block(m, &l->blocks[i], &m->initial_slots[i]);
	}
	return status;
}

gs_status gs_requests_begin(gs_request_maker *m, const gs_replay *r)
{
	memset(m, 0, sizeof *m);
	m->r = r;
	m->last = GS_REPLAY_NOTHING;
	return r->foreign ? GS_OK : add_initial(m);
}

void gs_requests_release(gs_request_maker *m)
{
	gs_hash_map_release(&m->live);
	gs_memory_give(m->ops);
	gs_memory_give(m->pending);
	gs_memory_give(m->unused);
	gs_memory_give(m->held);
	free(m->initial_slots);
	memset(m, 0, sizeof *m);
}

void gs_replay_take_counts(gs_replay *r, const gs_request_maker *m)
{
	r->nslots = m->nslots;
	r->deferred |= m->deferred;
	r->allocations = m->allocations;
	r->lost = m->lost;
	r->emptied = m->emptied;
	r->captures = m->captures;
	r->counted = true;
}

/* --- events ------------------------------------------------------------------------------------
 */

static gs_status add_held(gs_request_maker *m)
{
	gs_status status = GS_OK;

	for (size_t i = 0; i < m->nheld && !status; i++)
		status = push_last_of(m, m->held[i]);
	m->nheld = 0;
	return status;
}

/* torch.cuda.graph() empties the cache before it captures. Where that gave nothing back it left no
 * event, but under other settings it would. */
static gs_status add_capture(gs_request_maker *m, const gs_event *e, size_t i, uint32_t pool)
{
	bool begins = pool && pool != m->last_pool && m->r->pools.ids[pool - 1].a;

	m->last_pool = pool;
	m->captures += begins && m->last == GS_REPLAY_EMPTY;
	if (!begins || m->r->told || m->last == GS_REPLAY_EMPTY || m->last == GS_REPLAY_RELEASE)
		return GS_OK;
	return push(m, request(GS_REPLAY_CAPTURE, e, i, UINT32_MAX));
}

/* Of a file that was written over meanwhile, events may name pools that were not there. */
static uint32_t pool_of(const gs_request_maker *m, const gs_event *e, size_t i)
{
	uint32_t pool = gs_replay_pools_find(&m->r->pools, e, (int64_t)(m->base + i));
	return pool <= m->r->pools.n ? pool : 0;
}

static gs_status push_asked(
	gs_request_maker *m, gs_replay_kind kind, const gs_event *e, size_t i, uint32_t pool)
{
	uint32_t slot;
	gs_status status = take_slot(m, &slot);
	gs_replay_op op = request(kind, e, i, slot);

	op.pool = pool & 0xffffff;
	if (!status && kind == GS_REPLAY_ALLOC)
		status = put_live(m, e->address, slot);
	if (!status)
		status = push(m, op);
	return status ? status : add_held(m);
}

static gs_status add_alloc(gs_request_maker *m, const gs_event *e, size_t i)
{
	uint32_t slot, pool = pool_of(m, e, i);
	gs_status status;

	if (gs_hash_map_take(&m->live, e->address, &slot)) { /* its free was lost */
		gs_replay_kind kind = m->pending[slot] ? GS_REPLAY_COMPLETE : GS_REPLAY_FREE;
		m->lost++;
		if ((status = push_last_of(m, request(kind, e, i, slot))))
			return status;
	}
	m->allocations++;
	status = add_capture(m, e, i, pool);
	return status ? status : push_asked(m, GS_REPLAY_ALLOC, e, i, pool);
}

/* Returns how many events it used up: 2 where the free completes at once. */
static gs_status add_free(gs_request_maker *m, const gs_event *e, size_t i, size_t n, size_t *used)
{
	bool completions = m->r->completions;
	bool at_once = !completions ||
		(i + 1 < n && gs_event_action(e + 1) == GS_ACTION_FREE_COMPLETED &&
			e[1].address == e->address);
	uint32_t slot;

	*used = completions && at_once ? 2 : 1;
	if (!gs_hash_map_find(&m->live, e->address, &slot) || m->pending[slot]) {
		m->lost++;
		return GS_OK;
	}
	if (at_once) {
		gs_hash_map_take(&m->live, e->address, &slot);
		return push_last_of(m, request(GS_REPLAY_FREE, e, i + *used - 1, slot));
	}
	m->pending[slot] = 1;
	m->deferred = true;
	return push(m, request(GS_REPLAY_DEFER, e, i, slot));
}

/* Whether the completions from event i on are followed by segments going back: then a retry (or
 * empty_cache) waited for them, and until the request behind they were pending. */
static bool waited_for(const gs_event *events, size_t i, size_t n)
{
	while (i < n && gs_event_action(&events[i]) == GS_ACTION_FREE_COMPLETED)
		i++;
	return i < n && gs_gives_back(&events[i]);
}

static gs_status add_completed(gs_request_maker *m, const gs_event *e, size_t i, size_t n)
{
	uint32_t slot;

	if (!gs_hash_map_take(&m->live, e->address, &slot)) {
		m->lost++;
		return GS_OK;
	}
	if (!m->pending[slot]) /* its request was left out of the trace */
		return push_last_of(m, request(GS_REPLAY_FREE, e, i, slot));
	if (!waited_for(e - i, i, n))
		return push_last_of(m, request(GS_REPLAY_COMPLETE, e, i, slot));
	if (!GS_ARRAY_RESERVE(m->held, m->cap_held, m->nheld + 1))
		return GS_NO_MEMORY;
	m->held[m->nheld++] = (gs_replay_op){
		.slot = slot, .event = (uint32_t)i, .kind = GS_REPLAY_WAITED};
	return GS_OK;
}

/* Segments that went back, as one: by empty_cache() for certain where no request follows that could
 * have caused it. */
static gs_status add_release(
	gs_request_maker *m, const gs_event *e, size_t i, size_t n, size_t *used)
{
	size_t j = i;
	bool unmapped = false;
	gs_replay_kind kind = GS_REPLAY_EMPTY;
	gs_status status;

	for (; j < n && gs_gives_back(&e[j - i]); j++)
		unmapped |= gs_event_action(&e[j - i]) == GS_ACTION_SEGMENT_UNMAP;
	*used = j - i;
	if (m->r->told)
		return GS_OK;
	if (j < n && gs_event_action(&e[j - i]) == GS_ACTION_OOM)
		return GS_OK; /* the retry before the failure; an empty_cache() there would change nothing
					   */
	if (j < n &&
		(gs_brings(&e[j - i]) || (unmapped && gs_event_action(&e[j - i]) == GS_ACTION_ALLOC)))
		kind = GS_REPLAY_RELEASE;
	status = push(m, request(kind, e, i, UINT32_MAX));
	if (status || kind != GS_REPLAY_EMPTY)
		return status;
	m->emptied++;
	return add_held(m);
}

static gs_status add_oom(gs_request_maker *m, const gs_event *e, size_t i)
{
	if (!e->size)
		return GS_OK;
	return push_asked(m, GS_REPLAY_OOM, e, i, e->pool <= m->r->pools.n ? e->pool : 0);
}

static gs_status add_event(
	gs_request_maker *m, const gs_event *events, size_t i, size_t n, size_t *used)
{
	const gs_event *e = &events[i];

	*used = 1;
	switch (gs_event_action(e)) {
	case GS_ACTION_ALLOC: return add_alloc(m, e, i);
	case GS_ACTION_FREE_REQUESTED: return add_free(m, e, i, n, used);
	case GS_ACTION_FREE_COMPLETED: return add_completed(m, e, i, n);
	case GS_ACTION_SEGMENT_FREE:
	case GS_ACTION_SEGMENT_UNMAP: return add_release(m, e, i, n, used);
	case GS_ACTION_EMPTY_CACHE: return push(m, request(GS_REPLAY_EMPTY, e, i, UINT32_MAX));
	case GS_ACTION_OOM: return add_oom(m, e, i);
	default: return GS_OK;
	}
}

gs_status gs_requests_add(
	gs_request_maker *m, const gs_event *events, size_t cut, size_t n, uint64_t base)
{
	gs_status status = GS_OK;

	m->base = base;
	for (size_t i = 0, used = 1; i < cut && !status; i += used)
		status = add_event(m, events, i, n, &used);
	return status;
}

gs_status gs_requests_end(gs_request_maker *m) { return add_held(m); }

/* Nothing before an allocation looks behind it, and completions that wait for a request wait for no
 * other one. Behind segments there may be some, and they belong to it. */
size_t gs_requests_cut(const gs_event *events, size_t n)
{
	size_t any = 0;

	for (size_t i = n; i-- > 1;) {
		if (gs_event_action(&events[i]) != GS_ACTION_ALLOC)
			continue;
		if (!gs_gives_back(&events[i - 1]) && !gs_brings(&events[i - 1]))
			return i + 1;
		any = any ? any : i + 1;
	}
	return any;
}
