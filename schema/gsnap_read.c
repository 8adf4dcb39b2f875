/* Framing of .gsnap files: section headers are checked one against the other before anything is
 * unpacked. */
#include "schema/gsnap_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "schema/bytes.h"
#include "schema/column.h"
#include "schema/crc32.h"

/* What the rows of a file may take in memory, all in all: an honest file stays far below this (the
 * rows of a loop of the simulator pack to an eighth of a byte each), a few hostile bytes cannot
 * keep a reader busy for long. Those who keep the rows bound them more closely. */
static const uint64_t base_cost = 256u << 20, cost_of_byte = 800;

struct gs_sections {
	gs_section_input input;
	uint64_t offset;    /* bytes consumed */
	gs_section section; /* shown last */
	bool pending;       /* its body has not been consumed */
	bool last_of_kind;
	bool any; /* a section was shown */
	uint32_t sequence;
	unsigned kind;
	uint64_t counts[GS_SECTION_KINDS];
	bool whole[GS_SECTION_KINDS];
	uint64_t device_first;                 /* events of the device so far */
	bool stream;                           /* version 2: sections in any order */
	bool moved;                            /* the next section may have any number */
	bool sparse;                           /* some sections were passed over */
	bool alone;                            /* each is read by itself */
	uint64_t firsts[GS_GSNAP_DEVICES_MAX]; /* of a stream: events so far, by place in devices */
	uint64_t cost;
	int32_t devices[GS_GSNAP_DEVICES_MAX];
	uint32_t ndevices;
	unsigned char *packed, *raw;
	size_t packed_cap, raw_cap;
	ZSTD_DCtx *zstd;
	gs_unpacked rows;
};

const char *gs_section_text(unsigned kind)
{
	return kind && kind < GS_SECTION_KINDS ? gs_section_forms[kind].name : "unknown";
}

bool gs_gsnap_probe(const unsigned char *head, size_t n)
{
	return n >= 16 && gs_get_le(head, 4) == GS_GSNAP_SKIPPABLE &&
		!memcmp(head + 8, GS_GSNAP_MAGIC, 8);
}

bool gs_sections_is_stream(const gs_sections *r) { return r->stream; }
uint64_t gs_sections_offset(const gs_sections *r) { return r->offset; }
uint64_t gs_sections_behind(const gs_sections *r)
{
	return r->offset + (r->pending ? r->section.packed : 0);
}
uint64_t gs_sections_rows(const gs_sections *r, unsigned kind)
{
	return kind < GS_SECTION_KINDS ? r->counts[kind] : 0;
}
const gs_unpacked *gs_sections_unpacked(const gs_sections *r) { return &r->rows; }
void gs_sections_row(const gs_sections *r, uint32_t i, void *row)
{
	gs_unpacked_row(&r->rows, i, row);
	if (r->rows.form->by_device)
		*(int32_t *)row = r->section.device;
}

/* Reads n bytes (or passes over them), GS_TRUNCATED when there are fewer. */
static gs_status take_bytes(gs_sections *r, void *buf, size_t n, const char *what, gs_error *err)
{
	size_t got = 0;
	gs_status status = r->input.read(r->input.arg, buf, n, &got, err);
	r->offset += got;
	if (!status && got < n)
		return gs_fail(
			err, GS_TRUNCATED, "the file ends at byte %" PRIu64 ", in %s", r->offset, what);
	return status;
}

/* --- the first frame --- */

static gs_status check_header(
	const unsigned char *h, const unsigned char *payload, size_t n, bool *stream, gs_error *err)
{
	uint32_t crc = gs_crc32(gs_crc32(0, h, 8), payload, n - 4);
	if (memcmp(payload, GS_GSNAP_MAGIC, 8))
		return gs_fail(
			err, GS_FORMAT, "no .gsnap file: its first frame at byte 0 has another magic");
	if (crc != gs_get_le(payload + n - 4, 4))
		return gs_fail(err, GS_CHECKSUM, "checksum of the header at byte 0 is wrong");
	uint64_t version = gs_get_le(payload + 8, 2), oldest = gs_get_le(payload + 10, 2),
			 must = gs_get_le(payload + 12, 4);
	if (!version || oldest > version)
		return gs_fail(err, GS_FORMAT,
			"version %" PRIu64 " that needs a reader of version %" PRIu64, version, oldest);
	if (oldest > GS_GSNAP_STREAM)
		return gs_fail(err, GS_VERSION,
			"format version %" PRIu64 " needs a reader of version %" PRIu64
			" or later, this one reads version %d: use a newer gpusnap",
			version, oldest, GS_GSNAP_STREAM);
	*stream = oldest == GS_GSNAP_STREAM;
	if (must)
		return gs_fail(err, GS_VERSION,
			"the file needs features 0x%" PRIx64
			" that this gpusnap does not know: use a newer one",
			must);
	return GS_OK;
}

static gs_status read_header(gs_sections *r, gs_error *err)
{
	unsigned char h[8], payload[GS_GSNAP_FRAME_MAX];
	gs_status status = take_bytes(r, h, 8, "the header", err);
	if (status)
		return status;
	uint64_t n = gs_get_le(h + 4, 4);
	if (gs_get_le(h, 4) != GS_GSNAP_SKIPPABLE || n < GS_GSNAP_HEADER_SIZE - 8 || n > sizeof payload)
		return gs_fail(err, GS_FORMAT, "no .gsnap file: byte 0 starts no header frame");
	status = take_bytes(r, payload, n, "the header", err);
	return status ? status : check_header(h, payload, n, &r->stream, err);
}

gs_status gs_sections_open(gs_sections **out, gs_section_input input, gs_error *err)
{
	gs_sections *r = calloc(1, sizeof *r);
	if (!r)
		return gs_fail(err, GS_NO_MEMORY, "no memory for a reader");
	r->input = input;
	gs_status status = read_header(r, err);
	if (status)
		gs_sections_close(r);
	else
		*out = r;
	return status;
}

void gs_sections_close(gs_sections *r)
{
	if (!r)
		return;
	gs_unpacked_release(&r->rows);
	ZSTD_freeDCtx(r->zstd);
	free(r->packed);
	free(r->raw);
	free(r);
}

/* --- section headers --- */

static gs_status fail(const gs_section *s, gs_status status, gs_error *err, const char *what)
{
	return gs_fail(err, status, "section %u (%s) at byte %" PRIu64 ": %s", s->sequence,
		gs_section_text(s->kind), s->offset, what);
}

static gs_status read_section(gs_sections *r, gs_section *s, gs_error *err)
{
	unsigned char h[8 + GS_GSNAP_FRAME_MAX];
	size_t got = 0;
	s->offset = r->offset;
	gs_status status = r->input.read(r->input.arg, h, 8, &got, err);
	r->offset += got;
	if (status)
		return status;
	if (got < 8)
		return gs_fail(err, GS_TRUNCATED,
			"the file ends at byte %" PRIu64 " without its last section", r->offset);
	uint64_t n = gs_get_le(h + 4, 4);
	if (gs_get_le(h, 4) != GS_GSNAP_SKIPPABLE)
		return gs_fail(err, GS_FORMAT, "no section header at byte %" PRIu64, s->offset);
	if (n < GS_GSNAP_SECTION_SIZE - 8 || n > GS_GSNAP_FRAME_MAX)
		return gs_fail(
			err, GS_FORMAT, "section header at byte %" PRIu64 ": length %" PRIu64, s->offset, n);
	status = take_bytes(r, h + 8, n, "a section header", err);
	if (status)
		return status;
	if (gs_crc32(0, h, 8 + n - 4) != gs_get_le(h + 8 + n - 4, 4))
		return gs_fail(err, GS_CHECKSUM,
			"checksum of the section header at byte %" PRIu64 " is wrong", s->offset);
	s->kind = (uint16_t)gs_get_le(h + 8, 2);
	s->flags = (uint16_t)gs_get_le(h + 10, 2);
	s->sequence = (uint32_t)gs_get_le(h + 12, 4);
	s->device = (int32_t)(uint32_t)gs_get_le(h + 16, 4);
	s->rows = (uint32_t)gs_get_le(h + 20, 4);
	s->first = gs_get_le(h + 24, 8);
	s->packed = (uint32_t)gs_get_le(h + 32, 4);
	s->raw = (uint32_t)gs_get_le(h + 36, 4);
	return GS_OK;
}

/* The place of a device among those listed, or ndevices. */
static uint32_t place_of(const gs_sections *r, int32_t device)
{
	uint32_t i = 0;
	while (i < r->ndevices && r->devices[i] != device)
		i++;
	return i;
}

static bool known_device(const gs_sections *r, int32_t device)
{
	return place_of(r, device) < r->ndevices;
}

void gs_sections_jump(gs_sections *r, uint64_t offset, bool alone)
{
	r->alone = alone;
	r->offset = offset;
	r->pending = false;
	r->moved = r->sparse = true;
}

bool gs_section_header_is(const unsigned char *p, size_t n, unsigned kind, uint32_t *packed)
{
	if (n < GS_GSNAP_SECTION_SIZE || gs_get_le(p, 4) != GS_GSNAP_SKIPPABLE ||
		gs_get_le(p + 4, 4) != GS_GSNAP_SECTION_SIZE - 8 || gs_get_le(p + 8, 2) != kind ||
		gs_crc32(0, p, GS_GSNAP_SECTION_SIZE - 4) != gs_get_le(p + GS_GSNAP_SECTION_SIZE - 4, 4))
		return false;
	*packed = (uint32_t)gs_get_le(p + 32, 4);
	return true;
}

/* Kinds of which sections may have been passed over: nothing refers to them by number but blocks to
 * segments, and those stand together. */
static bool may_be_missing(unsigned kind)
{
	return kind == GS_SECTION_DEVICE || kind == GS_SECTION_SEGMENT || kind == GS_SECTION_BLOCK ||
		kind == GS_SECTION_EVENT || kind == GS_SECTION_INDEX || kind == GS_SECTION_FIGURES;
}

/* Rows that were passed over count as seen. */
static void catch_up(gs_sections *r, const gs_section *s)
{
	uint64_t *seen = s->kind == GS_SECTION_EVENT && known_device(r, s->device)
		? &r->firsts[place_of(r, s->device)]
		: &r->counts[s->kind];
	if (r->alone || (may_be_missing(s->kind) && s->rows && s->first > *seen))
		*seen = s->first;
}

/* Device and first row number of a section of a known kind. */
static gs_status check_place(gs_sections *r, const gs_section *s, bool same_kind, gs_error *err)
{
	const gs_section_form *form = &gs_section_forms[s->kind];
	if (!form->by_device || !s->rows) {
		if (s->device != -1)
			return fail(s, GS_FORMAT, err, "a device where there is none");
	} else if (!known_device(r, s->device)) {
		return fail(s, GS_FORMAT, err, "of a device that the file does not list");
	} else if (!r->stream && same_kind && s->device < r->section.device) {
		return fail(s, GS_FORMAT, err, "devices do not ascend");
	}
	uint64_t first = r->counts[s->kind];
	if (r->stream && s->kind == GS_SECTION_EVENT && s->rows) {
		first = r->firsts[place_of(r, s->device)];
	} else if (s->kind == GS_SECTION_EVENT) {
		if (!same_kind || s->device != r->section.device)
			r->device_first = 0;
		first = r->device_first;
	}
	if (s->first != first)
		return gs_fail(err, GS_FORMAT,
			"section %u (%s) at byte %" PRIu64 ": starts at row %" PRIu64 ", expected %" PRIu64,
			s->sequence, gs_section_text(s->kind), s->offset, s->first, first);
	return GS_OK;
}

static gs_status check_section(gs_sections *r, const gs_section *s, gs_error *err)
{
	const gs_section_form *form = &gs_section_forms[s->kind];
	bool same_kind = r->any && s->kind == r->kind;
	if (!r->stream && (s->kind < r->kind || (same_kind && r->last_of_kind)))
		return fail(s, GS_FORMAT, err, "out of order");
	if (form->once && s->rows != 1)
		return fail(s, GS_FORMAT, err, "must have one row");
	if (r->sparse)
		catch_up(r, s);
	gs_status status = check_place(r, s, same_kind, err);
	if (status)
		return status;
	if (s->kind != GS_SECTION_EVENT && r->counts[s->kind] + s->rows > GS_GSNAP_COUNT_MAX)
		return fail(s, GS_LIMIT, err, "too many rows");
	for (unsigned k = 1; k < s->kind && !r->stream; k++)
		if (gs_section_forms[k].always && !r->whole[k])
			return gs_fail(err, GS_FORMAT,
				"section %u (%s) at byte %" PRIu64 " before the last of kind %s", s->sequence,
				gs_section_text(s->kind), s->offset, gs_section_text(k));
	return GS_OK;
}

static gs_status check_any(gs_sections *r, const gs_section *s, gs_error *err)
{
	if (r->moved)
		r->sequence = s->sequence;
	r->moved = false;
	if (s->sequence != r->sequence)
		return gs_fail(err, GS_FORMAT, "section at byte %" PRIu64 " is number %u, expected %u",
			s->offset, s->sequence, r->sequence);
	if (s->packed > GS_GSNAP_PACKED_MAX || s->raw > GS_GSNAP_RAW_MAX || s->rows > GS_GSNAP_ROWS_MAX)
		return fail(s, GS_LIMIT, err, "larger than a section may be");
	if (s->flags & ~(GS_SECTION_LAST | GS_SECTION_MAY_SKIP))
		return fail(s, GS_VERSION, err, "unknown flags: use a newer gpusnap");
	return GS_OK;
}

static gs_status skip_section(gs_sections *r, uint32_t packed, gs_error *err)
{
	r->pending = false;
	return take_bytes(r, NULL, packed, "a section", err);
}

static gs_status finish(gs_sections *r, gs_error *err)
{
	gs_row_end end;
	gs_status status = gs_sections_load(r, true, err);
	if (status)
		return status;
	gs_sections_row(r, 0, &end);
	if (!r->sparse &&
		(end.sections != r->section.sequence || end.events != r->counts[GS_SECTION_EVENT]))
		return fail(&r->section, GS_FORMAT, err, "counts do not agree with the file");
	unsigned char more;
	size_t got = 0;
	status = r->input.read(r->input.arg, &more, 1, &got, err);
	if (!status && got)
		status = gs_fail(err, GS_FORMAT, "more bytes after the end at byte %" PRIu64, r->offset);
	return status ? status : GS_END;
}

/* A known section has passed its checks: what follows is held against it. */
static void enter(gs_sections *r, const gs_section *s)
{
	r->section = *s;
	r->pending = true;
	r->any = true;
	r->kind = s->kind;
	r->last_of_kind = s->flags & GS_SECTION_LAST;
	r->whole[s->kind] = r->last_of_kind;
	r->counts[s->kind] += s->rows;
	r->device_first += s->kind == GS_SECTION_EVENT ? s->rows : 0;
	if (r->stream && s->kind == GS_SECTION_EVENT && s->rows)
		r->firsts[place_of(r, s->device)] += s->rows;
}

gs_status gs_sections_next(gs_sections *r, gs_section *section, gs_error *err)
{
	gs_section s;
	gs_status status = r->pending ? skip_section(r, r->section.packed, err) : GS_OK;
	if (r->kind == GS_SECTION_END)
		return GS_END;
	for (; !status; r->sequence++) {
		status = read_section(r, &s, err);
		if (!status)
			status = check_any(r, &s, err);
		if (status || (s.kind && s.kind <= (r->stream ? GS_SECTION_FIGURES : GS_SECTION_END)))
			break;
		if (!(s.flags & GS_SECTION_MAY_SKIP))
			return gs_fail(err, GS_VERSION,
				"section %u at byte %" PRIu64 " is of unknown kind %u: use a newer gpusnap",
				s.sequence, s.offset, s.kind);
		status = skip_section(r, s.packed, err);
	}
	if (!status)
		status = check_section(r, &s, err);
	if (status)
		return status;
	enter(r, &s);
	r->sequence++;
	if (s.kind == GS_SECTION_END)
		return finish(r, err);
	*section = s;
	/* later sections name devices: these rows are needed whether the caller loads them or not */
	return s.kind == GS_SECTION_DEVICE ? gs_sections_load(r, true, err) : GS_OK;
}

/* --- bodies --- */

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
		return fail(s, GS_FORMAT, err, "its body is no zstd frame with a checksum");
	if (ZSTD_findFrameCompressedSize(p, s->packed) != s->packed)
		return fail(s, GS_FORMAT, err, "its zstd frame has another length");
	if (ZSTD_getFrameContentSize(p, s->packed) != s->raw)
		return fail(s, GS_FORMAT, err, "its zstd frame unpacks to another size");
	if (!r->zstd && !(r->zstd = ZSTD_createDCtx()))
		return fail(s, GS_NO_MEMORY, err, "no memory to unpack it");
	size_t n = ZSTD_decompressDCtx(r->zstd, r->raw, s->raw, p, s->packed);
	if (ZSTD_isError(n))
		return ZSTD_getErrorCode(n) == ZSTD_error_checksum_wrong
			? fail(s, GS_CHECKSUM, err, "checksum of its content is wrong")
			: fail(s, GS_FORMAT, err, ZSTD_getErrorName(n));
	if (n != s->raw)
		return fail(s, GS_FORMAT, err, "its zstd frame unpacks to another size");
	memset(r->raw + n, 0, GS_COLUMN_PAD);
	return GS_OK;
}

static gs_status list_devices(gs_sections *r, gs_error *err)
{
	for (uint32_t i = 0; i < r->section.rows; i++) {
		gs_row_device row;
		gs_sections_row(r, i, &row);
		if (r->stream && known_device(r, row.device))
			continue; /* another layout of it */
		if (!r->stream && r->ndevices && r->devices[r->ndevices - 1] >= row.device)
			return fail(&r->section, GS_FORMAT, err, "devices do not ascend");
		if (r->ndevices == GS_GSNAP_DEVICES_MAX)
			return fail(&r->section, GS_LIMIT, err, "too many devices");
		r->devices[r->ndevices++] = row.device;
	}
	return GS_OK;
}

static gs_status load(gs_sections *r, bool all, gs_error *err)
{
	const gs_section *s = &r->section;
	const gs_section_form *form = &gs_section_forms[s->kind];
	r->cost += (uint64_t)s->rows * form->row_cost + (s->kind == GS_SECTION_EVENT ? 0 : s->raw);
	if (r->cost > base_cost + cost_of_byte * (r->offset + s->packed))
		return fail(s, GS_LIMIT, err, "far more rows than a file of this size can hold");
	if (!grow(&r->packed, &r->packed_cap, s->packed) ||
		!grow(&r->raw, &r->raw_cap, (size_t)s->raw + GS_COLUMN_PAD))
		return fail(s, GS_NO_MEMORY, err, "no memory to unpack it");
	r->pending = false;
	gs_status status = take_bytes(r, r->packed, s->packed, "a section", err);
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
		return fail(s, status, err, why.text);
	return s->kind == GS_SECTION_DEVICE ? list_devices(r, err) : GS_OK;
}

gs_status gs_sections_load(gs_sections *r, bool all, gs_error *err)
{
	if (!r->pending && r->section.kind == GS_SECTION_DEVICE)
		return GS_OK; /* already done by next */
	return r->pending ? load(r, all, err) : gs_fail(err, GS_STATE, "no section to load");
}
