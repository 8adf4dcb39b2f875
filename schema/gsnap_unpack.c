/* Decoding of sections. Nothing here trusts a count: rows were bounded by the caller, and what a
 * column claims is checked against its bytes. */
#include "schema/gsnap_unpack.h"

#include <stdlib.h>

#include "schema/bytes.h"
#include "schema/column.h"
#include "schema/gsnap_format.h"

static gs_status fail(const gs_file_column *column, gs_error *err, const char *what)
{
	return gs_fail(err, GS_FORMAT, "column %s: %s", column->name, what);
}

/* Values against the column's bounds. */
static gs_status check_values(const gs_unpacked *u, const gs_file_column *column,
	const gs_cells *cells, const uint64_t *counts, gs_error *err)
{
	uint64_t most = gs_column_most(column, counts);
	if (most == UINT64_MAX && !column->needed)
		return GS_OK;
	uint64_t low = cells->constant, high = cells->constant;
	if (cells->at) {
		low = high = cells->at[0];
		for (uint32_t i = 1; i < u->rows; i++) {
			uint64_t v = cells->at[i];
			high = v > high ? v : high;
			low = v < low ? v : low;
		}
	}
	if (high <= most && low >= column->needed)
		return GS_OK;
	uint32_t row = 0;
	while (cells->at && row + 1 < u->rows && cells->at[row] <= most &&
		cells->at[row] >= column->needed)
		row++;
	return gs_fail(err, GS_FORMAT, "column %s: row %u has %llu, of at most %llu", column->name, row,
		(unsigned long long)(cells->at ? cells->at[row] : cells->constant),
		(unsigned long long)most);
}

/* Lengths become (place << 32 | length + 1), 0 for none. */
static gs_status unpack_texts(gs_unpacked *u, const gs_file_column *column, uint64_t *cells,
	const unsigned char *from, const unsigned char *end, gs_error *err)
{
	from = gs_column_varints(from, end, cells, u->rows);
	if (!from)
		return fail(column, err, "broken lengths");
	uint64_t at = (uint64_t)(from - u->raw), limit = (uint64_t)(end - u->raw);
	for (uint32_t i = 0; i < u->rows; i++) {
		uint64_t n = cells[i];
		if (!n)
			continue;
		if (n > GS_GSNAP_TEXT_MAX + 1 || n - 1 > limit - at)
			return fail(column, err, "a text is longer than its bytes");
		cells[i] = at << 32 | n;
		at += n - 1;
	}
	return at == limit ? GS_OK : fail(column, err, "bytes left over after the texts");
}

static gs_status unpack_members(gs_unpacked *u, const gs_file_column *column, uint64_t most,
	const unsigned char *from, const unsigned char *end, gs_error *err)
{
	uint64_t some[256];
	for (size_t done = 0; done < u->nids;) {
		uint32_t n = u->nids - done < 256 ? (uint32_t)(u->nids - done) : 256;
		from = gs_column_varints(from, end, some, n);
		if (!from)
			return fail(column, err, "broken members");
		for (uint32_t i = 0; i < n; i++) {
			if (!some[i] || some[i] > most)
				return fail(column, err, "a member is out of range");
			u->ids[done + i] = (gs_id)some[i];
		}
		done += n;
	}
	return from == end ? GS_OK : fail(column, err, "bytes left over after the members");
}

/* Counts become (place in ids << 32 | count). */
static gs_status unpack_lists(gs_unpacked *u, const gs_file_column *column, const uint64_t *counts,
	uint64_t *cells, const unsigned char *from, const unsigned char *end, gs_error *err)
{
	from = gs_column_varints(from, end, cells, u->rows);
	if (!from)
		return fail(column, err, "broken counts");
	uint64_t sum = 0;
	for (uint32_t i = 0; i < u->rows; i++) {
		uint64_t n = cells[i];
		if (n > GS_GSNAP_DEPTH_MAX || n > (uint64_t)(end - from) - sum)
			return fail(column, err, "a list is longer than its bytes");
		cells[i] = sum << 32 | n;
		sum += n;
	}
	if (sum > u->ids_cap) {
		gs_id *ids = realloc(u->ids, sum * sizeof *ids);
		if (!ids)
			return gs_fail(
				err, GS_NO_MEMORY, "no memory for %llu frame ids", (unsigned long long)sum);
		u->ids = ids;
		u->ids_cap = sum;
	}
	u->nids = sum;
	return unpack_members(u, column, counts[column->refers], from, end, err);
}

static gs_status unpack_column(gs_unpacked *u, unsigned c, const uint64_t *counts, uint8_t encoding,
	uint8_t shift, const unsigned char *from, const unsigned char *end, gs_error *err)
{
	const gs_file_column *column = &u->form->columns[c];
	uint64_t *cells = u->cells + (size_t)c * u->rows;
	gs_cells *out = &u->columns[c];
	if ((encoding == GS_ENCODING_TEXT) != (column->cell == GS_CELL_TEXT) ||
		(encoding == GS_ENCODING_LIST) != (column->cell == GS_CELL_IDS))
		return fail(column, err, "an encoding of another kind of column");
	if (encoding >= GS_ENCODINGS)
		return gs_fail(err, GS_VERSION, "column %s: unknown encoding %u", column->name, encoding);
	out->at = cells;
	if (encoding == GS_ENCODING_TEXT || encoding == GS_ENCODING_LIST) {
		if (shift)
			return fail(column, err, "a shift where there is none");
		return encoding == GS_ENCODING_TEXT
			? unpack_texts(u, column, cells, from, end, err)
			: unpack_lists(u, column, counts, cells, from, end, err);
	}
	if (encoding == GS_ENCODING_CONSTANT) {
		if (!gs_column_decode(from, end, encoding, shift, &out->constant, 1))
			return fail(column, err, "broken value");
		out->at = NULL;
	} else if (!gs_column_decode(from, end, encoding, shift, cells, u->rows)) {
		return fail(column, err, "broken values");
	}
	return check_values(u, column, out, counts, err);
}

static int find_column(const gs_section_form *form, uint8_t id)
{
	for (int c = 0; c < form->ncolumns; c++)
		if (form->columns[c].id == id)
			return c;
	return -1;
}

static gs_status prepare(gs_unpacked *u, const gs_section_form *form, uint32_t rows,
	const unsigned char *raw, gs_error *err)
{
	size_t need = (size_t)rows * form->ncolumns;
	if (need > u->cells_cap) {
		free(u->cells);
		u->cells = malloc(need * sizeof *u->cells);
		u->cells_cap = u->cells ? need : 0;
		if (!u->cells)
			return gs_fail(err, GS_NO_MEMORY, "no memory for %u rows", rows);
	}
	u->form = form;
	u->rows = rows;
	u->raw = raw;
	u->nids = 0;
	memset(u->columns, 0, sizeof u->columns);
	return GS_OK;
}

gs_status gs_unpack(gs_unpacked *u, const gs_section_form *form, const uint64_t *counts,
	uint32_t rows, const unsigned char *raw, size_t n, bool all, gs_error *err)
{
	gs_status status = prepare(u, form, rows, raw, err);
	const unsigned char *end = raw + n;
	uint32_t seen = 0;
	int last = -1;
	if (!rows && n && !status)
		return gs_fail(err, GS_FORMAT, "%zu bytes but no rows", n);
	while (raw < end && !status) {
		size_t left = (size_t)(end - raw);
		uint64_t bytes = left < 7 ? 0 : gs_get_le(raw + 3, 4);
		if (left < 7 || bytes > left - 7)
			return gs_fail(err, GS_FORMAT, "a column ends beyond its section");
		uint8_t id = raw[0];
		if (id <= last)
			return gs_fail(err, GS_FORMAT, "column %u after column %d", id, last);
		last = id;
		int c = find_column(form, id);
		if (c < 0 && id < GS_COLUMN_MAY_SKIP)
			return gs_fail(
				err, GS_VERSION, "unknown column %u: the file needs a newer gpusnap", id);
		if (c >= 0 && (all || !form->columns[c].aside)) {
			seen |= 1u << c;
			status = unpack_column(
				u, (unsigned)c, counts, raw[1], raw[2], raw + 7, raw + 7 + bytes, err);
		}
		raw += 7 + bytes;
	}
	for (unsigned c = 0; rows && c < form->ncolumns && !status; c++)
		if (form->columns[c].needed && !(seen >> c & 1))
			status = fail(&form->columns[c], err, "is missing");
	return status;
}

void gs_unpacked_row(const gs_unpacked *u, uint32_t i, void *row)
{
	memset(row, 0, u->form->row_size);
	for (unsigned c = 0; c < u->form->ncolumns; c++) {
		const gs_file_column *column = &u->form->columns[c];
		uint64_t cell = u->columns[c].at ? u->columns[c].at[i] : u->columns[c].constant;
		char *field = (char *)row + column->offset;
		if (column->cell == GS_CELL_TEXT) {
			gs_span *text = (void *)field;
			text->at = cell ? (const char *)u->raw + (cell >> 32) : NULL;
			text->n = cell ? (uint32_t)(cell & UINT32_MAX) - 1 : 0;
		} else if (column->cell == GS_CELL_IDS) {
			gs_ids *ids = (void *)field;
			ids->n = (uint32_t)(cell & UINT32_MAX);
			ids->at = ids->n ? u->ids + (cell >> 32) : NULL;
		} else {
			gs_column_set(column, row, cell);
		}
	}
}

void gs_unpacked_release(gs_unpacked *u)
{
	free(u->cells);
	free(u->ids);
	memset(u, 0, sizeof *u);
}
