/* The .gsnap writer as its users see it: the header, rows of each kind, a stream's index, the end.
 */
#define ZSTD_STATIC_LINKING_ONLY
#include "schema/gsnap_write_internal.h"

#include "schema/bytes.h"
#include "schema/crc32.h"

static size_t round_up(size_t n) { return (n + 63) & ~(size_t)63; }

static int clamp(int level)
{
	return level < 1 ? 1 : level > GS_WRITER_LEVEL_MAX ? GS_WRITER_LEVEL_MAX : level;
}

size_t gs_writer_workspace(int level)
{
	return 64 + round_up(sizeof(gs_writer)) + round_up(STAGED > PACKED ? STAGED : PACKED) +
		round_up(ENCODED) + round_up(ZSTD_estimateCCtxSize(clamp(level)));
}

static void send_header(gs_writer *w)
{
	unsigned char h[GS_GSNAP_HEADER_SIZE];
	gs_put_le(h, GS_GSNAP_SKIPPABLE, 4);
	gs_put_le(h + 4, GS_GSNAP_HEADER_SIZE - 8, 4);
	memcpy(h + 8, GS_GSNAP_MAGIC, 8);
	gs_put_le(h + 16, w->stream ? GS_GSNAP_STREAM : GS_GSNAP_VERSION, 2);
	gs_put_le(h + 18, w->stream ? GS_GSNAP_STREAM : GS_GSNAP_OLDEST_READER, 2);
	gs_put_le(h + 20, 0, 4);
	gs_put_le(h + 24, 0, 4);
	gs_put_le(h + 28, gs_crc32(0, h, 28), 4);
	gs_writer_send(w, h, sizeof h);
}

static gs_status init(
	void *workspace, size_t size, int level, bool stream, gs_sink sink, void *arg, gs_writer **out)
{
	if (size < gs_writer_workspace(level))
		return GS_INVALID;
	size_t pad = (64 - (uintptr_t)workspace % 64) % 64;
	unsigned char *at = (unsigned char *)workspace + pad, *end = (unsigned char *)workspace + size;
	gs_writer *w = (void *)at;
	memset(w, 0, sizeof *w);
	at += round_up(sizeof *w);
	w->cells = (void *)at;
	w->heap = at + CELLS * 8;
	w->packed = at;
	at += round_up(STAGED > PACKED ? STAGED : PACKED);
	w->encoded = at;
	at += round_up(ENCODED);
	w->zstd = ZSTD_initStaticCCtx(at, (size_t)(end - at));
	if (!w->zstd)
		return GS_INVALID;
	ZSTD_CCtx_reset(w->zstd,
		ZSTD_reset_session_and_parameters); /* a static context is born without its defaults */
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, clamp(level));
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
	w->sink = sink;
	w->arg = arg;
	w->stream = stream;
	send_header(w);
	*out = w;
	return w->status;
}

gs_status gs_writer_init(
	void *workspace, size_t size, int level, gs_sink sink, void *arg, gs_writer **w)
{
	return init(workspace, size, level, false, sink, arg, w);
}

gs_status gs_writer_init_stream(
	void *workspace, size_t size, int level, gs_sink sink, void *arg, gs_writer **w)
{
	return init(workspace, size, level, true, sink, arg, w);
}

gs_status gs_writer_process(gs_writer *w, const gs_row_process *row)
{
	return gs_writer_push_row(w, GS_SECTION_PROCESS, row);
}

/* A device of a stream may come again, and in any order: each time with another layout. */
static gs_status push_stream_device(gs_writer *w, const gs_row_device *row)
{
	bool known = gs_writer_device_place(w, row->device) < w->ndevices;
	if (!w->status) /* a row a section: each is found by its place */
		gs_writer_turn_to(w, GS_SECTION_DEVICE);
	if (!w->status && !known && w->ndevices == GS_GSNAP_DEVICES_MAX)
		w->status = GS_LIMIT;
	if (!gs_writer_push_row(w, GS_SECTION_DEVICE, row) && !known)
		w->devices[w->ndevices++] = row->device;
	w->has_layout = !row->no_layout;
	w->layout_of = row->device;
	w->layout_idx = row->idx;
	return w->status;
}

gs_status gs_writer_device(gs_writer *w, const gs_row_device *row)
{
	if (w->stream)
		return push_stream_device(w, row);
	if (!w->status && w->ndevices == GS_GSNAP_DEVICES_MAX)
		w->status = GS_LIMIT;
	else if (!w->status && w->ndevices && w->devices[w->ndevices - 1] >= row->device)
		w->status = GS_STATE;
	if (!gs_writer_push_row(w, GS_SECTION_DEVICE, row))
		w->devices[w->ndevices++] = row->device;
	return w->status;
}

gs_status gs_writer_setting(gs_writer *w, gs_span name, gs_span value)
{
	return gs_writer_push_row(w, GS_SECTION_SETTING, &(gs_row_setting){name, value});
}

gs_id gs_writer_string(gs_writer *w, gs_span text)
{
	return gs_writer_push_id(w, GS_SECTION_STRING, &(gs_row_string){text});
}

gs_id gs_writer_module(gs_writer *w, const gs_row_module *row)
{
	return gs_writer_push_id(w, GS_SECTION_MODULE, row);
}

gs_id gs_writer_frame(gs_writer *w, const gs_row_frame *row)
{
	return gs_writer_push_id(w, GS_SECTION_FRAME, row);
}

gs_id gs_writer_stack(gs_writer *w, const gs_id *frames, uint32_t n)
{
	return gs_writer_push_id(w, GS_SECTION_STACK, &(gs_row_stack){{frames, n}});
}

gs_id gs_writer_tag(gs_writer *w, gs_id name)
{
	return gs_writer_push_id(w, GS_SECTION_TAG, &(gs_row_tag){name});
}

gs_status gs_writer_segment(gs_writer *w, const gs_row_segment *row)
{
	return gs_writer_push_row(w, GS_SECTION_SEGMENT, row);
}

gs_status gs_writer_block(gs_writer *w, const gs_row_block *row)
{
	return gs_writer_push_row(w, GS_SECTION_BLOCK, row);
}

gs_status gs_writer_stat(gs_writer *w, const gs_row_stat *row)
{
	return gs_writer_push_row(w, GS_SECTION_STAT, row);
}

gs_status gs_writer_oom(gs_writer *w, const gs_row_oom *row)
{
	return gs_writer_push_row(w, GS_SECTION_OOM, row);
}

gs_status gs_writer_annotation(gs_writer *w, const gs_row_annotation *row)
{
	return gs_writer_push_row(w, GS_SECTION_ANNOTATION, row);
}

gs_status gs_writer_warning(gs_writer *w, gs_span text)
{
	return gs_writer_push_row(w, GS_SECTION_WARNING, &(gs_row_warning){text});
}

/* Events are many, so one that only adds to the stage goes there without a look at the table of
 * columns; the order is that table's. */
static bool has_free(const gs_row_event *row)
{
	return row->action == GS_ACTION_OOM || row->action == GS_ACTION_REFUSED;
}

/* The first row of a section, and whatever is wrong. */
static gs_status push_event(gs_writer *w, gs_row_event row)
{
	if (!has_free(&row))
		row.device_free = GS_NONE;
	return gs_writer_push_row(w, GS_SECTION_EVENT, &row);
}

gs_status gs_writer_event(gs_writer *w, const gs_row_event *row)
{
	if (w->status || w->kind != GS_SECTION_EVENT || !w->rows || w->rows == w->capacity ||
		row->device != w->device || row->stack > w->counts[GS_SECTION_STACK] ||
		row->tag > w->counts[GS_SECTION_TAG] || row->more > w->counts[GS_SECTION_STRING])
		return push_event(w, *row);
	uint64_t *cell = w->cells + w->rows++;
	const uint64_t values[] = {
		row->action,
		row->address,
		row->size,
		row->time_us == GS_NONE ? 0 : gs_zigzag(row->time_us) + 1,
		row->stream,
		row->has_pool_id,
		row->pool_id.a,
		row->pool_id.b,
		row->stack,
		row->tag,
		row->nanos,
		row->extra,
		row->more,
		has_free(row) && row->device_free != GS_NONE ? gs_zigzag(row->device_free) + 1 : 0,
	};
	for (unsigned c = 0; c < sizeof values / sizeof *values; c++, cell += w->capacity)
		*cell = values[c];
	w->counts[GS_SECTION_EVENT]++;
	return GS_OK;
}

gs_status gs_writer_flush(gs_writer *w)
{
	if (!w->status)
		gs_writer_end_section(w);
	return w->status;
}

gs_status gs_writer_figures(gs_writer *w, const gs_row_figures *row)
{
	return gs_writer_push_row(w, GS_SECTION_FIGURES, row);
}

bool gs_writer_index_is_due(const gs_writer *w) { return w->nplaces >= DUE; }

static gs_status put_place(gs_writer *w, gs_row_index row, bool *first)
{
	row.before = *first ? w->index : 0;
	*first = false;
	return gs_writer_push_row(w, GS_SECTION_INDEX, &row);
}

gs_status gs_writer_index(gs_writer *w)
{
	bool first = true;
	if (w->status || !w->stream)
		return w->status ? w->status : GS_STATE;
	gs_writer_turn_to(w, GS_SECTION_INDEX);
	for (uint32_t i = 0; i < w->nplaces && !w->status; i++)
		put_place(w, w->places[i], &first);
	for (uint32_t i = 0; i < w->ndevices && !w->status; i++)
		if (w->events[i])
			put_place(w,
				(gs_row_index){.device = w->devices[i],
					.idx = (int64_t)w->events[i],
					.offset = w->last_events[i],
					.kind = GS_SECTION_EVENT},
				&first);
	w->nplaces = 0;
	return w->status ? w->status : gs_writer_flush(w);
}

gs_status gs_writer_end_layout(gs_writer *w)
{
	if (w->status || !w->stream)
		return w->status ? w->status : GS_STATE;
	if (w->kind != GS_SECTION_BLOCK)
		gs_writer_turn_to(w, GS_SECTION_BLOCK);
	gs_writer_send_section(w, GS_SECTION_LAST);
	return w->status;
}

gs_status gs_writer_finish(gs_writer *w)
{
	if (w->status)
		return w->status;
	if (w->stream)
		gs_writer_turn_to(w, GS_SECTION_END);
	else if (w->kind != GS_SECTION_END)
		gs_writer_advance_to(w, GS_SECTION_END);
	gs_row_end row = {w->sequence, w->counts[GS_SECTION_EVENT], w->index};
	if (!w->status)
		w->status = gs_writer_stage(w, GS_SECTION_END, &row);
	if (!w->status)
		gs_writer_send_section(w, GS_SECTION_LAST);
	return w->status;
}

uint64_t gs_writer_rows(const gs_writer *w, unsigned kind) { return w->counts[kind]; }

bool gs_writer_knows_device(const gs_writer *w, int32_t device)
{
	return gs_writer_device_place(w, device) < w->ndevices;
}

gs_status gs_writer_status(const gs_writer *w) { return w->status; }

uint64_t gs_writer_size(const gs_writer *w) { return w->size; }
