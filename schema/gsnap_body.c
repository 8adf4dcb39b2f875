/* Bodies of sections, unpacked. */
#include "schema/gsnap_read_internal.h"

#include <stdlib.h>
#include <zstd_errors.h>

#include "schema/bytes.h"
#include "schema/column.h"

/* What the rows of a file may take in memory, all in all: an honest file stays far below this (the
 * rows of a loop of the simulator pack to an eighth of a byte each), a few hostile bytes cannot
 * keep a reader busy for long. Those who keep the rows bound them more closely. */
static const uint64_t base_cost = 256u << 20, cost_of_byte = 800;

static bool grow(unsigned char **buf, size_t *cap, size_t n)
{
	if (n <= *cap)
		return true;
	free(*buf);
	*buf = malloc(n);
	*cap = *buf ? n : 0;
	return *buf;
}

static gs_status unpack_frame(gs_sections *r, const gs_section *s, gs_error *err)
{
	const unsigned char *p = r->packed;
	if (s->packed < 6 || gs_get_le(p, 4) != ZSTD_MAGICNUMBER || !(p[4] & 4))
		return gs_section_fail(s, GS_FORMAT, err, "its body is no zstd frame with a checksum");
	if (ZSTD_findFrameCompressedSize(p, s->packed) != s->packed)
		return gs_section_fail(s, GS_FORMAT, err, "its zstd frame has another length");
	if (ZSTD_getFrameContentSize(p, s->packed) != s->raw)
		return gs_section_fail(s, GS_FORMAT, err, "its zstd frame unpacks to another size");
	if (!r->zstd && !(r->zstd = ZSTD_createDCtx()))
		return gs_section_fail(s, GS_NO_MEMORY, err, "no memory to unpack it");
	size_t n = ZSTD_decompressDCtx(r->zstd, r->raw, s->raw, p, s->packed);
	if (ZSTD_isError(n))
		return ZSTD_getErrorCode(n) == ZSTD_error_checksum_wrong
			? gs_section_fail(s, GS_CHECKSUM, err, "checksum of its content is wrong")
			: gs_section_fail(s, GS_FORMAT, err, ZSTD_getErrorName(n));
	if (n != s->raw)
		return gs_section_fail(s, GS_FORMAT, err, "its zstd frame unpacks to another size");
	memset(r->raw + n, 0, GS_COLUMN_PAD);
	return GS_OK;
}

void gs_sections_row(const gs_sections *r, uint32_t i, void *row)
{
	gs_unpacked_row(&r->rows, i, row);
	if (r->rows.form->by_device)
		*(int32_t *)row = r->section.device;
}

static gs_status list_devices(gs_sections *r, gs_error *err)
{
	for (uint32_t i = 0; i < r->section.rows; i++) {
		gs_row_device row;
		gs_sections_row(r, i, &row);
		if (r->stream && gs_sections_know_device(r, row.device))
			continue; /* another layout of it */
		if (!r->stream && r->ndevices && r->devices[r->ndevices - 1] >= row.device)
			return gs_section_fail(&r->section, GS_FORMAT, err, "devices do not ascend");
		if (r->ndevices == GS_GSNAP_DEVICES_MAX)
			return gs_section_fail(&r->section, GS_LIMIT, err, "too many devices");
		r->devices[r->ndevices++] = row.device;
	}
	return GS_OK;
}

gs_status gs_sections_unpack(gs_sections *r, bool all, gs_error *err)
{
	const gs_section *s = &r->section;
	const gs_section_form *form = &gs_section_forms[s->kind];
	r->cost += (uint64_t)s->rows * form->row_cost + (s->kind == GS_SECTION_EVENT ? 0 : s->raw);
	if (r->cost > base_cost + cost_of_byte * (r->offset + s->packed))
		return gs_section_fail(s, GS_LIMIT, err, "far more rows than a file of this size can hold");
	if (!grow(&r->packed, &r->packed_cap, s->packed) ||
		!grow(&r->raw, &r->raw_cap, (size_t)s->raw + GS_COLUMN_PAD))
		return gs_section_fail(s, GS_NO_MEMORY, err, "no memory to unpack it");
	r->pending = false;
	gs_status status = gs_sections_take(r, r->packed, s->packed, "a section", err);
	if (!status)
		status = unpack_frame(r, s, err);
	if (status)
		return status;
	gs_error why = GS_ERROR_INIT;
	uint64_t any[GS_SECTION_KINDS];
	for (unsigned k = 0; k < GS_SECTION_KINDS; k++)
		any[k] = r->alone ? GS_GSNAP_COUNT_MAX : r->counts[k];
	status = gs_unpack(&r->rows, form, any, s->rows, r->raw, s->raw, all, &why);
	if (status)
		return gs_section_fail(s, status, err, why.text);
	return s->kind == GS_SECTION_DEVICE ? list_devices(r, err) : GS_OK;
}
