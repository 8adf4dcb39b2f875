/* The recorded settings, replayed against the recording.
 *
 * The device below the pool does what the recording shows: it gives the address of the segment that
 * comes next in the trace if that is what is asked for, and has no memory otherwise. So addresses
 * agree to the byte wherever the rules do, and nothing needs to be known of the device's size. */
#include "analyzer/replay/replay_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"
#include "analyzer/replay/play.h"

enum { TRIES_MAX = 12 }; /* reruns to explain differences by pending frees */

/* Where a replay left the recording: the request, and frees right before it that may have been
 * pending then. */
typedef struct difference {
	uint64_t op; /* number of the request, or of the last one played */
	bool is_request;
	gs_replay_revision *frees; /* the latest first; the kinds are those that they had */
	size_t n, cap;
} difference;

typedef struct verifier {
	gs_replay *r;
	gs_replay_agreement *a;
	difference *where;
	gs_player player;
	const gs_replay_window *window;
	uint64_t cursor;    /* number of the recorded event that comes next */
	gs_event left;      /* the one at the cursor, where windows have gone past it … */
	bool has_left;      /* … which only requests of nothing do */
	uint64_t completed; /* sum over a row of completions, recorded minus replayed: their order is
						   not specified */
	bool differs;
	uint64_t reserved_ranges; /* reservations that the recording does not place */
	uint64_t total;
} verifier;

static bool is_decision(gs_action a) { return a <= GS_ACTION_SEGMENT_UNMAP || a == GS_ACTION_OOM; }

static const gs_event *next_event(verifier *f)
{
	const gs_replay_window *w = f->window;
	if (f->has_left)
		return &f->left;
	if (!w)
		return NULL;
	while (f->cursor - w->first_event < w->nevents &&
		!is_decision(gs_event_action(&w->events[f->cursor - w->first_event])))
		f->cursor++;
	return f->cursor - w->first_event < w->nevents ? &w->events[f->cursor - w->first_event] : NULL;
}

static void go_on(verifier *f)
{
	f->cursor++;
	f->has_left = false;
	f->a->compared++;
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
	f->a->event = (int64_t)(f->cursor + f->r->first);
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
		!f->r->seen[action->action])
		return;
	e = next_event(f);
	if (action->action == GS_ACTION_FREE_COMPLETED && e &&
		gs_event_action(e) == GS_ACTION_FREE_COMPLETED) {
		f->completed += mix(e->address, e->size) - mix(action->address, action->size);
	} else if (!e || f->completed || !same(f, e, action)) {
		differ(f, e, action);
		return;
	}
	go_on(f);
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

/* --- empty_cache() or a retry? --- */

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

typedef enum giver { RETRY, PROGRAM, PERHAPS_RETRY } giver;

static bool is_of_empty_cache(const gs_snapshot *s, gs_id stack)
{
	const gs_stack *k = stack && stack < s->nstacks ? &s->stacks[stack] : NULL;
	for (uint32_t i = 0; k && i < k->n; i++) {
		const gs_frame *frame = &s->frames[s->stack_frames[k->first + i]];
		if (!strcmp(gs_string_text(s, frame->name), "empty_cache"))
			return true;
	}
	return false;
}

/* By the stacks of what went back: they are of the call or the request that caused it; where the
 * recording does not keep those, of the allocation which brought the segment. */
static giver giver_by_stacks(
	const gs_snapshot *s, const gs_replay_window *w, size_t release, const gs_event *request)
{
	size_t first = w->ops[release].event, i = first;
	if (first < w->nevents && is_of_empty_cache(s, w->events[first].stack))
		return PROGRAM;
	while (i < w->nevents && gs_gives_back(&w->events[i]) && w->events[i].stack &&
		w->events[i].stack == request->stack)
		i++;
	return i > first && i < w->nevents && !gs_gives_back(&w->events[i]) ? RETRY : PERHAPS_RETRY;
}

/* Whether the device, or the limit, has no room for that much more, others' memory being what it
 * was at the recorded failure. */
static bool is_full(const gs_replay *r, uint64_t reserved, uint64_t more)
{
	if (r->device->allowed != GS_NONE && reserved + more > (uint64_t)r->device->allowed)
		return true;
	return r->first_oom >= 0 && r->oom_device_free != GS_NONE && r->oom_device_free >= 0 &&
		reserved + more > (uint64_t)r->oom_reserved + (uint64_t)r->oom_device_free;
}

/* A retry happens when no cached block serves the request and the device has no room for another
 * segment. Where one would have served it, or where the device later proved to have had the room,
 * the program itself emptied the cache. */
static giver giver_by_room(const verifier *f, const gs_player *p, const gs_replay_op *request)
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
		return PROGRAM; /* nothing is retried while a graph is captured */
	options = gs_rules_segment_size(settings, look.rounded);
	if (settings->expandable) {
		uint64_t page = gs_rules_page_size(settings, look.class);
		options = (look.rounded + page - 1) / page * page;
	}
	if (settings->gc_threshold <= 0 && gs_pool_reserved(p->pool) + options <= f->r->peak_reserved)
		return PROGRAM;
	gs_pool_walk(p->pool, &visitor, &look);
	return look.found                                       ? PROGRAM
		: is_full(f->r, gs_pool_reserved(p->pool), options) ? RETRY
															: PERHAPS_RETRY;
}

/* Keeps what a RELEASE or CAPTURE turned out to be. */
static gs_status keep_settled(gs_replay *r, gs_replay_op *op, bool empties)
{
	op->kind = empties ? GS_REPLAY_EMPTY : GS_REPLAY_NOTHING;
	if (!r->source)
		return GS_OK;
	if (!GS_ARRAY_RESERVE(r->settled, r->cap_settled, r->nsettled / 8 + 1))
		return GS_NO_MEMORY;
	uint8_t *bits = &r->settled[r->nsettled / 8];
	unsigned bit = r->nsettled++ % 8;
	*bits = (uint8_t)((bit ? *bits : 0) | (unsigned)empties << bit);
	return GS_OK;
}

static gs_status settle(verifier *f, size_t i)
{
	const gs_replay_window *w = f->window;
	size_t next = i + 1;

	while (
		next < w->n && w->ops[next].kind != GS_REPLAY_ALLOC && w->ops[next].kind != GS_REPLAY_OOM)
		next++;
	const gs_replay_op *request = next < w->n ? &w->ops[next] : NULL;
	bool capture = request && request->pool && f->r->pools.ids[request->pool - 1].a;
	giver by = request && !capture && request->event < w->nevents
		? giver_by_stacks(f->r->snapshot, w, i, &w->events[request->event])
		: PERHAPS_RETRY;
	if (request && by == PERHAPS_RETRY)
		by = giver_by_room(f, &f->player, request);
	f->r->settled_empty += by == PROGRAM;
	f->r->settled_captures += by == PROGRAM && capture;
	f->r->guessed += by == PERHAPS_RETRY;
	return keep_settled(f->r, &w->ops[i], by == PROGRAM);
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
static gs_status settle_capture(verifier *f, size_t i)
{
	static const gs_pool_visitor visitor = {keep_segment, see_leftover};
	leftover left = {.pool = f->player.pool};

	gs_pool_walk(f->player.pool, &visitor, &left);
	return keep_settled(f->r, &f->window->ops[i], !left.found);
}

/* --- a pass --- */

/* Frees right before a request: completions, and at most one that was requested there too. */
static gs_status find_frees(difference *d, const gs_replay_window *w, size_t request)
{
	d->op = w->first_op + request;
	d->is_request = w->ops[request].kind == GS_REPLAY_OOM ||
		w->ops[request].kind == GS_REPLAY_ALLOC;
	d->n = 0;
	for (size_t i = request; i-- > 0;) {
		gs_replay_kind kind = (gs_replay_kind)w->ops[i].kind;
		if (kind == GS_REPLAY_NOTHING || kind == GS_REPLAY_RELEASE || kind == GS_REPLAY_CAPTURE)
			continue;
		if (kind != GS_REPLAY_FREE && kind != GS_REPLAY_COMPLETE && kind != GS_REPLAY_WAITED)
			break;
		if (!GS_ARRAY_RESERVE(d->frees, d->cap, d->n + 1))
			return GS_NO_MEMORY;
		d->frees[d->n++] = (gs_replay_revision){w->first_op + i, kind};
		if (kind == GS_REPLAY_FREE)
			break;
	}
	return GS_OK;
}

static gs_status play_op(verifier *f, size_t i)
{
	gs_replay_op *op = &f->window->ops[i];
	gs_status status = GS_OK;
	if (op->kind == GS_REPLAY_RELEASE)
		status = settle(f, i);
	else if (op->kind == GS_REPLAY_CAPTURE)
		status = settle_capture(f, i);
	if (!status)
		status = gs_player_step(&f->player, op);
	return status == GS_DEVICE_MEMORY ? GS_OK : status; /* compared as an oom action */
}

/* Behind the last request of a window all its events were compared, as a rule. */
static void leave_window(verifier *f)
{
	const gs_event *e = f->window->last ? NULL : next_event(f);
	uint64_t made = f->window->made;
	if (e && !f->has_left && f->cursor < made) {
		f->left = *e;
		f->has_left = true;
	}
	f->window = NULL;
}

static gs_status verify_window(void *context, const gs_replay_window *w, gs_error *err)
{
	verifier *f = context;
	gs_status status = gs_player_reserve(&f->player, w->nslots);
	size_t i = 0;
	(void)err;
	f->window = w;
	while (i < w->n && !status && !f->differs)
		status = play_op(f, i++);
	if (!status && i)
		f->where->op = w->first_op + i - 1;
	if (!status && f->differs)
		status = i ? find_frees(f->where, w, i - 1) : GS_OK;
	leave_window(f);
	return status ? status : f->differs ? GS_END : GS_OK;
}

/* Plays until the end or the first difference. */
static gs_status verify_once(gs_replay *r, const gs_rules *rules, const char *conf,
	uint64_t allowed, gs_replay_agreement *a, difference *where, gs_error *err)
{
	verifier f = {.r = r, .a = a, .where = where};
	gs_player_config config = {
		.ops = &verify_ops, .device = &f, .rules = rules, .conf = conf, .allowed = allowed};

	memset(a, 0, sizeof *a);
	a->event = GS_NONE;
	where->n = 0;
	where->op = 0;
	where->is_request = false;
	if (r->source)
		r->nsettled = 0;
	f.player.listen = compare;
	f.player.user = &f;
	f.total = r->device->capacity > 0 ? (uint64_t)r->device->capacity : UINT64_C(1) << 40;
	gs_status status = gs_player_init(&f.player, r, &config, err);
	if (!status)
		status = gs_replay_pass(r, false, verify_window, &f, err);
	r->past_wait = f.player.past_wait;
	a->retries = gs_player_retries(&f.player);
	gs_player_release(&f.player);
	a->agrees = !f.differs;
	if (status && err && !err->status)
		gs_fail(err, status, "replaying the recorded settings: %s", gs_status_text(status));
	return status;
}

/* --- frees that were pending --- */

static gs_replay_kind as_pending(gs_replay_kind kind)
{
	return kind == GS_REPLAY_FREE ? GS_REPLAY_DEFER : GS_REPLAY_NOTHING;
}

/* The last `count` frees before the request had not completed when it was made: their completions
 * move behind it. */
static gs_status make_pending(gs_replay *r, const difference *d, size_t count)
{
	r->deferred = true;
	for (size_t i = count; i-- > 0;) {
		gs_replay_revision pending = {d->frees[i].op, as_pending(d->frees[i].kind)};
		if (!r->source) {
			r->ops[pending.op].kind = (uint32_t)pending.kind & 0xff;
			continue;
		}
		if (!GS_ARRAY_RESERVE(r->revisions, r->cap_revisions, r->nrevisions + 1))
			return GS_NO_MEMORY;
		r->revisions[r->nrevisions++] = pending;
	}
	return GS_OK;
}

/* What a try changes, to be put back. */
typedef struct before {
	gs_replay_op *ops;
	uint8_t *settled;
	size_t nsettled, nrevisions;
	bool deferred;
	uint64_t settled_empty, settled_captures, guessed;
} before;

static bool keep(before *b, const gs_replay *r)
{
	size_t ops = r->n * sizeof *r->ops, bits = r->nsettled / 8 + 1;
	*b = (before){malloc(ops + 1), malloc(bits), r->nsettled, r->nrevisions, r->deferred,
		r->settled_empty, r->settled_captures, r->guessed};
	if (b->ops && ops)
		memcpy(b->ops, r->ops, ops);
	if (b->settled && r->nsettled)
		memcpy(b->settled, r->settled, (r->nsettled + 7) / 8);
	return b->ops && b->settled;
}

static void put_back(const before *b, gs_replay *r)
{
	if (r->n)
		memcpy(r->ops, b->ops, r->n * sizeof *r->ops);
	r->nsettled = b->nsettled;
	if (r->nsettled)
		memcpy(r->settled, b->settled, (r->nsettled + 7) / 8);
	r->nrevisions = b->nrevisions;
	r->deferred = b->deferred;
	r->settled_empty = b->settled_empty;
	r->settled_captures = b->settled_captures;
	r->guessed = b->guessed;
}

typedef struct trial {
	gs_replay *r;
	const gs_rules *rules;
	const char *conf;
	uint64_t allowed;
	int tries;
} trial;

/* The run once more with `count` frees pending. */
static gs_status try_pending(const trial *t, const difference *where, size_t count,
	gs_replay_agreement *a, difference *next, gs_error *err)
{
	gs_status status = make_pending(t->r, where, count);
	if (status)
		return gs_fail(err, status, "replaying");
	if (t->r->source)
		t->r->settled_empty = t->r->settled_captures = t->r->guessed = 0;
	return verify_once(t->r, t->rules, t->conf, t->allowed, a, next, err);
}

/* Tries the fewest pending frees that carry the replay past a difference; keeps them. */
static gs_status explain(
	trial *t, gs_replay_agreement *a, difference *where, bool *better, gs_error *err)
{
	difference next = {0};
	before kept;
	gs_status status = keep(&kept, t->r) ? GS_OK : gs_fail(err, GS_NO_MEMORY, "replaying");

	*better = false;
	for (size_t count = 1; count <= where->n && t->tries > 0 && !status && !*better;
		 count = count < 4 ? count + 1 : count * 2, --t->tries) {
		gs_replay_agreement tried;
		status = try_pending(t, where, count, &tried, &next, err);
		*better = !status && (tried.agrees || next.op > where->op);
		if (*better) {
			tried.pending_frees = a->pending_frees + count;
			*a = tried;
		} else {
			put_back(&kept, t->r);
		}
	}
	free(kept.ops);
	free(kept.settled);
	gs_memory_give(*better ? where->frees : next.frees);
	if (*better)
		*where = next;
	return status;
}

gs_status gs_replay_verify(gs_replay *r, const gs_rules *rules, const char *conf, uint64_t allowed,
	gs_replay_agreement *a, gs_error *err)
{
	trial t = {r, rules, conf, allowed, TRIES_MAX};
	difference where = {0};
	bool better = true;
	r->settled_empty = r->settled_captures = r->guessed = 0;
	r->nrevisions = 0;
	gs_status status = verify_once(r, rules, conf, allowed, a, &where, err);

	while (!status && better && !a->agrees && t.tries > 0 && where.is_request)
		status = explain(&t, a, &where, &better, err);
	gs_memory_give(where.frees);
	return status;
}
