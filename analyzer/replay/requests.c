/* From a trace to requests. */
#include "analyzer/model/array.h"
#include "analyzer/model/hash_map.h"
#include "analyzer/model/memory.h"
#include "analyzer/replay/replay.h"

#include <stdlib.h>
#include <string.h>

/* The ops being built, with what must be known of live blocks. */
typedef struct builder {
	gs_replay *r;
	gs_hash_map live; /* address → slot */
	uint8_t *pending; /* by slot: free requested, not completed */
	uint32_t cap_pending;
	uint32_t *unused; /* slots to use again */
	size_t nunused, cap_unused;
	gs_replay_op *held; /* completions that belong behind the next request */
	size_t nheld, cap_held;
	bool completions; /* the trace has free_completed events at all */
	uint64_t reserved;
	uint32_t last_pool; /* of the last allocation */
} builder;

static gs_status add_op(
	gs_replay *r, gs_replay_kind kind, const gs_event *e, size_t event, uint32_t slot)
{
	gs_replay_op *op;

	if (!GS_ARRAY_RESERVE(r->ops, r->cap, r->n + 1))
		return GS_NO_MEMORY;
	op = &r->ops[r->n++];
	*op = (gs_replay_op){
		.size = e->size, .slot = slot, .event = (uint32_t)event, .stream = e->stream, .kind = kind};
	return GS_OK;
}

static gs_status take_slot(builder *b, uint32_t *slot)
{
	gs_replay *r = b->r;

	if (b->nunused) {
		*slot = b->unused[--b->nunused];
	} else {
		size_t cap = b->cap_pending;
		if (!GS_ARRAY_RESERVE(b->pending, cap, (size_t)r->nslots + 1))
			return GS_NO_MEMORY;
		b->cap_pending = (uint32_t)cap;
		*slot = r->nslots++;
	}
	b->pending[*slot] = 0;
	return GS_OK;
}

static gs_status give_slot(builder *b, uint32_t slot)
{
	if (!GS_ARRAY_RESERVE(b->unused, b->cap_unused, b->nunused + 1))
		return GS_NO_MEMORY;
	b->unused[b->nunused++] = slot;
	return GS_OK;
}

static gs_status put_live(builder *b, uint64_t address, uint32_t slot)
{
	return gs_hash_map_put(&b->live, address, slot) ? GS_OK : GS_NO_MEMORY;
}

/* Live blocks from before the first event. */
static gs_status add_initial(builder *b)
{
	const gs_layout *l = &b->r->history->initial;
	gs_status status = GS_OK;

	b->r->initial_slots = malloc((l->nblocks + 1) * sizeof *b->r->initial_slots);
	if (!b->r->initial_slots)
		return GS_NO_MEMORY;
	for (size_t i = 0; i < l->nsegments; i++)
		b->reserved += l->segments[i].size;
	for (size_t i = 0; i < l->nblocks && !status; i++) {
		uint32_t slot = UINT32_MAX;
		if (l->blocks[i].state != GS_INACTIVE) {
			status = take_slot(b, &slot);
			if (!status)
				status = put_live(b, l->blocks[i].address, slot);
			if (!status)
				b->pending[slot] = l->blocks[i].state == GS_ACTIVE_PENDING_FREE;
			b->r->deferred |= l->blocks[i].state == GS_ACTIVE_PENDING_FREE;
		}
		b->r->initial_slots[i] = slot;
	}
	return status;
}

/* --- events ------------------------------------------------------------------------------------
 */

static bool goes_back(const gs_event *e)
{
	gs_action a = gs_event_action(e);

	return a == GS_ACTION_SEGMENT_FREE || a == GS_ACTION_SEGMENT_UNMAP;
}

static bool comes(const gs_event *e)
{
	gs_action a = gs_event_action(e);

	return a == GS_ACTION_SEGMENT_ALLOC || a == GS_ACTION_SEGMENT_MAP;
}

static gs_status add_held(builder *b)
{
	gs_status status = GS_OK;

	for (size_t i = 0; i < b->nheld && !status; i++) {
		if (!GS_ARRAY_RESERVE(b->r->ops, b->r->cap, b->r->n + 1))
			return GS_NO_MEMORY;
		b->r->ops[b->r->n++] = b->held[i];
		status = give_slot(b, b->held[i].slot);
	}
	b->nheld = 0;
	return status;
}

/* torch.cuda.graph() empties the cache before it captures. Where that gave nothing back it left no
 * event, but under other settings it would. */
static gs_status add_capture(builder *b, const gs_event *e, size_t i, uint32_t pool)
{
	bool begins = pool && pool != b->last_pool && b->r->pools.ids[pool - 1].a;
	gs_replay_kind last = b->r->n ? (gs_replay_kind)b->r->ops[b->r->n - 1].kind : GS_REPLAY_NOTHING;

	b->last_pool = pool;
	if (!begins || b->r->told || last == GS_REPLAY_EMPTY || last == GS_REPLAY_RELEASE)
		return GS_OK;
	return add_op(b->r, GS_REPLAY_CAPTURE, e, i, UINT32_MAX);
}

static gs_status add_alloc(builder *b, const gs_event *e, size_t i)
{
	uint32_t slot, pool = gs_replay_pools_find(&b->r->pools, e, (int64_t)i);
	gs_status status;

	if (gs_hash_map_take(&b->live, e->address, &slot)) { /* its free was lost */
		b->r->lost++;
		if ((status = add_op(
				 b->r, b->pending[slot] ? GS_REPLAY_COMPLETE : GS_REPLAY_FREE, e, i, slot)) ||
			(status = give_slot(b, slot)))
			return status;
	}
	b->r->allocations++;
	if ((status = add_capture(b, e, i, pool)) || (status = take_slot(b, &slot)) ||
		(status = put_live(b, e->address, slot)) ||
		(status = add_op(b->r, GS_REPLAY_ALLOC, e, i, slot)))
		return status;
	b->r->ops[b->r->n - 1].pool = pool & 0xffffff;
	return add_held(b);
}

/* Returns how many events it used up: 2 where the free completes at once. */
static gs_status add_free(builder *b, const gs_event *e, size_t i, size_t n, size_t *used)
{
	bool at_once = !b->completions ||
		(i + 1 < n && gs_event_action(e + 1) == GS_ACTION_FREE_COMPLETED &&
			e[1].address == e->address);
	uint32_t slot;
	gs_status status;

	*used = b->completions && at_once ? 2 : 1;
	if (!gs_hash_map_find(&b->live, e->address, &slot) || b->pending[slot]) {
		b->r->lost++;
		return GS_OK;
	}
	if (at_once) {
		gs_hash_map_take(&b->live, e->address, &slot);
		status = add_op(b->r, GS_REPLAY_FREE, e, i + *used - 1, slot);
		return status ? status : give_slot(b, slot);
	}
	b->pending[slot] = 1;
	b->r->deferred = true;
	return add_op(b->r, GS_REPLAY_DEFER, e, i, slot);
}

/* Whether the completions from event i on are followed by segments going back: then a retry (or
 * empty_cache) waited for them, and until the request behind they were pending. */
static bool waited_for(const gs_event *events, size_t i, size_t n)
{
	while (i < n && gs_event_action(&events[i]) == GS_ACTION_FREE_COMPLETED)
		i++;
	return i < n && goes_back(&events[i]);
}

static gs_status add_completed(builder *b, const gs_event *e, size_t i, size_t n)
{
	uint32_t slot;
	gs_status status;

	if (!gs_hash_map_take(&b->live, e->address, &slot)) {
		b->r->lost++;
		return GS_OK;
	}
	if (!b->pending[slot]) { /* its request was left out of the trace */
		status = add_op(b->r, GS_REPLAY_FREE, e, i, slot);
		return status ? status : give_slot(b, slot);
	}
	if (waited_for(e - i, i, n) && !b->r->told) {
		if (!GS_ARRAY_RESERVE(b->held, b->cap_held, b->nheld + 1))
			return GS_NO_MEMORY;
		b->held[b->nheld++] = (gs_replay_op){
			.slot = slot, .event = (uint32_t)i, .kind = GS_REPLAY_COMPLETE};
		return GS_OK;
	}
	status = add_op(b->r, GS_REPLAY_COMPLETE, e, i, slot);
	return status ? status : give_slot(b, slot);
}

/* Segments that went back, as one: by empty_cache() for certain where no request follows that could
 * have caused it. */
static gs_status add_release(builder *b, const gs_event *e, size_t i, size_t n, size_t *used)
{
	size_t j = i;
	uint64_t bytes = 0;
	bool unmapped = false;
	gs_replay_kind kind = GS_REPLAY_EMPTY;
	gs_status status;

	for (; j < n && goes_back(&e[j - i]); j++) {
		bytes += e[j - i].size;
		unmapped |= gs_event_action(&e[j - i]) == GS_ACTION_SEGMENT_UNMAP;
	}
	*used = j - i;
	b->reserved -= bytes < b->reserved ? bytes : b->reserved;
	if (b->r->told)
		return GS_OK;
	if (j < n && gs_event_action(&e[j - i]) == GS_ACTION_OOM)
		return GS_OK; /* the retry before the failure; an empty_cache() there would change nothing
					   */
	if (j < n && (comes(&e[j - i]) || (unmapped && gs_event_action(&e[j - i]) == GS_ACTION_ALLOC)))
		kind = GS_REPLAY_RELEASE;
	status = add_op(b->r, kind, e, i, UINT32_MAX);
	if (!status && kind == GS_REPLAY_EMPTY) {
		b->r->emptied++;
		status = add_held(b);
	}
	return status;
}

static gs_status add_oom(builder *b, const gs_event *e, size_t i)
{
	gs_replay *r = b->r;
	uint32_t slot;
	gs_status status;

	if (r->first_oom < 0) {
		r->first_oom = (int64_t)i;
		r->oom_reserved = (int64_t)b->reserved;
		r->oom_peak = (int64_t)r->peak_reserved;
	}
	if (!e->size)
		return GS_OK;
	if ((status = take_slot(b, &slot)) || (status = add_op(r, GS_REPLAY_OOM, e, i, slot)))
		return status;
	r->ops[r->n - 1].pool = e->pool & 0xffffff;
	return add_held(b);
}

static gs_status add_event(builder *b, const gs_event *events, size_t i, size_t n, size_t *used)
{
	const gs_event *e = &events[i];

	*used = 1;
	switch (gs_event_action(e)) {
	case GS_ACTION_ALLOC: return add_alloc(b, e, i);
	case GS_ACTION_FREE_REQUESTED: return add_free(b, e, i, n, used);
	case GS_ACTION_FREE_COMPLETED: return add_completed(b, e, i, n);
	case GS_ACTION_SEGMENT_ALLOC:
	case GS_ACTION_SEGMENT_MAP:
		b->reserved += e->size;
		if (b->reserved > b->r->peak_reserved)
			b->r->peak_reserved = b->reserved;
		return GS_OK;
	case GS_ACTION_SEGMENT_FREE:
	case GS_ACTION_SEGMENT_UNMAP: return add_release(b, e, i, n, used);
	case GS_ACTION_EMPTY_CACHE: return add_op(b->r, GS_REPLAY_EMPTY, e, i, UINT32_MAX);
	case GS_ACTION_OOM: return add_oom(b, e, i);
	default: return GS_OK;
	}
}

/* Where the requests end, and which kinds of events there are. */
static size_t find_end(builder *b, const gs_trace *t, int64_t until)
{
	size_t n = t->n;

	b->r->first_oom = b->r->last_oom = -1;
	if (until != GS_NONE && (uint64_t)until < n)
		n = (size_t)until + 1;
	for (size_t i = 0; i < n; i++) {
		gs_action a = gs_event_action(&t->events[i]);
		if (a == GS_ACTION_OOM)
			b->r->last_oom = (int64_t)i;
		b->completions |= a == GS_ACTION_FREE_COMPLETED;
		b->r->told |= a == GS_ACTION_EMPTY_CACHE;
	}
	return b->r->last_oom >= 0 ? (size_t)b->r->last_oom + 1 : n;
}

/* What the OOM row knows of the first failure beyond its event. */
static void add_facts_of_oom(gs_replay *r)
{
	r->oom_device_free = GS_NONE;
	for (size_t i = 0; i < r->snapshot->nooms && r->first_oom >= 0; i++) {
		const gs_oom *oom = &r->snapshot->ooms[i];
		if (oom->device != r->device->device || oom->idx != r->first_oom)
			continue;
		r->oom_device_free = oom->device_free;
		return;
	}
}

/* Whether there is a request, granted or refused: what only gives back fits under any settings. */
static bool asks_for_memory(const gs_trace *t)
{
	for (size_t i = 0; i < t->n; i++) {
		gs_action action = gs_event_action(&t->events[i]);
		if (action == GS_ACTION_ALLOC || action == GS_ACTION_OOM)
			return true;
	}
	return false;
}

gs_status gs_replay_init(gs_replay *r, const gs_snapshot *s, const gs_device *d, int64_t until,
	bool foreign, const gs_history *history, gs_error *err)
{
	builder b = {.r = r};
	gs_status status = GS_OK;
	size_t n, used = 1;

	memset(r, 0, sizeof *r);
	r->snapshot = s;
	r->device = d;
	if (!d->trace.n)
		return gs_fail(err, GS_NOT_FOUND, "device %d has no recorded events to replay", d->device);
	if (!asks_for_memory(&d->trace))
		return gs_fail(err, GS_NOT_FOUND,
			"nothing to replay: among the recorded events of device %d none asks for memory",
			d->device);
	if (d->trace.n >= INT32_MAX)
		return gs_fail(err, GS_LIMIT, "%zu events are more than a replay takes", d->trace.n);
	r->history = history ? history : &r->own_history;
	if (!history && (status = gs_history_init(&r->own_history, s, d, err)))
		return status;
	r->foreign = foreign;
	r->told = foreign || (s->kind == GS_KIND_GSNAP && s->library && !strcmp(s->library, "gpusnap"));
	n = find_end(&b, &d->trace, until);
	status = gs_replay_pools_init(&r->pools, s, d);
	if (!status && !foreign)
		status = add_initial(&b);
	r->peak_reserved = b.reserved;
	for (size_t i = 0; i < n && !status; i += used)
		status = add_event(&b, d->trace.events, i, n, &used);
	if (!status)
		status = add_held(&b);
	add_facts_of_oom(r);
	for (size_t i = 0; i < r->n; i++)
		r->private_pools |= r->ops[i].pool &&
			(r->pools.ids[r->ops[i].pool - 1].a || r->pools.ids[r->ops[i].pool - 1].b);
	gs_hash_map_release(&b.live);
	free(b.pending);
	free(b.unused);
	free(b.held);
	return status ? gs_fail(err, status, "preparing a replay of %zu events", d->trace.n) : GS_OK;
}

void gs_replay_release(gs_replay *r)
{
	gs_history_release(&r->own_history);
	gs_replay_pools_release(&r->pools);
	gs_memory_give(r->ops);
	free(r->initial_slots);
	memset(r, 0, sizeof *r);
}
