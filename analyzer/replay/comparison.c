/* The recorded settings, replayed against the recording.
 *
 * The device below the pool does what the recording shows: it gives the address of the segment that
 * comes next in the trace if that is what is asked for, and has no memory otherwise. So addresses
 * agree to the byte wherever the rules do, and nothing needs to be known of the device's size. */
#include "analyzer/replay/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/replay/play.h"

enum { TRIES_MAX = 12 }; /* reruns to explain differences by pending frees */

typedef struct verifier {
	gs_replay *r;
	gs_replay_agreement *a;
	size_t cursor;      /* the recorded event that comes next */
	uint64_t completed; /* sum over a row of completions, recorded minus replayed: their order is
						   not specified */
	bool differs;
	uint64_t reserved_ranges; /* reservations that the recording does not place */
	uint64_t total;
	bool recorded[256]; /* by action: the trace has such events; a recording may leave kinds out */
} verifier;

static bool is_decision(gs_action a) { return a <= GS_ACTION_SEGMENT_UNMAP || a == GS_ACTION_OOM; }

static const gs_event *next_event(verifier *f)
{
	const gs_trace *t = &f->r->device->trace;

	while (f->cursor < t->n && !is_decision(gs_event_action(&t->events[f->cursor])))
		f->cursor++;
	return f->cursor < t->n ? &t->events[f->cursor] : NULL;
}

static uint64_t mix(uint64_t address, uint64_t size)
{
	return (address ^ size * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);
}

static void differ(verifier *f, const gs_event *e, const gs_pool_action *action)
{
	uint64_t stream = e && f->r->snapshot->streams ? f->r->snapshot->streams[e->stream] : 0;
	int n;

	f->differs = true;
	f->a->event = (int64_t)f->cursor;
	n = snprintf(f->a->text, sizeof f->a->text,
		"replayed: %s of %" PRIu64 " at 0x%" PRIx64 " on stream 0x%" PRIx64,
		gs_action_text(action->action), action->size, action->address, action->stream);
	if (e)
		snprintf(f->a->text + n, sizeof f->a->text - (size_t)n,
			"; recorded: %s of %" PRIu64 " at 0x%" PRIx64 " on stream 0x%" PRIx64,
			gs_action_text(gs_event_action(e)), e->size, e->address, stream);
	else
		snprintf(f->a->text + n, sizeof f->a->text - (size_t)n, "; the recording has ended");
	f->a->fits_at_oom = e && gs_event_action(e) == GS_ACTION_OOM &&
		action->action == GS_ACTION_ALLOC;
}

static bool same(const verifier *f, const gs_event *e, const gs_pool_action *action)
{
	uint64_t stream = f->r->snapshot->streams ? f->r->snapshot->streams[e->stream] : 0;

	if (gs_event_action(e) != action->action || e->size != action->size || stream != action->stream)
		return false;
	return action->action == GS_ACTION_OOM || e->address == action->address;
}

static void compare(void *user, const gs_pool_action *action)
{
	verifier *f = user;
	const gs_event *e;

	if (f->differs || !is_decision(action->action))
		return;
	if ((action->action == GS_ACTION_FREE_REQUESTED ||
			action->action == GS_ACTION_FREE_COMPLETED) &&
		!f->recorded[action->action])
		return;
	e = next_event(f);
	if (action->action == GS_ACTION_FREE_COMPLETED && e &&
		gs_event_action(e) == GS_ACTION_FREE_COMPLETED) {
		f->completed += mix(e->address, e->size) - mix(action->address, action->size);
	} else if (!e || f->completed || !same(f, e, action)) {
		differ(f, e, action);
		return;
	}
	f->cursor++;
	f->a->compared++;
}

/* --- the device ----------------------------------------------------------------------------------
 */

static gs_status verify_alloc(void *device, uint64_t bytes, uint64_t *address)
{
	const gs_event *e = next_event(device);

	if (!e || gs_event_action(e) != GS_ACTION_SEGMENT_ALLOC || e->size != bytes)
		return GS_DEVICE_MEMORY;
	*address = e->address;
	return GS_OK;
}

static gs_status verify_free(void *device, uint64_t address, uint64_t bytes)
{
	(void)device, (void)address, (void)bytes;
	return GS_OK;
}

static gs_status verify_info(void *device, uint64_t *free_bytes, uint64_t *total)
{
	verifier *f = device;
	const gs_event *e = next_event(f);

	*free_bytes = 0;
	if (e && gs_event_action(e) == GS_ACTION_OOM && f->r->oom_device_free != GS_NONE &&
		(int64_t)f->cursor == f->r->first_oom)
		*free_bytes = (uint64_t)f->r->oom_device_free;
	*total = f->total;
	return GS_OK;
}

static gs_status verify_reserve(void *device, uint64_t bytes, uint64_t *address)
{
	verifier *f = device;
	const gs_event *e = next_event(f);

	(void)bytes;
	if (e && gs_event_action(e) == GS_ACTION_SEGMENT_MAP)
		*address = e->address;
	else
		*address = (UINT64_C(1) << 62) + (f->reserved_ranges++ << 44);
	return GS_OK;
}

static gs_status verify_map(
	void *device, uint64_t address, uint64_t page, uint32_t pages, uint64_t *handles)
{
	const gs_event *e = next_event(device);

	if (!e || gs_event_action(e) != GS_ACTION_SEGMENT_MAP || e->address != address ||
		e->size != page * pages)
		return GS_DEVICE_MEMORY;
	for (uint32_t i = 0; i < pages; i++)
		handles[i] = 1;
	return GS_OK;
}

static gs_status verify_unmap(
	void *device, uint64_t address, uint64_t page, uint32_t pages, const uint64_t *handles)
{
	(void)device, (void)address, (void)page, (void)pages, (void)handles;
	return GS_OK;
}

static const gs_device_ops verify_ops = {
	.name = "recording",
	.mem_alloc = verify_alloc,
	.mem_free = verify_free,
	.mem_info = verify_info,
	.reserve = verify_reserve,
	.map = verify_map,
	.unmap = verify_unmap,
	.unreserve = verify_free,
};

/* --- empty_cache() or a retry?
 * -------------------------------------------------------------------- */

typedef struct search {
	const gs_pool *pool;
	uint64_t rounded, stream;
	gs_pool_class class;
	gs_pool_id id;
	bool in, found;
} search;

static gs_status see_segment(void *user, const gs_pool_segment_info *s)
{
	search *look = user;

	look->in = s->pool == look->class && s->stream == look->stream && s->pool_id.a == look->id.a &&
		s->pool_id.b == look->id.b;
	return GS_OK;
}

static gs_status see_block(void *user, const gs_pool_block_info *b)
{
	search *look = user;

	if (look->in && b->state == GS_INACTIVE && b->size >= look->rounded)
		look->found |= gs_rules_may_serve(gs_pool_get_settings(look->pool), look->rounded, b->size);
	return look->found ? GS_END : GS_OK;
}

/* A retry happens when no cached block serves the request and the device has no room for another
 * segment. Where one would have served it, or where the device later proved to have had the room,
 * the program itself emptied the cache. */
static bool emptied_by_program(const verifier *f, const gs_player *p, const gs_replay_op *request)
{
	static const gs_pool_visitor visitor = {see_segment, see_block};
	const gs_pool_settings *settings = gs_pool_get_settings(p->pool);
	search look = {.pool = p->pool, .rounded = gs_rules_round(settings, request->size)};
	uint64_t options;

	look.class = gs_rules_class(look.rounded);
	look.stream = f->r->snapshot->streams ? f->r->snapshot->streams[request->stream] : 0;
	if (request->pool)
		look.id = f->r->pools.ids[request->pool - 1];
	if (look.id.a)
		return true; /* nothing is retried while a graph is captured */
	options = gs_rules_segment_size(settings, look.rounded);
	if (settings->expandable) {
		uint64_t page = gs_rules_page_size(settings, look.class);
		options = (look.rounded + page - 1) / page * page;
	}
	if (settings->gc_threshold <= 0 && gs_pool_reserved(p->pool) + options <= f->r->peak_reserved)
		return true;
	gs_pool_walk(p->pool, &visitor, &look);
	return look.found;
}

static void settle(verifier *f, const gs_player *p, size_t i)
{
	gs_replay *r = f->r;
	size_t next = i + 1;

	while (
		next < r->n && r->ops[next].kind != GS_REPLAY_ALLOC && r->ops[next].kind != GS_REPLAY_OOM)
		next++;
	r->ops[i].kind = next < r->n && emptied_by_program(f, p, &r->ops[next]) ? GS_REPLAY_EMPTY
																			: GS_REPLAY_NOTHING;
	r->emptied += r->ops[i].kind == GS_REPLAY_EMPTY;
}

typedef struct leftover {
	const gs_pool *pool;
	gs_pool_segment_info kept; /* the segment whose blocks are told */
	bool found;
} leftover;

static gs_status keep_segment(void *user, const gs_pool_segment_info *s)
{
	leftover *l = user;

	l->kept = *s;
	return GS_OK;
}

/* Whether empty_cache() would give this free block's memory, or pages of it, back. */
static gs_status see_leftover(void *user, const gs_pool_block_info *b)
{
	leftover *l = user;
	uint64_t page, from, to;

	l->found |= b->state == GS_ACTIVE_PENDING_FREE; /* it would complete this free */
	if (b->state != GS_INACTIVE || l->kept.pool_id.a || l->kept.pool_id.b)
		return l->found ? GS_END : GS_OK;
	if (!l->kept.expandable) {
		l->found |= b->size == l->kept.size;
	} else {
		page = gs_rules_page_size(gs_pool_get_settings(l->pool), l->kept.pool);
		from = (b->address - l->kept.reserved_address + page - 1) / page;
		to = (b->address + b->size - l->kept.reserved_address) / page;
		l->found |= to > from;
	}
	return l->found ? GS_END : GS_OK;
}

/* The cache may have been emptied without a trace only where there was nothing to give back. */
static void settle_capture(verifier *f, const gs_player *p, size_t i)
{
	static const gs_pool_visitor visitor = {keep_segment, see_leftover};
	leftover left = {.pool = p->pool};

	gs_pool_walk(p->pool, &visitor, &left);
	f->r->ops[i].kind = left.found ? GS_REPLAY_NOTHING : GS_REPLAY_EMPTY;
}

/* --- a pass
 * --------------------------------------------------------------------------------------- */

/* Plays until the end or the first difference; *at is the request where that was. */
static gs_status verify_once(gs_replay *r, const gs_rules *rules, const char *conf,
	uint64_t allowed, gs_replay_agreement *a, size_t *at, gs_error *err)
{
	verifier f = {.r = r, .a = a};
	gs_player_config config = {
		.ops = &verify_ops, .device = &f, .rules = rules, .conf = conf, .allowed = allowed};
	gs_player p = {.listen = compare, .user = &f};
	gs_status status;
	size_t i = 0;

	memset(a, 0, sizeof *a);
	a->event = GS_NONE;
	for (size_t k = 0; k < r->device->trace.n; k++)
		f.recorded[gs_event_action(&r->device->trace.events[k])] = true;
	f.total = r->device->capacity > 0 ? (uint64_t)r->device->capacity : UINT64_C(1) << 40;
	status = gs_player_init(&p, r, &config, err);
	for (; i < r->n && !status && !f.differs; i++) {
		if (r->ops[i].kind == GS_REPLAY_RELEASE)
			settle(&f, &p, i);
		else if (r->ops[i].kind == GS_REPLAY_CAPTURE)
			settle_capture(&f, &p, i);
		status = gs_player_step(&p, &r->ops[i]);
		if (status == GS_DEVICE_MEMORY)
			status = GS_OK; /* compared as an oom action */
	}
	gs_player_release(&p);
	*at = i ? i - 1 : 0;
	a->agrees = !f.differs;
	if (status && err && !err->status)
		gs_fail(err, status, "replaying the recorded settings: %s", gs_status_text(status));
	return status;
}

/* --- frees that were pending
 * ----------------------------------------------------------------------- */

/* Where the last `count` frees before a request had not completed when it was made: their
 * completions move behind it. */
static void make_pending(gs_replay_op *ops, size_t request, size_t count)
{
	for (size_t i = request; i-- > 0 && count;) {
		if (ops[i].kind == GS_REPLAY_COMPLETE)
			ops[i].kind = GS_REPLAY_NOTHING;
		else if (ops[i].kind == GS_REPLAY_FREE)
			ops[i].kind = GS_REPLAY_DEFER;
		else
			continue;
		count--;
	}
}

/* Frees right before a request: completions, and at most one that was requested there too. */
static size_t trailing_frees(const gs_replay_op *ops, size_t request)
{
	size_t n = 0;

	for (size_t i = request; i-- > 0;) {
		if (ops[i].kind == GS_REPLAY_NOTHING || ops[i].kind == GS_REPLAY_RELEASE ||
			ops[i].kind == GS_REPLAY_CAPTURE)
			continue;
		if (ops[i].kind == GS_REPLAY_FREE)
			return n + 1;
		if (ops[i].kind != GS_REPLAY_COMPLETE)
			break;
		n++;
	}
	return n;
}

/* Tries the fewest pending frees that carry the replay past the difference at request `at`; keeps
 * them in r->ops. */
static gs_status explain(gs_replay *r, const gs_rules *rules, const char *conf, uint64_t allowed,
	gs_replay_agreement *a, size_t *at, int *tries, gs_error *err)
{
	size_t most = trailing_frees(r->ops, *at), bytes = r->n * sizeof *r->ops, request = *at;
	gs_replay_op *kept = malloc(bytes + 1);
	gs_status status = GS_OK;
	bool better = false;

	if (!kept)
		return gs_fail(err, GS_NO_MEMORY, "replaying");
	memcpy(kept, r->ops, bytes);
	for (size_t count = 1; count <= most && *tries > 0 && !status && !better;
		 count = count < 4 ? count + 1 : count * 2, --*tries) {
		gs_replay_agreement next;
		bool deferred = r->deferred;
		uint64_t emptied = r->emptied;
		make_pending(r->ops, request, count);
		r->deferred = true;
		status = verify_once(r, rules, conf, allowed, &next, at, err);
		better = !status && (next.agrees || *at > request);
		if (better) {
			next.pending_frees = a->pending_frees + count;
			*a = next;
		} else {
			memcpy(r->ops, kept, bytes);
			r->deferred = deferred;
			r->emptied = emptied;
		}
	}
	if (!better)
		*at = request;
	free(kept);
	return status;
}

gs_status gs_replay_verify(gs_replay *r, const gs_rules *rules, const char *conf, uint64_t allowed,
	gs_replay_agreement *a, gs_error *err)
{
	size_t at = 0, before;
	int tries = TRIES_MAX;
	gs_status status = verify_once(r, rules, conf, allowed, a, &at, err);

	while (!status && !a->agrees && at < r->n && tries > 0 &&
		(r->ops[at].kind == GS_REPLAY_OOM || r->ops[at].kind == GS_REPLAY_ALLOC)) {
		before = at;
		status = explain(r, rules, conf, allowed, a, &at, &tries, err);
		if (at == before)
			break;
	}
	return status;
}
