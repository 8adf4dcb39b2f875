/* The .gsnap writer. Rows of one section are staged as numbers, a column beside the other, and
 * become a section when the stage is full, the kind changes, or the device does. The last section
 * of a kind is held back until something else follows, so that it can be marked as the last. */
#define ZSTD_STATIC_LINKING_ONLY
#include "schema/gsnap_write.h"

#include <zstd.h>

#include "schema/bytes.h"
#include "schema/column.h"
#include "schema/crc32.h"
#include "schema/gsnap_columns.h"

enum {
	ROWS = 8192,       /* of a section at most */
	CELLS = ROWS * 12, /* numbers staged: events have twelve columns */
	PLACES = 1024,     /* sections that an index may tell of */
	DUE = PLACES / 2,  /* … and how many it shall not wait for */
	HEAP = 600 << 10,  /* texts and frame ids staged: more than the longest row */
	ENCODED = CELLS * GS_COLUMN_VALUE_MAX + HEAP / 4 * 5 + GS_COLUMNS_MAX * 16,
	STAGED = CELLS * 8 + HEAP,
	PACKED = ZSTD_COMPRESSBOUND(ENCODED) + GS_GSNAP_SECTION_SIZE + 4
};
_Static_assert(
	(int)ENCODED <= (int)GS_GSNAP_RAW_MAX, "a section must not be larger than readers take");

struct gs_writer {
	gs_status status;
	gs_sink sink;
	void *arg;
	uint64_t size;

	uint32_t kind, rows, capacity; /* staged */
	int32_t device;
	uint32_t heap_used;
	uint64_t *cells;     /* capacity numbers a column */
	unsigned char *heap; /* texts; frame ids as uint32_t */
	unsigned char *encoded;
	unsigned char *packed; /* lies over cells and heap, which are no longer needed then */
	ZSTD_CCtx *zstd;

	uint32_t sequence;
	uint64_t counts[GS_SECTION_KINDS]; /* rows pushed */
	uint64_t first;                    /* number of the first staged row */
	int32_t devices[GS_GSNAP_DEVICES_MAX];
	uint32_t ndevices;
	bool stream;
	uint64_t events[GS_GSNAP_DEVICES_MAX]; /* of a stream: sent, by place in devices */
	uint64_t index;                        /* offset of the last section of that kind */
	gs_row_index places[PLACES];           /* since then */
	uint32_t nplaces;
	int32_t layout_of; /* of the row of kind device pushed last … */
	int64_t layout_idx;
	bool has_layout;                            /* … if it begins one */
	uint64_t last_events[GS_GSNAP_DEVICES_MAX]; /* offset of the last section of events, by place */
};

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

static void send(gs_writer *w, const void *data, size_t n)
{
	w->status = w->sink(w->arg, data, n);
	w->size += n;
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
	send(w, h, sizeof h);
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

/* --- a section goes out --- */

static unsigned char *encode_texts(const gs_writer *w, const uint64_t *cells, unsigned char *to)
{
	for (uint32_t i = 0; i < w->rows; i++)
		to = gs_put_varint(to, cells[i] & UINT32_MAX);
	for (uint32_t i = 0; i < w->rows; i++) {
		size_t n = cells[i] & UINT32_MAX;
		if (n > 1) {
			memcpy(to, w->heap + (cells[i] >> 32), n - 1);
			to += n - 1;
		}
	}
	return to;
}

static unsigned char *encode_lists(const gs_writer *w, const uint64_t *cells, unsigned char *to)
{
	for (uint32_t i = 0; i < w->rows; i++)
		to = gs_put_varint(to, cells[i] & UINT32_MAX);
	for (uint32_t i = 0; i < w->rows; i++) {
		const unsigned char *ids = w->heap + (cells[i] >> 32);
		for (uint64_t k = 0; k < (cells[i] & UINT32_MAX); k++)
			to = gs_put_varint(to, gs_get_le(ids + 4 * k, 4));
	}
	return to;
}

static bool all_zero(const uint64_t *cells, uint32_t n)
{
	uint64_t any = 0;
	for (uint32_t i = 0; i < n; i++)
		any |= cells[i];
	return !any;
}

/* A column is: its id, encoding and shift in a byte each, the length of its bytes as four, the
 * bytes. */
static unsigned char *encode_column(
	const gs_writer *w, const gs_file_column *column, const uint64_t *cells, unsigned char *to)
{
	unsigned char *head = to;
	uint8_t encoding = GS_ENCODING_TEXT, shift = 0;
	if (all_zero(cells, w->rows))
		return to;
	to += 7;
	if (column->cell == GS_CELL_TEXT) {
		to = encode_texts(w, cells, to);
	} else if (column->cell == GS_CELL_IDS) {
		encoding = GS_ENCODING_LIST;
		to = encode_lists(w, cells, to);
	} else {
		to = gs_column_encode(to, cells, w->rows, &encoding, &shift);
	}
	head[0] = column->id;
	head[1] = encoding;
	head[2] = shift;
	gs_put_le(head + 3, (uint64_t)(to - head) - 7, 4);
	return to;
}

/* The place of a device among those known, or ndevices. */
static uint32_t device_place(const gs_writer *w, int32_t device)
{
	uint32_t i = 0;
	while (i < w->ndevices && w->devices[i] != device)
		i++;
	return i;
}

/* The section that is about to go out, for the index. */
static void note_place(gs_writer *w)
{
	gs_row_index place = {.idx = GS_NONE, .offset = w->size, .kind = w->kind};
	if (w->kind == GS_SECTION_INDEX)
		w->index = w->size;
	if (w->kind == GS_SECTION_EVENT && w->device >= 0)
		w->last_events[device_place(w, w->device)] = w->size;
	if (w->kind == GS_SECTION_DEVICE) {
		place.device = w->layout_of;
		place.idx = w->has_layout ? w->layout_idx : GS_NONE;
	}
	if (w->kind != GS_SECTION_INDEX && w->kind != GS_SECTION_EVENT &&
		w->kind != GS_SECTION_SEGMENT && w->kind != GS_SECTION_BLOCK && w->kind != GS_SECTION_END &&
		w->nplaces < PLACES)
		w->places[w->nplaces++] = place;
}

static void flush(gs_writer *w, unsigned flags)
{
	const gs_section_form *form = &gs_section_forms[w->kind];
	unsigned char *to = w->encoded;
	for (unsigned c = 0; w->rows && c < form->ncolumns; c++)
		to = encode_column(w, &form->columns[c], w->cells + (size_t)c * w->capacity, to);
	size_t raw = (size_t)(to - w->encoded);
	unsigned char *h = w->packed;
	size_t packed = ZSTD_compress2(
		w->zstd, h + GS_GSNAP_SECTION_SIZE, PACKED - GS_GSNAP_SECTION_SIZE, w->encoded, raw);
	if (ZSTD_isError(packed)) {
		w->status = GS_LIMIT;
		return;
	}
	gs_put_le(h, GS_GSNAP_SKIPPABLE, 4);
	gs_put_le(h + 4, GS_GSNAP_SECTION_SIZE - 8, 4);
	gs_put_le(h + 8, w->kind, 2);
	gs_put_le(h + 10, flags | form->flags, 2);
	gs_put_le(h + 12, w->sequence++, 4);
	if (w->stream)
		note_place(w);
	gs_put_le(h + 16, (uint32_t)(form->by_device && w->rows ? w->device : -1), 4);
	gs_put_le(h + 20, w->rows, 4);
	gs_put_le(h + 24, w->first, 8);
	gs_put_le(h + 32, packed, 4);
	gs_put_le(h + 36, raw, 4);
	gs_put_le(h + 40, gs_crc32(0, h, 40), 4);
	send(w, h, GS_GSNAP_SECTION_SIZE + packed);
	w->first += w->rows;
	w->rows = 0;
	w->heap_used = 0;
}

/* --- staging --- */

static void begin_section(gs_writer *w, uint32_t kind)
{
	w->kind = kind;
	w->rows = 0;
	w->heap_used = 0;
	w->first = 0;
	w->device = -1;
	w->capacity = CELLS / gs_section_forms[kind].ncolumns;
	if (w->capacity > ROWS)
		w->capacity = ROWS;
}

/* What is staged goes out. Of a stream events are numbered by device. */
static void end_section(gs_writer *w)
{
	if (w->rows)
		flush(w, 0);
	if (w->stream && w->kind == GS_SECTION_EVENT && w->device >= 0)
		w->events[device_place(w, w->device)] = w->first;
}

/* Of a stream: another kind, in any order. */
static void turn_to(gs_writer *w, uint32_t kind)
{
	end_section(w);
	begin_section(w, kind);
	w->first = kind == GS_SECTION_EVENT ? 0 : w->counts[kind];
}

/* Ends the current kind and those between it and the next that must be there even when empty. */
static void advance_kind(gs_writer *w, uint32_t kind)
{
	if (w->rows)
		flush(w, GS_SECTION_LAST);
	for (uint32_t k = w->kind + 1; k < kind && !w->status; k++) {
		if (!gs_section_forms[k].always)
			continue;
		begin_section(w, k);
		flush(w, GS_SECTION_LAST);
	}
	begin_section(w, kind);
}

static bool known_device(const gs_writer *w, int32_t device)
{
	if (w->stream)
		return device_place(w, device) < w->ndevices;
	uint32_t low = 0, high = w->ndevices;
	while (low < high) {
		uint32_t mid = (low + high) / 2;
		if (w->devices[mid] < device)
			low = mid + 1;
		else
			high = mid;
	}
	return low < w->ndevices && w->devices[low] == device;
}

static gs_status switch_device(gs_writer *w, int32_t device)
{
	if (device == w->device && (w->rows || w->first))
		return GS_OK;
	if (!known_device(w, device))
		return GS_INVALID;
	if (w->stream) {
		end_section(w);
		w->device = device;
		if (w->kind == GS_SECTION_EVENT)
			w->first = w->events[device_place(w, device)];
		return w->status;
	}
	if ((w->rows || w->first) && device < w->device)
		return GS_STATE;
	if (w->rows)
		flush(w, 0);
	w->device = device;
	if (w->kind == GS_SECTION_EVENT)
		w->first = 0;
	return w->status;
}

static uint32_t heap_bytes(const gs_file_column *column, uint64_t cell)
{
	if (column->cell == GS_CELL_IDS)
		return (uint32_t)cell * 4;
	return column->cell == GS_CELL_TEXT && cell ? (uint32_t)cell - 1 : 0;
}

/* The field's number, with texts and stacks cut to what a file may hold. */
static uint64_t bounded(const gs_file_column *column, const void *row)
{
	uint64_t cell = gs_column_get(column, row);
	if (column->cell == GS_CELL_IDS && cell > GS_GSNAP_DEPTH_MAX)
		return GS_GSNAP_DEPTH_MAX;
	if (column->cell == GS_CELL_TEXT && cell > GS_GSNAP_TEXT_MAX) {
		const gs_span *text = (const void *)((const char *)row + column->offset);
		uint32_t n = GS_GSNAP_TEXT_MAX;
		for (int back = 0; back < 3 && ((unsigned char)text->at[n] & 0xc0) == 0x80 && text->n > n;
			 back++)
			n--;
		return (uint64_t)n + 1;
	}
	return cell;
}

static uint64_t keep_cell(
	gs_writer *w, const gs_file_column *column, const void *row, uint64_t cell)
{
	uint64_t at = w->heap_used;
	if (column->cell == GS_CELL_TEXT && cell > 1) {
		memcpy(w->heap + at,
			((const gs_span *)(const void *)((const char *)row + column->offset))->at, cell - 1);
	} else if (column->cell == GS_CELL_IDS) {
		const gs_ids *ids = (const void *)((const char *)row + column->offset);
		for (uint64_t k = 0; k < cell; k++)
			gs_put_le(w->heap + at + 4 * k, ids->at[k], 4);
	}
	w->heap_used += heap_bytes(column, cell);
	return cell ? at << 32 | cell : 0;
}

static gs_status check_ids(const gs_file_column *column, const void *row, uint64_t n, uint64_t most)
{
	const gs_ids *ids = (const void *)((const char *)row + column->offset);
	for (uint64_t k = 0; k < n; k++)
		if (!ids->at[k] || ids->at[k] > most)
			return GS_INVALID;
	return GS_OK;
}

static gs_status check_row(
	gs_writer *w, const gs_section_form *form, const void *row, uint64_t *values, uint32_t *heap)
{
	for (unsigned c = 0; c < form->ncolumns; c++) {
		const gs_file_column *column = &form->columns[c];
		uint64_t v = values[c] = bounded(column, row);
		if (v > gs_column_most(column, w->counts) || (column->needed && !v))
			return GS_INVALID;
		if (column->cell == GS_CELL_IDS && check_ids(column, row, v, w->counts[column->refers]))
			return GS_INVALID;
		*heap += heap_bytes(column, v);
	}
	return GS_OK;
}

static gs_status stage(gs_writer *w, uint32_t kind, const void *row)
{
	const gs_section_form *form = &gs_section_forms[kind];
	uint64_t values[GS_COLUMNS_MAX];
	uint32_t heap = 0;
	if (!w->stream && (kind < w->kind || (form->once && w->counts[kind])))
		return GS_STATE;
	if (kind != GS_SECTION_EVENT && w->counts[kind] >= GS_GSNAP_COUNT_MAX)
		return GS_LIMIT;
	gs_status status = check_row(w, form, row, values, &heap);
	if (status)
		return status;
	if (w->stream && kind != w->kind)
		turn_to(w, kind);
	else if (kind > w->kind)
		advance_kind(w, kind);
	if (!w->status && form->by_device)
		status = switch_device(w, *(const int32_t *)row);
	if (status || w->status)
		return status ? status : w->status;
	if (w->rows == w->capacity || w->heap_used + heap > HEAP)
		flush(w, 0);
	if (w->status)
		return w->status;
	uint64_t *cells = w->cells + w->rows;
	for (unsigned c = 0; c < form->ncolumns; c++, cells += w->capacity)
		*cells = form->columns[c].cell < GS_CELL_TEXT
			? values[c]
			: keep_cell(w, &form->columns[c], row, values[c]);
	w->rows++;
	w->counts[kind]++;
	return GS_OK;
}

static gs_status push_row(gs_writer *w, uint32_t kind, const void *row)
{
	if (!w->status)
		w->status = w->kind == GS_SECTION_END ? GS_STATE : stage(w, kind, row);
	return w->status;
}

static gs_id push_id(gs_writer *w, uint32_t kind, const void *row)
{
	return push_row(w, kind, row) ? 0 : (gs_id)w->counts[kind];
}

/* --- the rows --- */

gs_status gs_writer_process(gs_writer *w, const gs_row_process *row)
{
	return push_row(w, GS_SECTION_PROCESS, row);
}

/* A device of a stream may come again, and in any order: each time with another layout. */
static gs_status push_stream_device(gs_writer *w, const gs_row_device *row)
{
	bool known = device_place(w, row->device) < w->ndevices;
	if (!w->status) /* a row a section: each is found by its place */
		turn_to(w, GS_SECTION_DEVICE);
	if (!w->status && !known && w->ndevices == GS_GSNAP_DEVICES_MAX)
		w->status = GS_LIMIT;
	if (!push_row(w, GS_SECTION_DEVICE, row) && !known)
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
	if (!push_row(w, GS_SECTION_DEVICE, row))
		w->devices[w->ndevices++] = row->device;
	return w->status;
}

gs_status gs_writer_setting(gs_writer *w, gs_span name, gs_span value)
{
	return push_row(w, GS_SECTION_SETTING, &(gs_row_setting){name, value});
}

gs_id gs_writer_string(gs_writer *w, gs_span text)
{
	return push_id(w, GS_SECTION_STRING, &(gs_row_string){text});
}
gs_id gs_writer_module(gs_writer *w, const gs_row_module *row)
{
	return push_id(w, GS_SECTION_MODULE, row);
}
gs_id gs_writer_frame(gs_writer *w, const gs_row_frame *row)
{
	return push_id(w, GS_SECTION_FRAME, row);
}

gs_id gs_writer_stack(gs_writer *w, const gs_id *frames, uint32_t n)
{
	return push_id(w, GS_SECTION_STACK, &(gs_row_stack){{frames, n}});
}

gs_id gs_writer_tag(gs_writer *w, gs_id name)
{
	return push_id(w, GS_SECTION_TAG, &(gs_row_tag){name});
}
gs_status gs_writer_segment(gs_writer *w, const gs_row_segment *row)
{
	return push_row(w, GS_SECTION_SEGMENT, row);
}
gs_status gs_writer_block(gs_writer *w, const gs_row_block *row)
{
	return push_row(w, GS_SECTION_BLOCK, row);
}
gs_status gs_writer_stat(gs_writer *w, const gs_row_stat *row)
{
	return push_row(w, GS_SECTION_STAT, row);
}
gs_status gs_writer_oom(gs_writer *w, const gs_row_oom *row)
{
	return push_row(w, GS_SECTION_OOM, row);
}
gs_status gs_writer_annotation(gs_writer *w, const gs_row_annotation *row)
{
	return push_row(w, GS_SECTION_ANNOTATION, row);
}
gs_status gs_writer_warning(gs_writer *w, gs_span text)
{
	return push_row(w, GS_SECTION_WARNING, &(gs_row_warning){text});
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
	return push_row(w, GS_SECTION_EVENT, &row);
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
		end_section(w);
	return w->status;
}

gs_status gs_writer_figures(gs_writer *w, const gs_row_figures *row)
{
	return push_row(w, GS_SECTION_FIGURES, row);
}

bool gs_writer_index_is_due(const gs_writer *w) { return w->nplaces >= DUE; }

static gs_status put_place(gs_writer *w, gs_row_index row, bool *first)
{
	row.before = *first ? w->index : 0;
	*first = false;
	return push_row(w, GS_SECTION_INDEX, &row);
}

gs_status gs_writer_index(gs_writer *w)
{
	bool first = true;
	if (w->status || !w->stream)
		return w->status ? w->status : GS_STATE;
	turn_to(w, GS_SECTION_INDEX);
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
		turn_to(w, GS_SECTION_BLOCK);
	flush(w, GS_SECTION_LAST);
	return w->status;
}

gs_status gs_writer_finish(gs_writer *w)
{
	if (w->status)
		return w->status;
	if (w->stream)
		turn_to(w, GS_SECTION_END);
	else if (w->kind != GS_SECTION_END)
		advance_kind(w, GS_SECTION_END);
	gs_row_end row = {w->sequence, w->counts[GS_SECTION_EVENT], w->index};
	if (!w->status)
		w->status = stage(w, GS_SECTION_END, &row);
	if (!w->status)
		flush(w, GS_SECTION_LAST);
	return w->status;
}

uint64_t gs_writer_rows(const gs_writer *w, unsigned kind) { return w->counts[kind]; }
bool gs_writer_knows_device(const gs_writer *w, int32_t device)
{
	return device_place(w, device) < w->ndevices;
}

gs_status gs_writer_status(const gs_writer *w) { return w->status; }
uint64_t gs_writer_size(const gs_writer *w) { return w->size; }
