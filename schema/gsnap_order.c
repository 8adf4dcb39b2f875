/* What the sections before it allow a section to be. */
#include "schema/gsnap_read_internal.h"

#include <inttypes.h>

/* The place of a device among those listed, or ndevices. */
static uint32_t place_of(const gs_sections *r, int32_t device)
{
	uint32_t i = 0;
	while (i < r->ndevices && r->devices[i] != device)
		i++;
	return i;
}

bool gs_sections_know_device(const gs_sections *r, int32_t device)
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
	uint64_t *seen = s->kind == GS_SECTION_EVENT && gs_sections_know_device(r, s->device)
		? &r->firsts[place_of(r, s->device)]
		: &r->counts[s->kind];
	if (r->alone || (may_be_missing(s->kind) && s->rows && s->first > *seen))
		*seen = s->first;
}

/* Device and first row number of a section of a known kind. */
static gs_status check_rows(gs_sections *r, const gs_section *s, bool same_kind, gs_error *err)
{
	const gs_section_form *form = &gs_section_forms[s->kind];
	if (!form->by_device || !s->rows) {
		if (s->device != -1)
			return gs_section_fail(s, GS_FORMAT, err, "a device where there is none");
	} else if (!gs_sections_know_device(r, s->device)) {
		return gs_section_fail(s, GS_FORMAT, err, "of a device that the file does not list");
	} else if (!r->stream && same_kind && s->device < r->section.device) {
		return gs_section_fail(s, GS_FORMAT, err, "devices do not ascend");
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

gs_status gs_sections_check_place(gs_sections *r, const gs_section *s, gs_error *err)
{
	const gs_section_form *form = &gs_section_forms[s->kind];
	bool same_kind = r->any && s->kind == r->kind;
	if (!r->stream && (s->kind < r->kind || (same_kind && r->last_of_kind)))
		return gs_section_fail(s, GS_FORMAT, err, "out of order");
	if (form->once && s->rows != 1)
		return gs_section_fail(s, GS_FORMAT, err, "must have one row");
	if (r->sparse)
		catch_up(r, s);
	gs_status status = check_rows(r, s, same_kind, err);
	if (status)
		return status;
	if (s->kind != GS_SECTION_EVENT && r->counts[s->kind] + s->rows > GS_GSNAP_COUNT_MAX)
		return gs_section_fail(s, GS_LIMIT, err, "too many rows");
	for (unsigned k = 1; k < s->kind && !r->stream; k++)
		if (gs_section_forms[k].always && !r->whole[k])
			return gs_fail(err, GS_FORMAT,
				"section %u (%s) at byte %" PRIu64 " before the last of kind %s", s->sequence,
				gs_section_text(s->kind), s->offset, gs_section_text(k));
	return GS_OK;
}

gs_status gs_sections_check_size(gs_sections *r, const gs_section *s, gs_error *err)
{
	if (r->moved)
		r->sequence = s->sequence;
	r->moved = false;
	if (s->sequence != r->sequence)
		return gs_fail(err, GS_FORMAT, "section at byte %" PRIu64 " is number %u, expected %u",
			s->offset, s->sequence, r->sequence);
	if (s->packed > GS_GSNAP_PACKED_MAX || s->raw > GS_GSNAP_RAW_MAX || s->rows > GS_GSNAP_ROWS_MAX)
		return gs_section_fail(s, GS_LIMIT, err, "larger than a section may be");
	if (s->flags & ~(GS_SECTION_LAST | GS_SECTION_MAY_SKIP))
		return gs_section_fail(s, GS_VERSION, err, "unknown flags: use a newer gpusnap");
	return GS_OK;
}

void gs_sections_enter(gs_sections *r, const gs_section *s)
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
