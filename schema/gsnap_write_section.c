/* Sections go out: columns encoded, packed and headed, kind after kind. */
#define ZSTD_STATIC_LINKING_ONLY
#include "schema/gsnap_write_internal.h"

#include "schema/bytes.h"
#include "schema/crc32.h"

void gs_writer_send(gs_writer *w, const void *data, size_t n)
{
	w->status = w->sink(w->arg, data, n);
	w->size += n;
}

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

uint32_t gs_writer_device_place(const gs_writer *w, int32_t device)
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
		w->last_events[gs_writer_device_place(w, w->device)] = w->size;
	if (w->kind == GS_SECTION_DEVICE) {
		place.device = w->layout_of;
		place.idx = w->has_layout ? w->layout_idx : GS_NONE;
	}
	if (w->kind != GS_SECTION_INDEX && w->kind != GS_SECTION_EVENT &&
		w->kind != GS_SECTION_SEGMENT && w->kind != GS_SECTION_BLOCK && w->kind != GS_SECTION_END &&
		w->nplaces < PLACES)
		w->places[w->nplaces++] = place;
}

void gs_writer_send_section(gs_writer *w, unsigned flags)
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
	gs_writer_send(w, h, GS_GSNAP_SECTION_SIZE + packed);
	w->first += w->rows;
	w->rows = 0;
	w->heap_used = 0;
}

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

void gs_writer_end_section(gs_writer *w)
{
	if (w->rows)
		gs_writer_send_section(w, 0);
	if (w->stream && w->kind == GS_SECTION_EVENT && w->device >= 0)
		w->events[gs_writer_device_place(w, w->device)] = w->first;
}

void gs_writer_turn_to(gs_writer *w, uint32_t kind)
{
	gs_writer_end_section(w);
	begin_section(w, kind);
	w->first = kind == GS_SECTION_EVENT ? 0 : w->counts[kind];
}

void gs_writer_advance_to(gs_writer *w, uint32_t kind)
{
	if (w->rows)
		gs_writer_send_section(w, GS_SECTION_LAST);
	for (uint32_t k = w->kind + 1; k < kind && !w->status; k++) {
		if (!gs_section_forms[k].always)
			continue;
		begin_section(w, k);
		gs_writer_send_section(w, GS_SECTION_LAST);
	}
	begin_section(w, kind);
}
