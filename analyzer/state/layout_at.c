/* From a played state to a layout, and sums event by event. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/state/history_internal.h"

typedef struct builder {
	const gs_history *h;
	const gs_playback *r;
	gs_layout *l;
} builder;

static void doubt(gs_layout *l, uint64_t address, const char *what)
{
	if (l->exact)
		snprintf(l->note, sizeof l->note, "0x%llx: %s", (unsigned long long)address, what);
	l->exact = false;
}

static gs_block *next_block(builder *b, uint64_t address, uint64_t size)
{
	gs_block *block = &b->l->blocks[b->l->nblocks++];
	*block = (gs_block){.address = address,
		.size = size,
		.requested = GS_NONE,
		.idx = GS_NONE,
		.state = GS_INACTIVE};
	block->segment = (uint32_t)(b->l->nsegments - 1);
	b->l->segments[block->segment].nblocks++;
	return block;
}

static void describe_preexisting(
	const builder *b, const gs_preexisting_block *preexisting, gs_block *block)
{
	char what[96];
	block->requested = (int64_t)preexisting->requested;
	if (preexisting->captured)
		block->requested = b->h->device->captured.blocks[preexisting->captured - 1].requested;
	block->stack = preexisting->stack;
	block->tag = preexisting->tag;
	if ((preexisting->size_source & GS_SIZE_SOURCE_MASK) != GS_SIZE_OPEN)
		return;
	snprintf(what, sizeof what, "block born before the trace, %llu to %llu bytes",
		(unsigned long long)preexisting->requested, (unsigned long long)preexisting->high);
	doubt(b->l, block->address, what);
}

static void describe_allocated(const builder *b, uint32_t number, int32_t birth, gs_block *block)
{
	const gs_history_tables *w = b->h->tables;
	const gs_event *e = &b->h->device->trace.events[birth];
	block->requested = (int64_t)e->size;
	block->stack = e->stack;
	block->tag = gs_event_tag(e);
	block->idx = birth;
	if (w->kept[number] == birth) {
		const gs_block *captured = &b->h->device->captured.blocks[w->survivor[number] - 1];
		if (captured->stack)
			block->stack = captured->stack;
		if (captured->requested != GS_NONE)
			block->requested = captured->requested;
	}
	if ((w->size_source[birth] & GS_SIZE_SOURCE_MASK) == GS_SIZE_OPEN)
		doubt(b->l, block->address,
			w->conflicts ? "block of doubtful size: the settings seem to have changed in the run"
						 : "block of doubtful size");
}

static void add_active(builder *b, uint32_t number)
{
	const gs_playback *r = b->r;
	gs_block *block = next_block(
		b, b->h->tables->addresses.address[number], gs_playback_size(r, number));
	block->state = r->pending[number] ? GS_ACTIVE_PENDING_FREE : GS_ACTIVE_ALLOCATED;
	if (r->birth[number] < 0)
		describe_preexisting(b, &b->h->tables->preexisting[-2 - r->birth[number]], block);
	else
		describe_allocated(b, number, r->birth[number], block);
}

static void add_blocks(builder *b, uint32_t piece, uint64_t end)
{
	const gs_address_index *addresses = &b->h->tables->addresses;
	uint64_t at = addresses->address[piece];
	for (uint32_t p = gs_address_set_next(&b->r->active, piece);
		 p != GS_NO_ADDRESS && addresses->address[p] < end;
		 p = gs_address_set_next(&b->r->active, p + 1)) {
		if (addresses->address[p] > at)
			next_block(b, at, addresses->address[p] - at);
		add_active(b, p);
		at = addresses->address[p] + gs_playback_size(b->r, p);
	}
	if (at < end)
		next_block(b, at, end - at);
}

static void add_segment(builder *b, uint32_t piece)
{
	const gs_traits *t = &b->h->tables->traits.all[b->r->map.traits[piece]];
	gs_segment *g = &b->l->segments[b->l->nsegments++];
	*g = (gs_segment){.address = b->h->tables->addresses.address[piece],
		.size = b->r->map.size[piece],
		.stream = t->stream,
		.pool_id = t->pool_id,
		.stack = t->stack,
		.pool = t->pool,
		.expandable = t->expandable,
		.has_address = true,
		.first_block = b->l->nblocks};
	if (t->pool_guessed && t->expandable)
		doubt(b->l, g->address, "segment whose pool class nothing tells");
	if (t->id_guessed && b->h->tables->private_pools)
		doubt(b->l, g->address, "segment whose pool id nothing tells");
	add_blocks(b, piece, g->address + g->size);
}

static size_t count(const gs_address_set *s)
{
	size_t n = 0;
	for (uint32_t w = 0; w < s->words[0]; w++)
		n += (size_t)__builtin_popcountll(s->level[0][w]);
	return n;
}

static gs_status build(const gs_history *h, const gs_playback *r, int64_t idx, gs_layout *out)
{
	gs_layout l;
	gs_layout_init(&l);
	l.idx = idx;
	size_t segments = count(&r->map.starts), active = count(&r->active);
	l.segments = malloc((segments + 1) * sizeof *l.segments);
	l.blocks = malloc((segments + 2 * active + 1) * sizeof *l.blocks);
	if (!l.segments || !l.blocks) {
		gs_layout_release(&l);
		return GS_NO_MEMORY;
	}
	builder b = {h, r, &l};
	for (uint32_t p = gs_address_set_next(&r->map.starts, 0); p != GS_NO_ADDRESS;
		 p = gs_address_set_next(&r->map.starts, p + 1))
		add_segment(&b, p);
	if (h->contradictions) {
		l.exact = false;
		snprintf(l.note, sizeof l.note, "%s", h->note);
	}
	*out = l;
	return GS_OK;
}

/* As captured, with the events that made its blocks. */
static gs_status copy_captured(const gs_history *h, int64_t idx, gs_layout *out)
{
	const gs_history_tables *w = h->tables;
	gs_layout l;
	if (gs_layout_copy(&l, &h->device->captured))
		return GS_NO_MEMORY;
	l.idx = idx;
	for (size_t i = 0; i < l.nblocks; i++) {
		gs_block *b = &l.blocks[i];
		uint32_t number = b->state == GS_INACTIVE
			? GS_NO_ADDRESS
			: gs_address_index_find(&w->addresses, b->address);
		if (number != GS_NO_ADDRESS && w->survivor[number] == i + 1 && w->kept[number] >= 0)
			b->idx = w->kept[number];
	}
	*out = l;
	return GS_OK;
}

bool gs_history_same(const gs_history *h, int64_t idx, int64_t other)
{
	int64_t from = idx < other ? idx : other, to = idx < other ? other : idx;
	for (int64_t i = from + 1; i <= to; i++)
		if (h->tables->at[i] != GS_NO_ADDRESS)
			return false;
	return true;
}

static bool as_captured(const gs_history *h, int64_t idx)
{
	return h->device->has_layout && gs_history_same(h, idx, h->captured_at);
}

gs_status gs_history_layout(const gs_history *h, int64_t idx, gs_layout *out, gs_error *err)
{
	if (idx < -1 || idx >= (int64_t)h->n)
		return gs_fail(err, GS_INVALID, "there is no event %lld", (long long)idx);
	gs_playback r;
	gs_status status = as_captured(h, idx) ? GS_OK : gs_playback_init(&r, h);
	if (as_captured(h, idx)) {
		status = copy_captured(h, idx, out);
	} else if (!status) {
		for (int64_t i = 0; i <= idx; i++)
			gs_playback_step(&r, (size_t)i);
		status = build(h, &r, idx, out);
		gs_playback_release(&r);
	}
	return status ? gs_fail(err, status, "out of memory while rebuilding a state") : GS_OK;
}

gs_status gs_history_layouts(const gs_history *h, const int64_t *idx, size_t n,
	gs_history_visit *visit, void *context, gs_error *err)
{
	gs_playback r;
	gs_status status = gs_playback_init(&r, h);
	int64_t played = 0;

	if (status)
		return gs_fail(err, status, "out of memory while rebuilding states");
	for (size_t k = 0; k < n && !status; k++) {
		gs_layout l;
		for (; played <= idx[k] && played < (int64_t)h->n; played++)
			gs_playback_step(&r, (size_t)played);
		status = build(h, &r, idx[k], &l);
		if (status) {
			gs_fail(err, status, "out of memory while rebuilding states");
			break;
		}
		status = visit(context, k, &l);
		gs_layout_release(&l);
	}
	gs_playback_release(&r);
	return status;
}

void gs_running_totals_start(const gs_history *h, gs_running_totals *g)
{
	const gs_history_tables *w = h->tables;
	*g = (gs_running_totals){0, 0, 0};
	for (uint32_t i = 0; i < w->npieces; i++)
		g->reserved += w->pieces[i].size;
	for (uint32_t i = 0; i < w->npreexisting; i++)
		*(w->preexisting[i].state == GS_ACTIVE_PENDING_FREE
				? &g->pending
				: &g->allocated) += w->preexisting[i].size;
}

void gs_running_totals_step(const gs_history *h, size_t i, gs_running_totals *g)
{
	gs_history_add_up(h, i, g);
}
