#include "analyzer/replay/play.h"

#include <stdlib.h>
#include <string.h>

/* The slot travels as the block's stack id, so that a free that a retry completes finds it. */
static void on_action(void *user, const gs_pool_action *action)
{
	gs_player *p = user;

	if (action->action == GS_ACTION_FREE_COMPLETED && action->ctx.stack < p->nslots &&
		p->pending[action->ctx.stack]) {
		p->pending[action->ctx.stack] = 0;
		p->blocks[action->ctx.stack] = NULL;
	}
	if (p->listen)
		p->listen(p->user, action);
}

static bool is_private(gs_pool_id id) { return id.a || id.b; }

/* --- the state before the first event -----------------------------------------------------------
 */

/* Which reservation each expandable run was in, and how far that reaches, is not recorded. Runs of
 * one pool and stream with nothing of others between them are taken for one reservation, which ends
 * before the next segment at the latest. */
typedef struct reservation {
	uint64_t address, size;
} reservation;

static bool same_reservation(const gs_segment *a, const gs_segment *b)
{
	return a->expandable && b->expandable && a->pool == b->pool && a->stream == b->stream &&
		a->pool_id.a == b->pool_id.a && a->pool_id.b == b->pool_id.b;
}

/* Whether segment k can be of the reservation that began at segment `first`. */
static bool continues(const gs_layout *l, size_t first, size_t k, uint64_t page, uint64_t bytes)
{
	uint64_t offset = l->segments[k].address - l->segments[first].address;

	return same_reservation(&l->segments[k], &l->segments[k - 1]) && offset % page == 0 &&
		offset + l->segments[k].size <= bytes;
}

static void find_reservations(
	const gs_player *p, const gs_layout *l, uint64_t total, reservation *out)
{
	const gs_pool_settings *settings = gs_pool_get_settings(p->pool);
	size_t end;

	for (size_t first = 0; first < l->nsegments; first = end) {
		const gs_segment *s = &l->segments[first];
		uint64_t page = gs_rules_page_size(settings, s->pool),
				 bytes = gs_rules_reservation(settings, s->pool, total), room = bytes;
		for (end = first + 1; end < l->nsegments && continues(l, first, end, page, bytes); end++)
			;
		if (end < l->nsegments && l->segments[end].address - s->address < bytes)
			room = l->segments[end].address - s->address;
		for (size_t i = first; i < end; i++)
			out[i] = (reservation){s->address, room / page * page};
	}
}

static gs_status adopt_segment(gs_player *p, const gs_player_config *c, const gs_layout *l,
	size_t k, gs_pool_seed_block *room, gs_pool_block **handles, const reservation *reserved,
	gs_error *err)
{
	const gs_segment *s = &l->segments[k];
	gs_pool_seed seed = {.address = s->address,
		.size = s->size,
		.stream = s->stream,
		.pool = s->pool,
		.pool_id = s->pool_id,
		.expandable = s->expandable,
		.blocks = room,
		.nblocks = s->nblocks};
	gs_status status = GS_OK;

	if (s->expandable) {
		seed.reservation_size = reserved->size;
		seed.reservation_address = reserved->address;
	}
	for (size_t i = 0; i < s->nblocks; i++) {
		const gs_block *b = &l->blocks[s->first_block + i];
		uint32_t slot = p->r->initial_slots[s->first_block + i];
		room[i] = (gs_pool_seed_block){.size = b->size,
			.requested = b->requested == GS_NONE ? b->size : (uint64_t)b->requested,
			.state = b->state,
			.ctx = {slot, 0}};
	}
	if (c->adopt)
		status = c->adopt(c->device, &seed);
	if (!status)
		status = gs_pool_adopt(p->pool, &seed, handles, err);
	for (size_t i = 0; i < s->nblocks && !status; i++) {
		uint32_t slot = p->r->initial_slots[s->first_block + i];
		if (slot == UINT32_MAX)
			continue;
		p->blocks[slot] = handles[i];
		p->pending[slot] = l->blocks[s->first_block + i].state == GS_ACTIVE_PENDING_FREE;
	}
	return status;
}

/* When the program gave a private pool up is not recorded: it keeps each to the end. */
static gs_status hold_pools(gs_player *p, gs_error *err)
{
	for (uint32_t i = 0; i < p->r->pools.n; i++) {
		gs_status status = is_private(p->r->pools.ids[i])
			? gs_pool_hold_private(p->pool, p->r->pools.ids[i])
			: GS_OK;
		if (status)
			return gs_fail(err, status, "a private pool");
	}
	return GS_OK;
}

static gs_status adopt_all(gs_player *p, const gs_player_config *c, gs_error *err)
{
	const gs_layout *l = p->r->initial;
	gs_pool_seed_block *room;
	gs_pool_block **handles;
	reservation *reserved;
	uint64_t free_bytes = 0, total = 0;
	size_t most = 1;
	gs_status status = GS_OK;

	if (!l->nsegments || p->r->foreign)
		return GS_OK;
	for (size_t k = 0; k < l->nsegments; k++)
		most = l->segments[k].nblocks > most ? l->segments[k].nblocks : most;
	room = malloc(most * sizeof *room);
	handles = malloc(most * sizeof *handles);
	reserved = malloc(l->nsegments * sizeof *reserved);
	c->ops->mem_info(c->device, &free_bytes, &total);
	if (room && handles && reserved)
		find_reservations(p, l, total, reserved);
	else
		status = gs_fail(err, GS_NO_MEMORY, "taking over %zu segments", l->nsegments);
	for (size_t k = 0; k < l->nsegments && !status; k++) {
		status = adopt_segment(p, c, l, k, room, handles, &reserved[k], err);
		if (status == GS_INVALID || status == GS_EXISTS)
			status = gs_fail(err, GS_FORMAT,
				"the segment at 0x%llx, which was there before the recording, contradicts the others",
				(unsigned long long)l->segments[k].address);
		else if (status && err && !err->status)
			gs_fail(err, status, "taking over the segment at 0x%llx",
				(unsigned long long)l->segments[k].address);
	}
	free(room);
	free(handles);
	free(reserved);
	return status;
}

gs_status gs_player_reserve(gs_player *p, uint32_t n)
{
	gs_pool_block **blocks;
	uint8_t *pending;
	uint32_t room = p->nslots + p->nslots / 2 > n ? p->nslots + p->nslots / 2 : n;
	if (n <= p->nslots && p->blocks)
		return GS_OK;
	if (!(blocks = realloc(p->blocks, ((size_t)room + 1) * sizeof *blocks)))
		return GS_NO_MEMORY;
	p->blocks = blocks;
	if (!(pending = realloc(p->pending, (size_t)room + 1)))
		return GS_NO_MEMORY;
	p->pending = pending;
	memset(blocks + p->nslots, 0, ((size_t)room + 1 - p->nslots) * sizeof *blocks);
	memset(pending + p->nslots, 0, (size_t)room + 1 - p->nslots);
	p->nslots = room;
	return GS_OK;
}

/* Those that are known: of all requests once they were counted, else of what was there before. */
static uint32_t slots_at_first(const gs_replay *r)
{
	return r->counted ? r->nslots : (uint32_t)r->initial->nblocks;
}

gs_status gs_player_init(gs_player *p, const gs_replay *r, const gs_player_config *c, gs_error *err)
{
	gs_pool_config config = {.ops = c->ops,
		.device = c->device,
		.number = r->device->device,
		.memory = gs_pool_heap,
		.rules = c->rules,
		.flags = GS_POOL_NO_INDEX};
	gs_status status;

	p->r = r;
	p->pool = NULL;
	p->allocations = 0;
	p->unwaited = p->past_wait = false;
	p->blocks = NULL;
	p->pending = NULL;
	p->nslots = 0;
	if (gs_player_reserve(p, slots_at_first(r)))
		return gs_fail(err, GS_NO_MEMORY, "a replay of %u live blocks", (unsigned)r->nslots);
	if (r->deferred || p->listen) {
		config.on_action = on_action;
		config.user = p;
	}
	status = gs_pool_init(&p->pool, &config, err);
	if (!status && c->conf && *c->conf)
		status = gs_pool_configure(p->pool, c->conf, err);
	if (!status && c->allowed != UINT64_MAX)
		gs_pool_set_allowed(p->pool, c->allowed);
	if (!status)
		status = hold_pools(p, err);
	return status ? status : adopt_all(p, c, err);
}

uint64_t gs_player_retries(const gs_player *p)
{
	gs_pool_stats stats = {0};
	if (p->pool)
		gs_pool_get_stats(p->pool, &stats);
	return (uint64_t)stats.num_alloc_retries;
}

void gs_player_release(gs_player *p)
{
	gs_pool_release(p->pool);
	free(p->blocks);
	free(p->pending);
	p->pool = NULL;
	p->blocks = NULL;
	p->pending = NULL;
}

/* --- requests -----------------------------------------------------------------------------------
 */

static gs_status play_alloc(gs_player *p, const gs_replay_op *op)
{
	gs_pool_ctx ctx = {op->slot, 0};
	uint64_t stream = p->r->snapshot->streams ? p->r->snapshot->streams[op->stream] : 0;
	gs_pool_id id = {0, 0};
	gs_status status, ended;

	if (op->pool)
		id = p->r->pools.ids[op->pool - 1];
	if (!is_private(id))
		return gs_pool_malloc_block(p->pool, op->size, stream, ctx, &p->blocks[op->slot], NULL);
	if ((status = gs_pool_begin_private(p->pool, id, NULL, NULL, id.a != 0)))
		return status;
	status = gs_pool_malloc_block(p->pool, op->size, stream, ctx, &p->blocks[op->slot], NULL);
	ended = gs_pool_end_private(p->pool, id);
	if (!ended)
		ended = gs_pool_drop_private(p->pool, id); /* begin's use; that of the whole run stays */
	return status ? status : ended;
}

gs_status gs_player_step(gs_player *p, const gs_replay_op *op)
{
	gs_pool_block *block;
	gs_status status = GS_OK;

	switch ((gs_replay_kind)op->kind) {
	case GS_REPLAY_ALLOC:
	case GS_REPLAY_OOM:
		p->past_wait |= p->unwaited;
		status = play_alloc(p, op);
		p->allocations += !status;
		break;
	case GS_REPLAY_FREE:
		block = p->blocks[op->slot];
		p->blocks[op->slot] = NULL;
		if (block)
			status = gs_pool_free_block(p->pool, block);
		break;
	case GS_REPLAY_DEFER:
		if (p->blocks[op->slot]) {
			p->pending[op->slot] = 1;
			status = gs_pool_free_deferred(p->pool, p->blocks[op->slot]);
		}
		break;
	case GS_REPLAY_WAITED:
		p->unwaited |= p->blocks[op->slot] && p->pending[op->slot];
		/* fall through */
	case GS_REPLAY_COMPLETE:
		block = p->blocks[op->slot];
		if (block && p->pending[op->slot])
			status = gs_pool_complete(p->pool, block);
		break;
	case GS_REPLAY_EMPTY: status = gs_pool_empty_cache(p->pool); break;
	default: break;
	}
	return status;
}
