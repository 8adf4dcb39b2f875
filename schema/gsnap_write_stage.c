/* A row is checked, bounded and staged. */
#define ZSTD_STATIC_LINKING_ONLY
#include "schema/gsnap_write_internal.h"

#include "schema/bytes.h"

static bool known_device(const gs_writer *w, int32_t device)
{
	if (w->stream)
		return gs_writer_device_place(w, device) < w->ndevices;
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
		gs_writer_end_section(w);
		w->device = device;
		if (w->kind == GS_SECTION_EVENT)
			w->first = w->events[gs_writer_device_place(w, device)];
		return w->status;
	}
	if ((w->rows || w->first) && device < w->device)
		return GS_STATE;
	if (w->rows)
		gs_writer_send_section(w, 0);
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

gs_status gs_writer_stage(gs_writer *w, uint32_t kind, const void *row)
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
		gs_writer_turn_to(w, kind);
	else if (kind > w->kind)
		gs_writer_advance_to(w, kind);
	if (!w->status && form->by_device)
		status = switch_device(w, *(const int32_t *)row);
	if (status || w->status)
		return status ? status : w->status;
	if (w->rows == w->capacity || w->heap_used + heap > HEAP)
		gs_writer_send_section(w, 0);
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

gs_status gs_writer_push_row(gs_writer *w, uint32_t kind, const void *row)
{
	if (!w->status)
		w->status = w->kind == GS_SECTION_END ? GS_STATE : gs_writer_stage(w, kind, row);
	return w->status;
}

gs_id gs_writer_push_id(gs_writer *w, uint32_t kind, const void *row)
{
	return gs_writer_push_row(w, kind, row) ? 0 : (gs_id)w->counts[kind];
}
