/* What the dictionaries of a PyTorch snapshot mean: events, frames, segments, blocks, annotations.
 * Told apart by their keys, so that order, unknown keys and missing ones do not matter. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/read/open/reader.h"
#include "analyzer/read/pytorch/object.h"

enum { MOST_FEW = 4096 }; /* streams, pools: more are no snapshot */

#define BIT(word) (1ull << GS_WORD_##word)

static const gs_torch_value *value_of(const gs_torch_fields *f, int word)
{
	static const gs_torch_value none = {.type = GS_V_NONE};
	return f->have >> word & 1 ? f->at[word] : &none;
}

static uint64_t number(const gs_torch_fields *f, int word, uint64_t otherwise)
{
	const gs_torch_value *v = value_of(f, word);
	return v->type == GS_V_INT || v->type == GS_V_BOOL        ? v->u
		: v->type == GS_V_FLOAT && v->f >= 0 && v->f < 1.8e19 ? (uint64_t)v->f
															  : otherwise;
}

/* A time or line that an int64_t can hold, else GS_NONE. */
static int64_t known(const gs_torch_fields *f, int word)
{
	uint64_t u = number(f, word, (uint64_t)GS_NONE);
	return u > INT64_MAX ? GS_NONE : (int64_t)u;
}

/* The words of keys.def are the first strings of a snapshot. */
static const char *word_text(const gs_torch *t, int word) { return t->s->strings[word].text; }

/* A size. One that no memory has (negative, 2^80, 1e999) and what is no number is damage: taken for
 * 0 it would be a wrong answer. */
static gs_status size_of(gs_torch *t, const gs_torch_fields *f, int word, uint64_t *out)
{
	const gs_torch_value *v = value_of(f, word);
	*out = number(f, word, UINT64_MAX);
	if (!(f->have >> word & 1))
		*out = 0;
	else if (v->type == GS_V_NONE)
		return gs_fail(&t->error, GS_FORMAT, "the %s of a record is no number", word_text(t, word));
	else if (v->type == GS_V_INT && v->negative)
		return gs_fail(&t->error, GS_FORMAT, "a %s of %lld bytes cannot be", word_text(t, word),
			(long long)v->u);
	else if (v->type == GS_V_INT && *out > INT64_MAX)
		return gs_fail(&t->error, GS_FORMAT, "a %s of %llu bytes cannot be", word_text(t, word),
			(unsigned long long)*out);
	else if (*out > INT64_MAX)
		return gs_fail(&t->error, GS_FORMAT, "the %s of a record is %s", word_text(t, word),
			v->type == GS_V_STRING ? "a text" : "no number that there can be");
	return GS_OK;
}

/* A size that may be missing or None: GS_NONE then. */
static gs_status maybe_size_of(gs_torch *t, const gs_torch_fields *f, int word, int64_t *out)
{
	uint64_t size;
	*out = GS_NONE;
	if (value_of(f, word)->type == GS_V_NONE)
		return GS_OK;
	gs_status status = size_of(t, f, word, &size);
	if (!status)
		*out = (int64_t)size;
	return status;
}

/* An address; 0 where there is none. */
static gs_status address_of(gs_torch *t, const gs_torch_fields *f, int word, uint64_t *out)
{
	const gs_torch_value *v = value_of(f, word);
	*out = number(f, word, 0);
	if (v->type == GS_V_NONE || v->type == GS_V_BOOL || (v->type == GS_V_INT && !v->negative))
		return GS_OK;
	return gs_fail(&t->error, GS_FORMAT, "an %s that is no address", word_text(t, word));
}

static gs_id string(const gs_torch_fields *f, int word)
{
	const gs_torch_value *v = value_of(f, word);
	return v->type == GS_V_STRING ? v->id : 0;
}

static gs_record classify(uint64_t have)
{
	if (have & BIT(ACTION))
		return GS_RECORD_EVENT;
	if (have & BIT(FILENAME))
		return GS_RECORD_FRAME;
	if (have & (BIT(BLOCKS) | BIT(TOTAL_SIZE)))
		return GS_RECORD_SEGMENT;
	if (have & BIT(STATE))
		return GS_RECORD_BLOCK;
	if (have & BIT(STAGE) || (have & BIT(NAME) && have & BIT(TIME_US)))
		return GS_RECORD_NOTE;
	if (have & BIT(REAL_SIZE))
		return GS_RECORD_HISTORY;
	return have & BIT(LINE) ? GS_RECORD_FRAME : GS_RECORD_OTHER;
}

gs_record gs_torch_gather(gs_torch_fields *f, const gs_torch_value *pairs, size_t n)
{
	uint64_t have = 0;
	f->pairs = pairs;
	f->n = n;
	for (size_t i = 0; i + 1 < n; i += 2) {
		if (pairs[i].type != GS_V_STRING || pairs[i].id >= GS_WORD_COUNT)
			continue;
		have |= 1ull << pairs[i].id;
		f->at[pairs[i].id] = &pairs[i + 1];
	}
	f->have = have;
	return classify(have);
}

static void discard_values(gs_torch *t, const gs_torch_fields *f)
{
	for (size_t i = 1; i < f->n; i += 2)
		if (gs_torch_value_is_object(&f->pairs[i]))
			gs_torch_discard(t, &f->pairs[i]);
}

gs_status gs_torch_frame(gs_torch *t, const gs_torch_fields *f, gs_torch_value *out)
{
	*out = (gs_torch_value){.type = GS_V_FRAME};
	discard_values(t, f);
	if (!(t->want & GS_WANT_STACKS))
		return GS_OK;
	out->id = gs_snapshot_frame(
		t->s, string(f, GS_WORD_NAME), string(f, GS_WORD_FILENAME), known(f, GS_WORD_LINE));
	return out->id ? GS_OK : gs_torch_no_memory(t);
}

static gs_status stream_of(gs_torch *t, const gs_torch_fields *f, uint16_t *out)
{
	uint64_t handle = number(f, GS_WORD_STREAM, 0);
	if (t->stream >= t->s->nstreams || t->s->streams[t->stream] != handle) {
		t->stream = gs_snapshot_stream(t->s, handle);
		if (t->stream == UINT32_MAX)
			return gs_torch_no_memory(t);
		if (t->s->nstreams > MOST_FEW)
			return gs_fail(&t->error, GS_LIMIT, "more than %d streams", MOST_FEW);
	}
	*out = (uint16_t)t->stream;
	return GS_OK;
}

/* user_metadata, which a program sets around its allocations, is what we call a tag. */
static gs_id tag_of(const gs_torch *t, const gs_torch_fields *f)
{
	gs_id tag = string(f, GS_WORD_USER_METADATA);
	return tag && tag < 1u << 24 && t->s->strings[tag].length ? tag : 0;
}

static gs_action action_of(const gs_torch *t, const gs_torch_fields *f)
{
	gs_id id = string(f, GS_WORD_ACTION);
	return id ? gs_action_parse(t->s->strings[id].text, t->s->strings[id].length)
			  : GS_ACTION_UNKNOWN;
}

/* Words of an event that the model holds. */
static uint64_t placed_of_event(const gs_event *e, const gs_torch_fields *f)
{
	gs_action action = gs_event_action(e);
	uint64_t placed = BIT(SIZE) | BIT(STREAM) |
		(action == GS_ACTION_OOM ? BIT(DEVICE_FREE) : BIT(ADDR));
	placed |= action != GS_ACTION_UNKNOWN ? BIT(ACTION) : 0;
	placed |= e->time_us != GS_NONE ? BIT(TIME_US) : 0;
	placed |= e->pool ? BIT(POOL_ID) : 0;
	placed |= e->stack ? BIT(FRAMES) : 0;
	placed |= gs_event_tag(e) ? BIT(USER_METADATA) : 0;
	return placed & f->have;
}

static gs_status append_event(gs_torch *t, gs_object *list, const gs_torch_fields *f)
{
	t->event_keys |= f->have;
	if (!(t->want & GS_WANT_EVENTS)) {
		t->events_dropped = true;
		return GS_OK;
	}
	gs_event e = {.time_us = known(f, GS_WORD_TIME_US)};
	int64_t device_free = GS_NONE;
	gs_action action = action_of(t, f);
	gs_pool_id pool;
	if (address_of(t, f, GS_WORD_ADDR, &e.address) || size_of(t, f, GS_WORD_SIZE, &e.size) ||
		(action == GS_ACTION_OOM && maybe_size_of(t, f, GS_WORD_DEVICE_FREE, &device_free)))
		return t->error.status;
	if (action == GS_ACTION_OOM)
		e.address = (uint64_t)device_free;
	if (stream_of(t, f, &e.stream))
		return t->error.status;
	if (f->have & BIT(POOL_ID) && gs_torch_pool_of(t, f->at[GS_WORD_POOL_ID], &pool)) {
		uint32_t index = gs_snapshot_pool(t->s, pool);
		if (index > MOST_FEW)
			return gs_fail(&t->error, GS_LIMIT, "more than %d pools", MOST_FEW);
		e.pool = (uint16_t)index;
	}
	e.stack = gs_torch_stack_of(t, value_of(f, GS_WORD_FRAMES));
	e.tag_action = tag_of(t, f) << 8 | (uint32_t)action;
	if (gs_torch_unknown_keys(t, f->pairs, f->n, placed_of_event(&e, f), &e.more))
		return t->error.status;
	gs_event *slot = gs_object_add(t, list, sizeof *slot);
	if (!slot)
		return t->error.status;
	*slot = e;
	return GS_OK;
}

static uint8_t state_of(const gs_torch_fields *f)
{
	switch (string(f, GS_WORD_STATE)) {
	case GS_WORD_ACTIVE_ALLOCATED: return GS_ACTIVE_ALLOCATED;
	case GS_WORD_ACTIVE_PENDING_FREE:
	case GS_WORD_ACTIVE_AWAITING_FREE: return GS_ACTIVE_PENDING_FREE;
	default: return GS_INACTIVE;
	}
}

#define BLOCK_PLACED \
	(BIT(ADDRESS) | BIT(SIZE) | BIT(REQUESTED_SIZE) | BIT(STATE) | BIT(FRAMES) | BIT(HISTORY))

/* Also an element of a 2.0 block's history: address, requested size and stack of an allocation, the
 * newest first. */
static gs_status append_block(gs_torch *t, gs_object *list, const gs_torch_fields *f, bool history)
{
	gs_block b = {.idx = GS_NONE, .requested = GS_NONE};
	if (size_of(t, f, GS_WORD_SIZE, &b.size) ||
		address_of(t, f, history ? GS_WORD_ADDR : GS_WORD_ADDRESS, &b.address))
		return t->error.status;
	b.state = history ? GS_ACTIVE_ALLOCATED : state_of(f);
	if (b.state != GS_INACTIVE &&
		maybe_size_of(t, f, history ? GS_WORD_REAL_SIZE : GS_WORD_REQUESTED_SIZE, &b.requested))
		return t->error.status;
	b.stack = gs_torch_stack_of(t, value_of(f, GS_WORD_FRAMES));
	b.tag = tag_of(t, f);
	int64_t stale = 0;
	if (b.state == GS_INACTIVE && maybe_size_of(t, f, GS_WORD_REQUESTED_SIZE, &stale))
		return t->error.status;
	b.stale = stale == GS_NONE ? 0 : (uint64_t)stale;
	if (!history &&
		gs_torch_unknown_keys(
			t, f->pairs, f->n, BLOCK_PLACED | (b.tag ? BIT(USER_METADATA) : 0), &b.more))
		return t->error.status;
	const gs_torch_value *past = value_of(f, GS_WORD_HISTORY);
	const gs_object *o = past->type == GS_V_LIST ? gs_torch_object(t, past) : NULL;
	if (o && o->holds == GS_HOLDS_HISTORY && o->n) {
		const gs_block *newest = o->items;
		b.stack = b.stack ? b.stack : newest->stack;
		if (b.state != GS_INACTIVE && b.requested == GS_NONE)
			b.requested = newest->requested;
	}
	if (history && list->n) /* only the newest counts */
		return GS_OK;
	gs_block *slot = gs_object_add(t, list, sizeof *slot);
	if (!slot)
		return t->error.status;
	*slot = b;
	return GS_OK;
}

/* The blocks' array changes hands. */
static void take_blocks(gs_torch *t, const gs_torch_value *v, gs_raw_segment *r)
{
	gs_object *o = v->type == GS_V_LIST ? gs_torch_object(t, v) : NULL;
	if (!o || o->holds != GS_HOLDS_BLOCKS)
		return;
	r->blocks = o->items;
	r->g.nblocks = o->n;
	o->items = NULL;
	o->n = o->bytes = 0;
}

static gs_status append_segment(gs_torch *t, gs_object *list, const gs_torch_fields *f)
{
	gs_raw_segment r = {.device = (int64_t)number(f, GS_WORD_DEVICE, 0)};
	r.g.has_address = value_of(f, GS_WORD_ADDRESS)->type == GS_V_INT;
	if (address_of(t, f, GS_WORD_ADDRESS, &r.g.address) ||
		size_of(t, f, GS_WORD_TOTAL_SIZE, &r.g.size))
		return t->error.status;
	r.g.stream = number(f, GS_WORD_STREAM, 0);
	r.g.expandable = number(f, GS_WORD_IS_EXPANDABLE, 0) != 0;
	gs_id type = string(f, GS_WORD_SEGMENT_TYPE);
	r.g.pool = type == GS_WORD_SMALL ? GS_SMALL
		: type == GS_WORD_LARGE      ? GS_LARGE
									 : GS_CLASS_UNKNOWN;
	gs_torch_pool_of(t, value_of(f, GS_WORD_SEGMENT_POOL_ID), &r.g.pool_id);
	r.g.stack = gs_torch_stack_of(t, value_of(f, GS_WORD_FRAMES));
	gs_raw_segment *slot = gs_object_add(t, list, sizeof *slot);
	if (!slot)
		return t->error.status;
	take_blocks(t, value_of(f, GS_WORD_BLOCKS), &r);
	*slot = r;
	for (size_t i = 0; !(f->have & BIT(TOTAL_SIZE)) && i < r.g.nblocks;
		 i++) /* then the blocks tell */
		if (__builtin_add_overflow(slot->g.size, r.blocks[i].size, &slot->g.size) ||
			slot->g.size > INT64_MAX)
			return gs_fail(
				&t->error, GS_FORMAT, "the blocks of a segment add up to more than there can be");
	return GS_OK;
}

static gs_status append_note(gs_torch *t, gs_object *list, const gs_torch_fields *f)
{
	gs_annotation a = {.name = string(f, GS_WORD_NAME),
		.stage = string(f, GS_WORD_STAGE),
		.time_us = known(f, GS_WORD_TIME_US)};
	uint64_t device = number(f, GS_WORD_DEVICE, 0);
	a.device = device <= INT32_MAX ? (int32_t)device : -1;
	gs_annotation *slot = gs_object_add(t, list, sizeof *slot);
	if (!slot)
		return t->error.status;
	*slot = a;
	return GS_OK;
}

gs_status gs_torch_append_record(
	gs_torch *t, gs_object *list, gs_record record, const gs_torch_fields *f)
{
	static const uint8_t holds[] = {
		[GS_RECORD_OTHER] = GS_HOLDS_OTHER,
		[GS_RECORD_EVENT] = GS_HOLDS_EVENTS,
		[GS_RECORD_FRAME] = GS_HOLDS_FRAMES,
		[GS_RECORD_SEGMENT] = GS_HOLDS_SEGMENTS,
		[GS_RECORD_BLOCK] = GS_HOLDS_BLOCKS,
		[GS_RECORD_HISTORY] = GS_HOLDS_HISTORY,
		[GS_RECORD_NOTE] = GS_HOLDS_NOTES,
	};
	gs_status status = GS_OK;
	if (list->holds == GS_HOLDS_NOTHING) {
		list->holds = holds[record];
		list->n = 0;
	}
	if (list->holds == holds[record]) {
		switch (record) {
		case GS_RECORD_EVENT: status = append_event(t, list, f); break;
		case GS_RECORD_BLOCK: status = append_block(t, list, f, false); break;
		case GS_RECORD_HISTORY: status = append_block(t, list, f, true); break;
		case GS_RECORD_SEGMENT: status = append_segment(t, list, f); break;
		case GS_RECORD_NOTE: status = append_note(t, list, f); break;
		case GS_RECORD_OTHER:
		case GS_RECORD_FRAME: break;
		}
	} else {
		t->left_out += gs_holds_rows(list);
	}
	discard_values(t, f);
	return status;
}
