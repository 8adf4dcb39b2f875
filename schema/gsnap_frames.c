/* The skippable frames of .gsnap files: the header and those before sections. */
#include "schema/gsnap_read_internal.h"

#include <inttypes.h>

#include "schema/bytes.h"
#include "schema/crc32.h"

const char *gs_section_text(unsigned kind)
{
	return kind && kind < GS_SECTION_KINDS ? gs_section_forms[kind].name : "unknown";
}

bool gs_gsnap_probe(const unsigned char *head, size_t n)
{
	return n >= 16 && gs_get_le(head, 4) == GS_GSNAP_SKIPPABLE &&
		!memcmp(head + 8, GS_GSNAP_MAGIC, 8);
}

gs_status gs_sections_take(gs_sections *r, void *buf, size_t n, const char *what, gs_error *err)
{
	size_t got = 0;
	gs_status status = r->input.read(r->input.arg, buf, n, &got, err);
	r->offset += got;
	if (!status && got < n)
		return gs_fail(
			err, GS_TRUNCATED, "the file ends at byte %" PRIu64 ", in %s", r->offset, what);
	return status;
}

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

gs_status gs_sections_read_header(gs_sections *r, gs_error *err)
{
	unsigned char h[8], payload[GS_GSNAP_FRAME_MAX];
	gs_status status = gs_sections_take(r, h, 8, "the header", err);
	if (status)
		return status;
	uint64_t n = gs_get_le(h + 4, 4);
	if (gs_get_le(h, 4) != GS_GSNAP_SKIPPABLE || n < GS_GSNAP_HEADER_SIZE - 8 || n > sizeof payload)
		return gs_fail(err, GS_FORMAT, "no .gsnap file: byte 0 starts no header frame");
	status = gs_sections_take(r, payload, n, "the header", err);
	return status ? status : check_header(h, payload, n, &r->stream, err);
}

gs_status gs_section_fail(const gs_section *s, gs_status status, gs_error *err, const char *what)
{
	return gs_fail(err, status, "section %u (%s) at byte %" PRIu64 ": %s", s->sequence,
		gs_section_text(s->kind), s->offset, what);
}

gs_status gs_sections_read_section(gs_sections *r, gs_section *s, gs_error *err)
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
	status = gs_sections_take(r, h + 8, n, "a section header", err);
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

bool gs_section_header_is(const unsigned char *p, size_t n, unsigned kind, uint32_t *packed)
{
	if (n < GS_GSNAP_SECTION_SIZE || gs_get_le(p, 4) != GS_GSNAP_SKIPPABLE ||
		gs_get_le(p + 4, 4) != GS_GSNAP_SECTION_SIZE - 8 || gs_get_le(p + 8, 2) != kind ||
		gs_crc32(0, p, GS_GSNAP_SECTION_SIZE - 4) != gs_get_le(p + GS_GSNAP_SECTION_SIZE - 4, 4))
		return false;
	*packed = (uint32_t)gs_get_le(p + 32, 4);
	return true;
}
