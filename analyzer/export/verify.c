/* Verifying: a pass over the sections with what only a whole file can be asked, then reading it as
 * everyone does. */
#include "analyzer/export/verify.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/open/input.h"
#include "analyzer/read/gsnap/gsnap_internal.h"

/* Events are last, so what refers to them is remembered until their number is known. */
typedef struct gs_event_claim {
	int32_t device;
	int64_t idx;     /* the largest */
	uint64_t offset; /* of the section */
	const char *what;
} event_claim;

typedef struct verifying {
	gs_sections *sections;
	gs_section section;
	event_claim claims[3 * GS_GSNAP_DEVICES_MAX + 1];
	size_t nclaims;
	int32_t devices[GS_GSNAP_DEVICES_MAX];
	uint64_t events[GS_GSNAP_DEVICES_MAX];
	size_t ndevices;
	gs_verified *v;
} verifying;

static gs_status claim(verifying *x, int32_t device, int64_t idx, const char *what, gs_error *err)
{
	event_claim *c = x->claims, *end = x->claims + x->nclaims;
	if (idx == GS_NONE)
		return GS_OK;
	if (idx < -1)
		return gs_fail(err, GS_FORMAT, "section %u (%s) at byte %llu: event number %lld",
			x->section.sequence, what, (unsigned long long)x->section.offset, (long long)idx);
	while (c < end && (c->device != device || c->what != what))
		c++;
	if (c == end && x->nclaims < sizeof x->claims / sizeof *x->claims)
		x->claims[x->nclaims++] = (event_claim){device, idx, x->section.offset, what};
	else if (c < end && idx > c->idx)
		*c = (event_claim){device, idx, x->section.offset, what};
	return GS_OK;
}

static bool is_new(const verifying *x, int32_t device)
{
	for (size_t i = 0; i < x->ndevices; i++)
		if (x->devices[i] == device)
			return false;
	return x->ndevices < sizeof x->devices / sizeof *x->devices;
}

static gs_status check_row(verifying *x, uint32_t i, gs_error *err)
{
	switch (x->section.kind) {
	case GS_SECTION_DEVICE: {
		gs_row_device row;
		gs_sections_row(x->sections, i, &row);
		if (is_new(x, row.device)) /* a stream names one again with each layout */
			x->devices[x->ndevices++] = row.device;
		if (row.complete < -1 || row.complete > 1)
			return gs_fail(err, GS_FORMAT, "section %u (device) at byte %llu: complete is %d",
				x->section.sequence, (unsigned long long)x->section.offset, row.complete);
		return claim(x, row.device, row.idx, "device", err);
	}
	case GS_SECTION_BLOCK: {
		gs_row_block row;
		gs_sections_row(x->sections, i, &row);
		return claim(x, row.device, row.idx, "block", err);
	}
	case GS_SECTION_OOM: {
		gs_row_oom row;
		gs_sections_row(x->sections, i, &row);
		return claim(x, row.device, row.idx, "oom", err);
	}
	case GS_SECTION_EVENT: {
		gs_row_event row;
		gs_sections_row(x->sections, i, &row);
		if (row.nanos > 999)
			return gs_fail(err, GS_FORMAT,
				"section %u (event) at byte %llu: row %u has %llu nanoseconds", x->section.sequence,
				(unsigned long long)x->section.offset, i, (unsigned long long)row.nanos);
	}
	}
	return GS_OK;
}

static void count_events(verifying *x)
{
	for (size_t i = 0; i < x->ndevices; i++)
		if (x->section.kind == GS_SECTION_EVENT && x->devices[i] == x->section.device)
			x->events[i] += x->section.rows;
}

static gs_status check_claims(const verifying *x, gs_error *err)
{
	for (size_t k = 0; k < x->nclaims; k++) {
		const event_claim *c = &x->claims[k];
		uint64_t events = 0;
		for (size_t i = 0; i < x->ndevices; i++)
			events = x->devices[i] == c->device ? x->events[i] : events;
		if (c->idx >= (int64_t)events)
			return gs_fail(err, GS_FORMAT,
				"%s section at byte %llu: event %lld of device %d, which has %llu", c->what,
				(unsigned long long)c->offset, (long long)c->idx, c->device,
				(unsigned long long)events);
	}
	return GS_OK;
}

static gs_status check_sections(verifying *x, gs_error *err)
{
	gs_status status;
	while (!(status = gs_sections_next(x->sections, &x->section, err))) {
		status = gs_sections_load(x->sections, true, err);
		for (uint32_t i = 0; !status && i < x->section.rows; i++)
			status = check_row(x, i, err);
		if (status)
			return status;
		count_events(x);
	}
	x->v->bytes = gs_sections_offset(x->sections);
	x->v->sections = x->section.sequence + 2ull; /* the one after it is the last */
	return status == GS_END ? check_claims(x, err) : status;
}

static gs_status verify_gsnap(gs_source *source, gs_verified *v, gs_error *err)
{
	verifying *x = calloc(1, sizeof *x);
	if (!x)
		return gs_no_memory(err);
	x->v = v;
	gs_status status = gs_sections_open(
		&x->sections, (gs_section_input){gs_gsnap_input, source}, err);
	if (!status)
		status = check_sections(x, err);
	gs_sections_close(x->sections);
	free(x);
	return status;
}

static gs_status read_all(const char *path, void (*note)(void *, const char *, const char *),
	void *context, gs_verified *v, gs_error *err)
{
	gs_snapshot s;
	gs_status status = gs_read_path(path, GS_WANT_HISTORY, &s, err);
	if (status)
		return status;
	if (!s.complete && s.cut_at)
		status = gs_fail(err, GS_TRUNCATED, "cut at byte %llu", (unsigned long long)s.cut_at);
	else if (s.contradictions)
		status = gs_fail(err, GS_FORMAT, "%s",
			s.first_contradiction < s.nwarnings ? s.warnings[s.first_contradiction].text
												: "its layout contradicts itself");
	v->kind = gs_kind_text(s.kind);
	v->blocks = v->events = 0;
	for (size_t i = 0; i < s.ndevices; i++) {
		v->blocks += s.devices[i].captured.nblocks;
		v->events += s.devices[i].trace.n;
	}
	if (note && !status)
		gs_input_tell(&s, note, context);
	gs_snapshot_release(&s);
	return status;
}

gs_status gs_verify_path(const char *path,
	void (*note)(void *context, const char *file, const char *text), void *context, gs_verified *v,
	gs_error *err)
{
	gs_source *source = NULL;
	const unsigned char *head;
	memset(v, 0, sizeof *v);
	gs_status status = gs_source_open(path, &source, err);
	size_t n = status ? 0 : gs_source_peek(source, 16, &head);
	if (n && gs_gsnap_probe(head, n))
		status = verify_gsnap(source, v, err);
	gs_source_close(source);
	return status ? status : read_all(path, note, context, v, err);
}
