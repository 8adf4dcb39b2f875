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

static void describe_born(const builder *b, const gs_born *born, gs_block *block)
{
	char what[96];
	block->requested = (int64_t)born->requested;
	if (born->captured)
		block->requested = b->h->device->captured.blocks[born->captured - 1].requested;
	block->stack = born->stack;
	block->tag = born->tag;
	if ((born->how & GS_HOW_MASK) != GS_HOW_OPEN)
		return;
	snprintf(what, sizeof what, "block born before the trace, %llu to %llu bytes",
		(unsigned long long)born->requested, (unsigned long long)born->high);
	doubt(b->l, block->address, what);
}

static void describe_allocated(const builder *b, uint32_t place, int32_t birth, gs_block *block)
{
	const gs_history_work *w = b->h->work;
	const gs_event *e = &b->h->device->trace.events[birth];
	block->requested = (int64_t)e->size;
	block->stack = e->stack;
	block->tag = gs_event_tag(e);
	block->idx = birth;
	if (w->kept[place] == birth) {
		const gs_block *captured = &b->h->device->captured.blocks[w->survivor[place] - 1];
		if (captured->stack)
			block->stack = captured->stack;
		if (captured->requested != GS_NONE)
			block->requested = captured->requested;
	}
	if ((w->how[birth] & GS_HOW_MASK) == GS_HOW_OPEN)
		doubt(b->l, block->address,
			w->conflicts ? "block of doubtful size: the settings seem to have changed in the run"
						 : "block of doubtful size");
}

static void add_active(builder *b, uint32_t place)
{
	const gs_playback *r = b->r;
	gs_block *block = next_block(b, b->h->work->places.address[place], gs_playback_size(r, place));
	block->state = r->pending[place] ? GS_ACTIVE_PENDING_FREE : GS_ACTIVE_ALLOCATED;
	if (r->birth[place] < 0)
		describe_born(b, &b->h->work->born[-2 - r->birth[place]], block);
	else
		describe_allocated(b, place, r->birth[place], block);
}

static void add_blocks(builder *b, uint32_t piece, uint64_t end)
{
	const gs_places *places = &b->h->work->places;
	uint64_t at = places->address[piece];
	for (uint32_t p = gs_place_set_next(&b->r->active, piece);
		 p != GS_NO_PLACE && places->address[p] < end;
		 p = gs_place_set_next(&b->r->active, p + 1)) {
		if (places->address[p] > at)
			next_block(b, at, places->address[p] - at);
		add_active(b, p);
		at = places->address[p] + gs_playback_size(b->r, p);
	}
	if (at < end)
		next_block(b, at, end - at);
}

static void add_segment(builder *b, uint32_t piece)
{
	const gs_traits *t = &b->h->work->traits.all[b->r->map.traits[piece]];
	gs_segment *g = &b->l->segments[b->l->nsegments++];
	*g = (gs_segment){.address = b->h->work->places.address[piece],
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
	if (t->id_guessed && b->h->work->private_pools)
		doubt(b->l, g->address, "segment whose pool id nothing tells");
	add_blocks(b, piece, g->address + g->size);
}

static size_t count(const gs_place_set *s)
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
	for (uint32_t p = gs_place_set_next(&r->map.starts, 0); p != GS_NO_PLACE;
		 p = gs_place_set_next(&r->map.starts, p + 1))
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
	const gs_history_work *w = h->work;
	gs_layout l;
	if (gs_layout_copy(&l, &h->device->captured))
		return GS_NO_MEMORY;
	l.idx = idx;
	for (size_t i = 0; i < l.nblocks; i++) {
		gs_block *b = &l.blocks[i];
		uint32_t place = b->state == GS_INACTIVE ? GS_NO_PLACE
												 : gs_places_find(&w->places, b->address);
		if (place != GS_NO_PLACE && w->survivor[place] == i + 1 && w->kept[place] >= 0)
			b->idx = w->kept[place];
	}
	*out = l;
	return GS_OK;
}

static bool as_captured(const gs_history *h, int64_t idx)
{
	int64_t from = idx < h->captured_at ? idx : h->captured_at,
			to = idx < h->captured_at ? h->captured_at : idx;
	if (!h->device->has_layout)
		return false;
	for (int64_t i = from + 1; i <= to; i++)
		if (h->work->at[i] != GS_NO_PLACE)
			return false;
	return true;
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

void gs_gauge_start(const gs_history *h, gs_gauge *g)
{
	const gs_history_work *w = h->work;
	*g = (gs_gauge){0, 0, 0};
	for (uint32_t i = 0; i < w->npieces; i++)
		g->reserved += w->pieces[i].size;
	for (uint32_t i = 0; i < w->nborn; i++)
		*(w->born[i].state == GS_ACTIVE_PENDING_FREE ? &g->pending
													 : &g->allocated) += w->born[i].size;
}

static void take(uint64_t *from, uint64_t bytes) { *from -= bytes < *from ? bytes : *from; }

void gs_gauge_step(const gs_history *h, size_t i, gs_gauge *g)
{
	const gs_history_work *w = h->work;
	const gs_event *e = &h->device->trace.events[i];
	uint64_t size = h->sizes[i];
	if (w->at[i] == GS_NO_PLACE)
		return;
	switch (gs_event_action(e)) {
	case GS_ACTION_ALLOC:
		g->allocated += size;
		g->reserved += w->how[i] & GS_HOW_OWN_SEGMENT ? size : 0;
		break;
	case GS_ACTION_FREE_REQUESTED:
		take(&g->allocated, size);
		g->pending += size;
		break;
	case GS_ACTION_FREE_COMPLETED:
		take(w->how[i] & GS_HOW_DIRECT ? &g->allocated : &g->pending, size);
		take(&g->reserved, w->own_segments ? size : 0);
		break;
	case GS_ACTION_SEGMENT_ALLOC:
	case GS_ACTION_SEGMENT_MAP: g->reserved += e->size; break;
	default: take(&g->reserved, e->size); break;
	}
}
