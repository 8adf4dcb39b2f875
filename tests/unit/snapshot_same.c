/* Two snapshots that must hold the same, and one that holds everything. */
#include "tests/unit/snapshot_same.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char *where; /* for messages */

static const char *text(const char *s) { return s ? s : "(none)"; }

#define SAME_TEXT(a, b, what) \
	ck_assert_msg(            \
		!strcmp(text(a), text(b)), "%s: %s is \"%s\", was \"%s\"", where, what, text(b), text(a))
#define SAME(a, b, what) \
	ck_assert_msg(       \
		(a) == (b), "%s: %s is %lld, was %lld", where, what, (long long)(b), (long long)(a))

static void same_string(
	const gs_snapshot *a, gs_id x, const gs_snapshot *b, gs_id y, const char *what)
{
	SAME_TEXT(gs_string_text(a, x), gs_string_text(b, y), what);
}

static void same_stack(const gs_snapshot *a, gs_id x, const gs_snapshot *b, gs_id y)
{
	uint32_t n = x ? a->stacks[x].n : 0;
	SAME(n, y ? b->stacks[y].n : 0, "depth of a stack");
	for (uint32_t i = 0; i < n; i++) {
		const gs_frame *f = &a->frames[a->stack_frames[a->stacks[x].first + i]],
					   *g = &b->frames[b->stack_frames[b->stacks[y].first + i]];
		same_string(a, f->name, b, g->name, "a frame's name");
		same_string(a, f->file, b, g->file, "a frame's file");
		SAME(f->line, g->line, "a frame's line");
	}
}

static void same_layout(
	const gs_snapshot *a, const gs_layout *l, const gs_snapshot *b, const gs_layout *m)
{
	SAME(l->nsegments, m->nsegments, "segments");
	SAME(l->nblocks, m->nblocks, "blocks");
	SAME(l->idx, m->idx, "layout's event");
	SAME(l->exact, m->exact, "exact");
	SAME_TEXT(l->note, m->note, "note");
	for (size_t i = 0; i < l->nsegments; i++) {
		const gs_segment *x = &l->segments[i], *y = &m->segments[i];
		SAME(x->address, y->address, "segment's address");
		SAME(x->size, y->size, "segment's size");
		SAME(x->stream, y->stream, "segment's stream");
		SAME(x->pool_id.a, y->pool_id.a, "segment's pool id");
		SAME(x->pool_id.b, y->pool_id.b, "segment's pool id");
		SAME(x->pool, y->pool, "segment's pool");
		SAME(x->expandable, y->expandable, "expandable");
		SAME(x->has_address, y->has_address, "has_address");
		SAME(x->nblocks, y->nblocks, "segment's blocks");
		same_stack(a, x->stack, b, y->stack);
	}
	for (size_t i = 0; i < l->nblocks; i++) {
		const gs_block *x = &l->blocks[i], *y = &m->blocks[i];
		SAME(x->address, y->address, "block's address");
		SAME(x->size, y->size, "block's size");
		SAME(x->requested, y->requested, "requested");
		SAME(x->idx, y->idx, "block's event");
		SAME(x->segment, y->segment, "block's segment");
		SAME(x->state, y->state, "state");
		same_string(a, x->tag, b, y->tag, "block's tag");
		same_string(a, x->more, b, y->more, "what more is said of a block");
		SAME(x->stale, y->stale, "stale size");
		same_stack(a, x->stack, b, y->stack);
	}
}

static void same_trace(
	const gs_snapshot *a, const gs_trace *t, const gs_snapshot *b, const gs_trace *u)
{
	SAME(t->n, u->n, "events");
	SAME(t->dropped, u->dropped, "dropped");
	SAME(t->complete, u->complete, "complete");
	for (size_t i = 0; i < t->n; i++) {
		const gs_event *x = &t->events[i], *y = &u->events[i];
		SAME(x->address, y->address, "event's address");
		SAME(x->size, y->size, "event's size");
		SAME(x->time_us, y->time_us, "event's time");
		SAME(a->streams[x->stream], b->streams[y->stream], "event's stream");
		SAME(x->pool != 0, y->pool != 0, "event's pool known");
		SAME(gs_event_action(x), gs_event_action(y), "action");
		if (x->pool &&
			(a->pools[x->pool - 1].a != b->pools[y->pool - 1].a ||
				a->pools[x->pool - 1].b != b->pools[y->pool - 1].b))
			ck_abort_msg("%s: event %zu has another pool", where, i);
		same_string(a, gs_event_tag(x), b, gs_event_tag(y), "event's tag");
		same_string(a, x->more, b, y->more, "what more is said of an event");
		if (x->stack != y->stack)
			same_stack(a, x->stack, b, y->stack);
	}
}

static void same_ooms(const gs_snapshot *a, const gs_snapshot *b)
{
	SAME(a->nooms, b->nooms, "ooms");
	for (size_t i = 0; i < a->nooms; i++) {
		const gs_oom *x = &a->ooms[i], *y = &b->ooms[i];
		SAME(x->device, y->device, "oom's device");
		SAME(x->idx, y->idx, "oom's event");
		SAME(x->time_us, y->time_us, "oom's time");
		SAME(x->requested, y->requested, "oom's request");
		SAME(x->needed, y->needed, "needed");
		SAME(x->stream, y->stream, "oom's stream");
		SAME(x->pool, y->pool, "oom's pool");
		SAME(x->has_pool_id, y->has_pool_id, "oom's pool id known");
		SAME(x->pool_id.a, y->pool_id.a, "oom's pool id");
		SAME(x->pool_id.b, y->pool_id.b, "oom's pool id");
		SAME(x->device_free, y->device_free, "oom's device_free");
		SAME(x->capacity, y->capacity, "oom's capacity");
		SAME(x->allocated, y->allocated, "oom's allocated");
		SAME(x->reserved, y->reserved, "oom's reserved");
		SAME(x->allowed, y->allowed, "oom's allowed");
		SAME_TEXT(x->library, y->library, "oom's library");
		SAME_TEXT(x->message, y->message, "message");
		same_stack(a, x->stack, b, y->stack);
	}
}

static void same_small_tables(const gs_snapshot *a, const gs_snapshot *b)
{
	SAME(a->nsettings, b->nsettings, "settings");
	for (size_t i = 0; i < a->nsettings; i++) {
		same_string(a, a->settings[i].name, b, b->settings[i].name, "setting");
		same_string(a, a->settings[i].value, b, b->settings[i].value, "value");
	}
	SAME(a->nstats, b->nstats, "stats");
	for (size_t i = 0; i < a->nstats; i++) {
		const gs_stat *x = &a->stats[i], *y = &b->stats[i];
		SAME(x->device, y->device, "stat's device");
		same_string(a, x->name, b, y->name, "stat");
		same_string(a, x->pool, b, y->pool, "stat's pool");
		SAME(x->current, y->current, "current");
		SAME(x->peak, y->peak, "peak");
		SAME(x->allocated, y->allocated, "allocated");
		SAME(x->freed, y->freed, "freed");
	}
	SAME(a->nannotations, b->nannotations, "annotations");
	for (size_t i = 0; i < a->nannotations; i++) {
		const gs_annotation *x = &a->annotations[i], *y = &b->annotations[i];
		same_string(a, x->name, b, y->name, "annotation");
		same_string(a, x->stage, b, y->stage, "stage");
		SAME(x->device, y->device, "annotation's device");
		SAME(x->time_us, y->time_us, "annotation's time");
	}
}

static void same_snapshot(const gs_snapshot *a, const gs_snapshot *b)
{
	SAME_TEXT(a->host, b->host, "host");
	SAME_TEXT(a->tool, b->tool, "tool");
	SAME_TEXT(a->argv, b->argv, "argv");
	SAME_TEXT(a->rules, b->rules, "rules");
	SAME_TEXT(a->library, b->library, "library");
	SAME_TEXT(a->driver, b->driver, "driver");
	SAME_TEXT(a->release_min, b->release_min, "release_min");
	SAME_TEXT(a->release_max, b->release_max, "release_max");
	SAME(a->kind, b->kind, "kind");
	SAME(a->pid, b->pid, "pid");
	SAME(a->rank, b->rank, "rank");
	SAME(a->time_us, b->time_us, "time");
	SAME(a->complete, b->complete, "complete");
	SAME(a->ndevices, b->ndevices, "devices");
	for (size_t i = 0; i < a->ndevices; i++) {
		const gs_device *x = &a->devices[i], *y = &b->devices[i];
		SAME(x->device, y->device, "device");
		same_string(a, x->name, b, y->name, "device's name");
		SAME(x->capacity, y->capacity, "capacity");
		SAME(x->device_free, y->device_free, "device_free");
		SAME(x->allowed, y->allowed, "allowed");
		SAME(x->others, y->others, "others");
		SAME(x->reserved, y->reserved, "reserved");
		SAME(x->allocated, y->allocated, "allocated");
		SAME(x->layout_at_oom, y->layout_at_oom, "layout_at_oom");
		SAME(x->has_layout, y->has_layout, "has_layout");
		same_layout(a, &x->captured, b, &y->captured);
		same_trace(a, &x->trace, b, &y->trace);
	}
	same_ooms(a, b);
	same_small_tables(a, b);
}

void gs_same_snapshot(const char *name, const gs_snapshot *a, const gs_snapshot *b)
{
	where = name;
	same_snapshot(a, b);
}

/* --- a snapshot that has everything --- */

static gs_id string(gs_snapshot *s, const char *t) { return gs_snapshot_string(s, t, strlen(t)); }

static void fill_facts(gs_snapshot *s)
{
	s->host = "node1", s->tool = "PyTorch 2.6.0", s->argv = "train.py --x", s->rules = "2.6",
	s->library = "pytorch", s->driver = "12.4";
	s->release_min = "2.5", s->release_max = "2.8", s->kind = GS_KIND_PYTORCH;
	s->pid = 12, s->rank = 3, s->time_us = 1700000000000000;
	gs_snapshot_add_setting(s, "expandable_segments", "False");
	gs_snapshot_add_setting(s, "", "odd");
	gs_snapshot_add_stat(
		s, &(gs_stat){1, string(s, "num_ooms"), string(s, "all"), 1, 2, 3, GS_NONE});
	gs_snapshot_add_annotation(
		s, &(gs_annotation){string(s, "step"), string(s, "START"), 1, 1699999999999999});
	gs_oom *o = gs_snapshot_add_oom(s);
	o->device = -1, o->message = "CUDA out of memory.", o->library = "cupy", o->requested = 5;
}

static void fill_device(gs_snapshot *s, int32_t number)
{
	gs_id frames[2] = {gs_snapshot_frame(s, string(s, "forward"), string(s, "m.py"), 10 + number),
		gs_snapshot_frame(s, string(s, "main"), 0, GS_NONE)};
	gs_id stack = gs_snapshot_stack(s, frames, 2), tag = string(s, "optimizer"),
		  more = string(s, "{\"compile_context\":\"0/1\"}");
	gs_device *d = gs_snapshot_device(s, number);
	d->name = string(s, "H200"), d->capacity = 1 << 30, d->device_free = 7, d->others = 0,
	d->has_layout = true, d->layout_at_oom = number == 1;
	d->trace.dropped = 9, d->trace.complete = 0, d->captured.idx = 2, d->captured.exact = false;
	strcpy(d->captured.note, "one block is bounded");
	gs_layout *l = &d->captured;
	l->segments = calloc(2, sizeof *l->segments), l->nsegments = 2;
	l->blocks = calloc(4, sizeof *l->blocks), l->nblocks = 3;
	for (uint32_t i = 0; i < 2; i++)
		l->segments[i] = (gs_segment){0xfffff00000000000 + i * 4096, 4096, i ? 65536 : 0,
			{i, 3 * i}, i ? stack : 0, GS_SMALL, i, true, 2 * i, 2 - i};
	for (uint32_t i = 0; i < 3; i++)
		l->blocks[i] = (gs_block){.address = 0xfffff00000000000 + i * 2048,
			.size = i == 2 ? 4096 : 2048,
			.requested = i == 1 ? GS_NONE : 2000,
			.idx = i ? GS_NONE : 1,
			.stack = i ? stack : 0,
			.tag = i == 2 ? tag : 0,
			.segment = i / 2,
			.state = i == 1 ? GS_INACTIVE : (uint8_t)(i / 2),
			.more = i == 2 ? more : 0,
			.stale = i == 1 ? 777 : 0};
	for (uint32_t i = 0; i < 3; i++)
		*gs_trace_append(&d->trace) = (gs_event){
			.address = i == 2 ? 7 : 0xfffff00000000000 + i * 2048,
			.size = 2000,
			.time_us = i ? 1600000000000000 + i : GS_NONE,
			.stream = (uint16_t)gs_snapshot_stream(s, i * 65536),
			.pool = i ? (uint16_t)gs_snapshot_pool(s, (gs_pool_id){i, 0}) : 0,
			.more = i ? more : 0,
			.stack = stack,
			.tag_action = (i ? tag : 0) << 8 | (i == 2 ? GS_ACTION_OOM : GS_ACTION_ALLOC)};
}

void gs_full_snapshot(gs_snapshot *s)
{
	fill_facts(s);
	fill_device(s, 1);
	fill_device(s, 4);
	gs_snapshot_device(s, 7)->reserved = 99; /* a device that only a text told of */
}
