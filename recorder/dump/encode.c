/* Rows of a dump. */
#include "recorder/dump/encode.h"

#include <string.h>

#include "recorder/dump/text.h"
#include "schema/version.h"

static void mark_all(gs_encoder *e, const gs_staging *s)
{
	gs_encoder_begin(e);
	for (size_t i = 0; i < s->nsegments; i++)
		gs_encoder_mark(e, s->segments[i].stack, 0);
	for (size_t i = 0; i < s->nblocks; i++)
		gs_encoder_mark(e, s->blocks[i].stack, s->blocks[i].tag);
	for (uint32_t i = 0; i < s->nevents; i++)
		gs_encoder_mark(e, s->events[i].stack, s->events[i].tag);
	for (uint32_t i = 0; i < s->nooms; i++)
		gs_encoder_mark(e, s->ooms[i].figures.ctx.stack, (uint16_t)s->ooms[i].figures.ctx.tag);
}

/* --- rows --- */

static int64_t known(uint64_t v) { return v > INT64_MAX ? GS_NONE : (int64_t)v; }

static const char *library_of(const gs_staging *s) { return s->library ? s->library : "gpusnap"; }

void gs_encode_process(gs_writer *w, const gs_encode_source *from, int64_t now)
{
	const gs_config *c = from->config;
	gs_row_process row = {.host = gs_span_of(c->host),
		.tool = gs_span_of("gpusnap " GS_RELEASE),
		.argv = {c->argv_length ? c->argv : NULL, c->argv_length},
		.rules = gs_span_of(from->staging->rules),
		.library = gs_span_of(library_of(from->staging)),
		.driver = gs_span_of(from->device->driver),
		.reason = gs_span_of(from->reason),
		.above = gs_span_of(from->staging->above),
		.pid = from->pid,
		.rank = c->rank,
		.time_us = now / 1000};
	gs_writer_process(w, &row);
}

static void put_device(gs_writer *w, const gs_encode_source *from)
{
	const gs_staging *s = from->staging;
	uint64_t dropped = s->count - s->nevents;
	gs_row_device row = {.device = from->device->number,
		.name = gs_span_of(from->device->name),
		.capacity = from->device->capacity,
		.device_free = s->device_free,
		.allowed = s->allowed,
		.reserved = GS_NONE,
		.allocated = GS_NONE,
		.others = s->outside.known ? s->outside.processes : GS_NONE,
		.idx = GS_NONE,
		.dropped = dropped,
		.complete = dropped ? 0 : 1,
		.layout_at_oom = s->at_oom,
		.inexact = !s->whole};
	if (!s->whole)
		row.note = gs_span_of("the recorder had no room for the whole layout");
	gs_writer_device(w, &row);
}

static void put_setting(gs_writer *w, const char *name, const char *value)
{
	gs_writer_setting(w, gs_span_of(name), gs_span_of(value));
}

/* The names of PyTorch's allocator_settings. */
void gs_encode_settings(gs_writer *w, const gs_encode_source *from)
{
	const gs_pool_settings *p = &from->staging->settings;
	char text[400] = "";
	gs_line line = GS_LINE(text);
	put_setting(w, "PYTORCH_CUDA_ALLOC_CONF", from->staging->conf);
	put_setting(w, "expandable_segments", p->expandable ? "True" : "False");
	if (p->max_split > INT64_MAX)
		gs_line_text(&line, "-1");
	else
		gs_line_number(&line, p->max_split, 1);
	put_setting(w, "max_split_size", text);
	line.n = 0;
	gs_line_number(&line, p->max_non_split_rounding, 1);
	put_setting(w, "max_non_split_rounding", text);
	line.n = 0;
	uint64_t millionths = (uint64_t)(p->gc_threshold * 1e6 + 0.5);
	gs_line_number(&line, millionths / 1000000, 1);
	gs_line_char(&line, '.');
	gs_line_number(&line, millionths % 1000000, 6);
	put_setting(w, "garbage_collection_threshold", text);
	line.n = 0;
	gs_line_char(&line, '{');
	for (unsigned i = 0; i < GS_ROUNDUP_INTERVALS; i++) {
		gs_line_text(&line, i ? ", '" : "'");
		gs_line_number(&line, 1u << i, 1);
		gs_line_text(&line, "': ");
		gs_line_number(&line, p->roundup[i], 1);
	}
	gs_line_char(&line, '}');
	put_setting(w, "roundup_power2_divisions", text);
	line.n = 0;
	gs_line_number(&line, from->recorder_bytes, 1);
	put_setting(w, "recorder_bytes", text);
}

/* Texts of statistics, in the order in which they are pushed: file ids from 1. */
enum {
	TEXT_ALL = 1,
	TEXT_SMALL,
	TEXT_LARGE,
	TEXT_ARRAYS,
	TEXT_SCALARS = TEXT_ARRAYS + GS_STAT_ARRAYS
};

static const char *const scalars[] = {"oversize_allocations", "oversize_segments",
	"num_alloc_retries", "num_ooms", "num_sync_all_streams", "num_device_alloc", "num_device_free",
	"num_oom_rejections", "max_split_size", "recorder_dropped"};

static void put_stat_names(gs_writer *w)
{
	gs_writer_string(w, gs_span_of("all"));
	gs_writer_string(w, gs_span_of("small_pool"));
	gs_writer_string(w, gs_span_of("large_pool"));
	for (int i = 0; i < GS_STAT_ARRAYS; i++)
		gs_writer_string(w, gs_span_of(gs_pool_array_name((gs_pool_array)i)));
	for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
		gs_writer_string(w, gs_span_of(scalars[i]));
}

enum {
	TEXT_STAGES = TEXT_SCALARS + sizeof scalars / sizeof *scalars,
	TEXT_MARKS = TEXT_STAGES + 2
};

/* The names of marks, the end of a span under that of its start; alike becomes the text's id. */
static void put_mark_names(gs_writer *w, const gs_encode_source *from)
{
	gs_id next = TEXT_MARKS;
	if (from->nmarks) {
		gs_writer_string(w, gs_span_of(gs_mark_stage_name(GS_MARK_START)));
		gs_writer_string(w, gs_span_of(gs_mark_stage_name(GS_MARK_END)));
	}
	for (uint32_t i = 0; i < from->nmarks; i++) {
		gs_mark *mark = &from->marks[i];
		if (mark->alike && mark->alike <= i) {
			mark->alike = from->marks[i - mark->alike].alike;
			continue;
		}
		gs_writer_string(w, gs_span_of(mark->name));
		mark->alike = next++;
	}
}

static void put_marks(gs_writer *w, const gs_encode_source *from)
{
	for (uint32_t i = 0; i < from->nmarks; i++) {
		const gs_mark *mark = &from->marks[i];
		gs_id stage = mark->stage == GS_MARK_MOMENT
			? 0
			: TEXT_STAGES + (mark->stage == GS_MARK_END ? 1 : 0);
		gs_row_annotation row = {
			from->device->number, mark->alike, stage, gs_clock_ns(from->scale, mark->ticks) / 1000};
		gs_writer_annotation(w, &row);
	}
}

void gs_encode_layout(gs_encoder *e, gs_writer *w, const gs_encode_source *from)
{
	const gs_staging *s = from->staging;
	for (size_t i = 0; i < s->nsegments; i++) {
		const gs_stage_segment *g = &s->segments[i];
		gs_row_segment row = {.device = from->device->number,
			.address = g->address,
			.size = g->size,
			.stream = g->stream,
			.pool_id = g->pool_id,
			.stack = e->stacks[g->stack],
			.pool = g->pool,
			.expandable = g->expandable};
		gs_writer_segment(w, &row);
	}
	for (size_t i = 0; i < s->nblocks; i++) {
		const gs_stage_block *b = &s->blocks[i];
		gs_row_block row = {.device = from->device->number,
			.segment = from->first_segment + b->segment + 1,
			.address = b->address,
			.size = b->size,
			.requested = b->state == GS_INACTIVE ? GS_NONE : (int64_t)b->requested,
			.idx = GS_NONE,
			.stack = e->stacks[b->stack],
			.tag = e->tags[b->tag],
			.state = b->state};
		gs_writer_block(w, &row);
	}
}

static void put_stat(gs_writer *w, int32_t device, gs_id name, gs_id pool, const gs_pool_stat *v)
{
	gs_row_stat row = {device, name, pool, v->current, v->peak, v->allocated, v->freed};
	gs_writer_stat(w, &row);
}

static void put_stats(gs_encoder *e, gs_writer *w, const gs_encode_source *from)
{
	const gs_pool_stats *s = &from->staging->stats;
	int32_t device = from->device->number;
	const int64_t numbers[] = {s->num_alloc_retries, s->num_ooms, s->num_sync_all_streams,
		s->num_device_alloc, s->num_device_free, s->num_oom_rejections, s->max_split_size,
		(int64_t)e->tables->dropped};
	for (int i = 0; i < GS_STAT_ARRAYS; i++)
		for (int k = 0; k < GS_STAT_CLASSES; k++)
			put_stat(w, device, (gs_id)(TEXT_ARRAYS + i), (gs_id)(TEXT_ALL + k), &s->array[i][k]);
	put_stat(w, device, TEXT_SCALARS, 0, &s->oversize_allocations);
	put_stat(w, device, TEXT_SCALARS + 1, 0, &s->oversize_segments);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		put_stat(w, device, (gs_id)(TEXT_SCALARS + 2 + i), 0,
			&(gs_pool_stat){numbers[i], GS_NONE, GS_NONE, GS_NONE});
}

void gs_encode_oom(const gs_encoder *e, gs_writer *w, const gs_encode_source *from,
	const gs_stage_oom *oom, uint64_t first)
{
	const gs_staging *s = from->staging;
	const gs_pool_oom *o = &oom->figures;
	char message[1024];
	gs_pool_oom_message(o, message, sizeof message);
	gs_row_oom row = {GS_ROW_OOM_UNTOLD, .device = o->device, .idx = (int64_t)(oom->number - first),
		.time_us = gs_clock_ns(from->scale, oom->ticks) / 1000, .requested = known(o->rounded),
		.needed = known(o->needed), .stream = (int64_t)o->stream, .has_pool_id = true,
		.pool_id = o->pool_id, .pool = (uint8_t)o->pool, .device_free = known(o->device_free),
		.capacity = known(o->capacity), .allocated = known(o->allocated),
		.reserved = known(o->reserved), .allowed = known(o->allowed),
		.library = gs_span_of(library_of(s)), .message = gs_span_of(s->library ? NULL : message),
		.stack = e->stacks[o->ctx.stack]};
	gs_writer_oom(w, &row);
}

static void put_ooms(const gs_encoder *e, gs_writer *w, const gs_encode_source *from)
{
	const gs_staging *s = from->staging;
	uint64_t first = s->count - s->nevents;
	for (uint32_t i = 0; i < s->nooms; i++)
		if (s->ooms[i].number >= first)
			gs_encode_oom(e, w, from, &s->ooms[i], first);
}

/* What a reader of the answers must know. */
static void put_warning(gs_writer *w, const gs_staging *s)
{
	char text[200];
	gs_line line = GS_LINE(text);
	if (!s->above)
		return;
	gs_line_text(&line, "recorded below the caching allocator of ");
	gs_line_text(&line, s->above);
	gs_line_text(&line,
		", at the driver's level: its segments are the blocks here; what is free inside them is not known");
	gs_writer_warning(w, gs_span_of(text));
}

bool gs_encode_full(gs_writer *w, const gs_tables *t)
{
	if (!atomic_load_explicit(&t->dropped, memory_order_relaxed))
		return false;
	gs_writer_warning(w,
		gs_span_of("the recorder's tables of names are full: later allocations from new places, or "
				   "with new tags, are recorded without them"));
	return true;
}

static void put_events(gs_encoder *e, gs_writer *w, const gs_encode_source *from)
{
	const gs_staging *s = from->staging;
	for (uint32_t i = 0; i < s->nevents; i++) {
		const gs_ring_event *v = &s->events[i];
		int64_t ns = gs_clock_ns(from->scale, v->ticks);
		bool failed = v->action == GS_ACTION_OOM || v->action == GS_ACTION_REFUSED,
			 has_pool = v->pool < GS_RING_POOLS;
		gs_row_event row = {.device = from->device->number,
			.address = failed ? 0 : v->address,
			.size = v->size,
			.time_us = ns / 1000,
			.nanos = (uint64_t)(ns % 1000),
			.stream = v->stream,
			.has_pool_id = has_pool,
			.stack = e->stacks[v->stack],
			.tag = e->tags[v->tag],
			.action = v->action,
			.device_free = failed ? known(v->device_free) : GS_NONE};
		if (has_pool)
			row.pool_id = s->pools[v->pool];
		gs_writer_event(w, &row);
	}
}

gs_status gs_encode(gs_encoder *e, const gs_encode_source *from, gs_sink sink, void *arg)
{
	gs_writer *w;
	gs_status status = gs_writer_init(
		e->workspace, e->workspace_bytes, from->config->level, sink, arg, &w);
	if (status)
		return status;
	mark_all(e, from->staging);
	gs_encode_process(w, from, from->scale->real);
	put_device(w, from);
	if (!from->staging->library)
		gs_encode_settings(w, from);
	for (uint32_t i = 0; i < from->staging->outside.n; i++)
		put_setting(w, "outside", from->staging->outside.rows[i]);
	put_stat_names(w);
	put_mark_names(w, from);
	gs_encoder_put(e, w);
	gs_encode_layout(e, w, from);
	put_stats(e, w, from);
	put_ooms(e, w, from);
	put_marks(w, from);
	put_warning(w, from->staging);
	gs_encode_full(w, e->tables);
	put_events(e, w, from);
	return gs_writer_finish(w);
}
