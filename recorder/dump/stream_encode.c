/* What of lanes and marks goes into the stream's file. */
#include "recorder/dump/stream_internal.h"

#include <string.h>

/* Whose allocator it is, its first lane tells. */
static void put_head(gs_stream *s, const gs_lane *lane)
{
	if (s->headed)
		return;
	s->headed = true;
	gs_staging none = {.settings = {0}};
	gs_dump_device nothing = {0};
	gs_clock_scale scale = gs_clock_scale_steady(s->clock);
	gs_encode_source source = {
		.staging = &none, .device = &nothing, .config = s->config, .scale = &scale, .pid = s->pid};
	none.library = lane->library;
	none.rules = lane->rules;
	gs_encode_process(s->w, &source, scale.real);
}

/* Once in a file, and with each layout, since a part of the file is read from there. */
static void tell_full(gs_stream *s, bool with_layout)
{
	if (with_layout || !s->told_full)
		s->told_full = gs_encode_full(s->w, s->tables);
}

static void put_new(gs_stream *s)
{
	if (!s->encoder.pending)
		return;
	gs_tables_refresh_modules(s->tables);
	gs_encoder_put(&s->encoder, s->w);
}

static void put_event(gs_stream *s, gs_lane *l, const gs_ring_event *v, uint64_t block, int64_t ns)
{
	bool failed = v->action == GS_ACTION_OOM || v->action == GS_ACTION_REFUSED,
		 has_pool = v->pool < GS_RING_POOLS;
	gs_row_event row = {.device = l->device.number,
		.address = failed ? 0 : v->address,
		.size = v->size,
		.time_us = ns / 1000,
		.stream = v->stream,
		.has_pool_id = has_pool,
		.stack = s->encoder.stacks[v->stack],
		.tag = s->encoder.tags[v->tag],
		.action = v->action,
		.device_free = failed && v->device_free <= INT64_MAX ? (int64_t)v->device_free : GS_NONE};
	if (has_pool)
		row.pool_id = l->ring->pools[v->pool];
	gs_writer_event(s->w, &row);
	gs_stream_count(s, l, v, block, row.time_us);
}

/* Failures whose events are in the file. */
static void put_ooms(gs_stream *s, gs_lane *l, uint64_t tail)
{
	uint64_t n = atomic_load_explicit(&l->nooms, memory_order_acquire);
	gs_staging about = {.library = l->library};
	gs_clock_scale scale = gs_clock_scale_steady(s->clock);
	gs_encode_source source = {.staging = &about,
		.device = &l->device,
		.config = s->config,
		.scale = &scale,
		.pid = s->pid};
	uint64_t at = atomic_load_explicit(&l->ooms_written, memory_order_relaxed);
	for (; at < n && l->ooms[at % GS_LANE_OOMS].number < tail; at++) {
		const gs_stage_oom *o = &l->ooms[at % GS_LANE_OOMS];
		if (o->number < l->base)
			continue;
		gs_encoder_mark(&s->encoder, o->figures.ctx.stack, (uint16_t)o->figures.ctx.tag);
		put_new(s);
		gs_encode_oom(&s->encoder, s->w, &source, o, l->base);
	}
	atomic_store_explicit(&l->ooms_written, at, memory_order_release);
}

void gs_stream_put_events(gs_stream *s, gs_lane *l, uint64_t tail, uint64_t n)
{
	gs_clock_scale scale = gs_clock_scale_steady(s->clock);
	for (uint64_t i = 0; i < n; i++) {
		const gs_ring_event *v = &l->events[(tail + i) % GS_LANE_EVENTS];
		gs_encoder_mark(&s->encoder, v->stack, v->tag);
	}
	put_new(s);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t at = (tail + i) % GS_LANE_EVENTS;
		const gs_ring_event *v = &l->events[at];
		put_event(s, l, v, l->blocks[at], gs_clock_ns(&scale, v->ticks));
	}
	put_ooms(s, l, tail + n);
	tell_full(s, false);
}

static gs_span text_of(const gs_stream *s, gs_id id)
{
	const gs_table_text *t = &s->tables->texts[id];
	return (gs_span){s->tables->text_bytes + t->at, t->n};
}

static bool is_outside(gs_span name)
{
	return name.n == sizeof "outside" - 1 && !memcmp(name.at, "outside", name.n);
}

/* The first layout brings them; who else holds memory of the device each tells anew. */
static void put_settings(gs_stream *s, const gs_lane *l)
{
	gs_encode_source source = {.staging = &l->staging, .recorder_bytes = s->pages->bytes};
	if (!s->settled && !l->library)
		gs_encode_settings(s->w, &source);
	for (uint32_t i = 0; i < l->nsettings; i++) {
		gs_span name = text_of(s, l->settings[i].name);
		if (!s->settled || is_outside(name))
			gs_writer_setting(s->w, name, text_of(s, l->settings[i].value));
	}
	for (uint32_t i = 0; i < l->staging.outside.n; i++)
		gs_writer_setting(s->w, gs_span_of("outside"), gs_span_of(l->staging.outside.rows[i]));
	s->settled = true;
}

void gs_stream_put_layout(gs_stream *s, gs_lane *l, uint64_t tail)
{
	gs_staging *g = &l->staging;
	gs_clock_scale scale = gs_clock_scale_steady(s->clock);
	if (s->failed)
		return;
	for (size_t i = 0; i < g->nsegments; i++)
		gs_encoder_mark(&s->encoder, g->segments[i].stack, 0);
	for (size_t i = 0; i < g->nblocks; i++)
		gs_encoder_mark(&s->encoder, g->blocks[i].stack, g->blocks[i].tag);
	put_new(s);
	put_settings(s, l);
	gs_stream_put_figures(s, l);
	gs_stream_sum_layout(l);
	gs_row_device row = {.device = l->device.number,
		.name = gs_span_of(l->device.name),
		.capacity = l->device.capacity,
		.device_free = g->device_free,
		.allowed = g->allowed,
		.reserved = GS_NONE,
		.allocated = GS_NONE,
		.others = g->outside.known ? g->outside.processes : GS_NONE,
		.idx = (int64_t)(tail - l->base) - 1,
		.dropped = l->base,
		.complete = l->base ? 0 : l->complete,
		.inexact = !g->whole};
	gs_encode_source source = {.staging = g,
		.device = &l->device,
		.config = s->config,
		.scale = &scale,
		.pid = s->pid,
		.first_segment = gs_writer_rows(s->w, GS_SECTION_SEGMENT)};
	gs_writer_device(s->w, &row);
	gs_encode_layout(&s->encoder, s->w, &source);
	gs_writer_end_layout(s->w);
	tell_full(s, true);
	gs_writer_index(s->w);
	l->last_layout = tail;
	l->last_blocks = g->nblocks;
}

void gs_stream_put_device(gs_stream *s, gs_lane *l)
{
	put_head(s, l);
	if (!gs_writer_knows_device(s->w, l->device.number)) {
		gs_row_device row = {.device = l->device.number,
			.name = gs_span_of(l->device.name),
			.capacity = l->device.capacity,
			.device_free = GS_NONE,
			.allowed = GS_NONE,
			.reserved = GS_NONE,
			.allocated = GS_NONE,
			.others = GS_NONE,
			.idx = -1,
			.dropped = l->base,
			.complete = l->base ? 0 : l->complete,
			.no_layout = l->base || l->complete < 1};
		gs_writer_device(s->w, &row);
		if (!row.no_layout) /* recorded from the start: it was empty */
			gs_writer_end_layout(s->w);
	}
}

/* The id of a name of marks in this file. */
static gs_id name_id(gs_stream *s, const char *text)
{
	for (uint32_t i = 0; i < GS_STREAM_MARK_NAMES; i++)
		if (s->names[i].id && !strcmp(s->names[i].text, text))
			return s->names[i].id;
	uint32_t at = s->next_name++ % GS_STREAM_MARK_NAMES;
	memccpy(s->names[at].text, text, 0, GS_MARK_NAME - 1);
	return s->names[at].id = gs_writer_string(s->w, gs_span_of(s->names[at].text));
}

static void put_mark(gs_stream *s, const gs_mark *mark, const gs_clock_scale *scale)
{
	int64_t time_us = gs_clock_ns(scale, mark->ticks) / 1000;
	s->cuts[s->ncuts++ % GS_STREAM_CUTS] = time_us + (mark->stage == GS_MARK_END);
	gs_row_annotation row = {.name = name_id(s, mark->name),
		.stage = mark->stage == GS_MARK_MOMENT ? 0 : name_id(s, gs_mark_stage_name(mark->stage)),
		.time_us = time_us};
	for (uint32_t i = 0; i < s->nlanes; i++) {
		row.device = s->lanes[i]->device.number;
		if (gs_writer_knows_device(s->w, row.device))
			gs_writer_annotation(s->w, &row);
	}
}

uint64_t gs_stream_put_marks(gs_stream *s)
{
	if (!s->marks)
		return 0;
	if (s->failed || !s->consumer.runs)
		gs_marks_seen(s->marks, GS_MARKS_NOBODY);
	else if (!s->w || !s->headed)
		gs_marks_pass(s->marks);
	if (!s->w || s->failed || !s->headed)
		return 0;
	gs_clock_scale scale = gs_clock_scale_steady(s->clock);
	uint64_t written = 0;
	for (uint32_t n = GS_STREAM_MARKS; n == GS_STREAM_MARKS; written += n) {
		n = gs_marks_next(s->marks, &s->marks_seen, s->batch, GS_STREAM_MARKS);
		for (uint32_t i = 0; i < n; i++)
			put_mark(s, &s->batch[i], &scale);
		if (gs_writer_index_is_due(s->w))
			gs_writer_index(s->w);
	}
	gs_marks_seen(s->marks, s->failed || !s->consumer.runs ? GS_MARKS_NOBODY : s->marks_seen);
	return written;
}
