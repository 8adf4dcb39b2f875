/* Section after section of a .gsnap file: headers are checked one against the other before anything
 * is unpacked. */
#include "schema/gsnap_read_internal.h"

#include <inttypes.h>
#include <stdlib.h>

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

gs_status gs_sections_open(gs_sections **out, gs_section_input input, gs_error *err)
{
	gs_sections *r = calloc(1, sizeof *r);
	if (!r)
		return gs_fail(err, GS_NO_MEMORY, "no memory for a reader");
	r->input = input;
	gs_status status = gs_sections_read_header(r, err);
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

static gs_status skip_section(gs_sections *r, uint32_t packed, gs_error *err)
{
	r->pending = false;
	return gs_sections_take(r, NULL, packed, "a section", err);
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
		return gs_section_fail(&r->section, GS_FORMAT, err, "counts do not agree with the file");
	unsigned char more;
	size_t got = 0;
	status = r->input.read(r->input.arg, &more, 1, &got, err);
	if (!status && got)
		status = gs_fail(err, GS_FORMAT, "more bytes after the end at byte %" PRIu64, r->offset);
	return status ? status : GS_END;
}

gs_status gs_sections_next(gs_sections *r, gs_section *section, gs_error *err)
{
	gs_section s;
	gs_status status = r->pending ? skip_section(r, r->section.packed, err) : GS_OK;
	if (r->kind == GS_SECTION_END)
		return GS_END;
	for (; !status; r->sequence++) {
		status = gs_sections_read_section(r, &s, err);
		if (!status)
			status = gs_sections_check_size(r, &s, err);
		if (status || (s.kind && s.kind <= (r->stream ? GS_SECTION_FIGURES : GS_SECTION_END)))
			break;
		if (!(s.flags & GS_SECTION_MAY_SKIP))
			return gs_fail(err, GS_VERSION,
				"section %u at byte %" PRIu64 " is of unknown kind %u: use a newer gpusnap",
				s.sequence, s.offset, s.kind);
		status = skip_section(r, s.packed, err);
	}
	if (!status)
		status = gs_sections_check_place(r, &s, err);
	if (status)
		return status;
	gs_sections_enter(r, &s);
	r->sequence++;
	if (s.kind == GS_SECTION_END)
		return finish(r, err);
	*section = s;
	/* later sections name devices: these rows are needed whether the caller loads them or not */
	return s.kind == GS_SECTION_DEVICE ? gs_sections_load(r, true, err) : GS_OK;
}

gs_status gs_sections_load(gs_sections *r, bool all, gs_error *err)
{
	if (!r->pending && r->section.kind == GS_SECTION_DEVICE)
		return GS_OK; /* already done by next */
	return r->pending ? gs_sections_unpack(r, all, err)
					  : gs_fail(err, GS_STATE, "no section to load");
}
