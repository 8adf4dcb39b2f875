/* The sections of a report, in the order of a reader's questions. */
#include "analyzer/picture/report_internal.h"

#include <inttypes.h>
#include <unistd.h>

#include "analyzer/replay/whatif.h"
#include "schema/size.h"

static void tell_device(
	const gs_sections *s, const gs_moment *m, int64_t capacity, int64_t device_free)
{
	gs_totals t;
	const char *name = gs_string_text(s->scene->snapshot, m->device->name);
	uint64_t free_bytes = device_free > 0 ? (uint64_t)device_free : 0, outside = 0;
	char text[300], size[32];

	gs_layout_totals(&m->layout, &t);
	if (capacity > 0 && device_free != GS_NONE && (uint64_t)capacity > t.reserved + free_bytes)
		outside = (uint64_t)capacity - t.reserved - free_bytes;
	snprintf(text, sizeof text, "Device %d%s%.100s%s%s, state %s", m->device->device,
		*name ? ", " : "", name, capacity > 0 ? " of " : "",
		capacity > 0 ? gs_size_format(size, sizeof size, (uint64_t)capacity) : "", m->state.name);
	gs_page_paragraph(s->p, text);
	const gs_page_part parts[] = {{"in use", t.reserved - t.free, "use"},
		{"cached, free", t.free, "cache"}, {"outside the allocator", outside, "outside"},
		{"free on the device", free_bytes, "free"}};
	gs_page_bar(s->p, parts, sizeof parts / sizeof *parts);
	if (!m->layout.exact) {
		snprintf(text, sizeof text, "Not exact: %.160s",
			*m->layout.note ? m->layout.note : "rebuilt with bounds");
		gs_page_remark(s->p, text);
	}
}

static void tell_devices(const gs_sections *s)
{
	const gs_diagnosis *d = &s->scene->diagnosis;

	if (!s->scene->moments.n)
		return;
	gs_section_heading(s, s->scene->moments.n > 1 ? "The devices" : "The device");
	for (size_t i = 0; i < s->scene->moments.n; i++) {
		const gs_moment *m = &s->scene->moments.at[i];
		bool diagnosed = m->device == d->device;
		tell_device(s, m, diagnosed ? d->capacity : m->device->capacity,
			diagnosed                      ? d->device_free
				: m->layout.idx == GS_NONE ? m->device->device_free
										   : GS_NONE);
	}
}

static void whatif_row(gs_page *p, const gs_whatif_row *r)
{
	gs_page_cell(p, *r->conf ? r->conf : "(defaults)");
	gs_page_cell(p, r->result.fits ? "passes" : "fails");
	gs_page_size(p, r->result.peak_reserved);
	gs_page_size(p, r->result.reserved);
	gs_page_number(p, r->result.retries);
	gs_page_cell(p, gs_whatif_change_text(r->change));
	gs_page_cell(p, r->exact ? "" : "not exact");
}

/* A recording that cannot be replayed has no such section. */
static gs_status tell_whatif(const gs_sections *s, gs_error *err)
{
	static const char *const names[] = {
		"settings", "the run", "peak reserved", "reserved", "retries", "than recorded", ""};
	static const bool numbers[] = {false, false, true, true, true, false, false};
	gs_whatif_options options = GS_WHATIF_OPTIONS_INIT;
	gs_whatif w;
	gs_error unable = GS_ERROR_INIT;
	gs_status status;

	if (!s->scene->diagnosis.device || !s->scene->diagnosis.device->trace.n)
		return GS_OK;
	options.device = s->scene->diagnosis.device->device;
	options.most_events = GS_WHATIF_BESIDE_EVENTS;
	status = gs_whatif_open(&w, s->scene->snapshot, &options, &unable);
	if (!status)
		status = gs_whatif_search(&w, &unable);
	if (!status) {
		gs_section_heading(s, "What other settings would have done");
		gs_page_table(s->p, 7, names, numbers);
		for (size_t i = 0; i < w.n; i++)
			whatif_row(s->p, &w.rows[i]);
		gs_page_end_table(s->p);
		for (size_t i = 0; i < w.nnotes; i++)
			gs_page_remark(s->p, w.notes[i].text);
	}
	gs_whatif_release(&w);
	return status == GS_NO_MEMORY ? gs_fail(err, status, "%s", unable.text) : GS_OK;
}

static void pair(gs_page *p, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	gs_page_cell(p, name);
	gs_page_cell(p, value);
}

static void pair_number(gs_page *p, const char *name, int64_t n)
{
	char text[32];

	if (n == GS_NONE)
		return;
	snprintf(text, sizeof text, "%" PRId64, n);
	pair(p, name, text);
}

static void tell_environment(const gs_sections *s)
{
	static const char *const settings[] = {"setting", "value"}, *const facts[] = {"fact", "value"};
	static const bool numbers[] = {false, false};
	const gs_snapshot *snapshot = s->scene->snapshot;

	gs_section_heading(s, "Settings of the allocator");
	if (!snapshot->nsettings)
		gs_page_remark(s->p, "None were recorded.");
	else {
		gs_page_table(s->p, 2, settings, numbers);
		for (size_t i = 0; i < snapshot->nsettings; i++) {
			gs_page_cell(s->p, gs_string_text(snapshot, snapshot->settings[i].name));
			gs_page_cell(s->p, gs_string_text(snapshot, snapshot->settings[i].value));
		}
		gs_page_end_table(s->p);
	}
	gs_section_heading(s, "Environment");
	gs_page_table(s->p, 2, facts, numbers);
	pair(s->p, "file", snapshot->path ? snapshot->path : "standard input");
	pair(s->p, "sha256", snapshot->sha256);
	pair(s->p, "written by", snapshot->tool);
	pair(s->p, "allocator of", snapshot->library);
	pair(s->p, "rules of release", snapshot->rules);
	pair(s->p, "driver", snapshot->driver);
	pair(s->p, "host", snapshot->host);
	pair_number(s->p, "process", snapshot->pid);
	pair_number(s->p, "rank", snapshot->rank);
	pair(s->p, "command line", snapshot->argv);
	gs_page_end_table(s->p);
}

gs_status gs_report_sections(
	gs_page *p, const gs_scene *scene, bool alone, bool plotted, gs_error *err)
{
	gs_sections s = {p, scene, alone ? 2 : 3};
	gs_status status;

	tell_devices(&s);
	status = gs_section_heap(&s, err);
	if (!status && scene->moments.n && !plotted) {
		gs_section_heading(&s, "Memory over time");
		status = gs_section_over_time(&s, err);
	}
	if (!status)
		status = gs_section_tables(&s, err);
	if (!status)
		status = tell_whatif(&s, err);
	if (!status) {
		gs_section_ladder(&s);
		tell_environment(&s);
	}
	return status;
}
