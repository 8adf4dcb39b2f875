#include "analyzer/picture/report_sections.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/advice/answer.h"
#include "analyzer/export/diff.h"
#include "analyzer/replay/whatif.h"
#include "schema/size.h"

enum { ROWS_MOST = 40, NARROW = 420 };

typedef struct sections {
	gs_page *p;
	const gs_scene *scene;
	int level; /* of headings */
} sections;

static void heading(const sections *s, const char *text)
{
	gs_page_heading(s->p, s->level, NULL, text);
}

static void more_rows(const sections *s, size_t n, size_t shown, const char *what)
{
	char text[100];

	if (n <= shown)
		return;
	snprintf(text, sizeof text, "%zu more %s are not shown.", n - shown, what);
	gs_page_remark(s->p, text);
}

/* --- what to do, and why -----------------------------------------------------------------------
 */

static void put_fact(void *context, const char *label, const char *text, const char *remark)
{
	gs_page *p = context;
	char whole[GS_PROSE_MOST + 160];

	if (strstr(remark, "-v")) /* a hint for a terminal */
		remark = "";
	snprintf(whole, sizeof whole, *remark ? "%s  %s" : "%s", text, remark);
	gs_page_cell(p, label);
	gs_page_cell(p, whole);
}

/* What the command says behind its first line. */
static void tell_facts(const sections *s)
{
	static const char *const names[] = {"", ""};
	static const bool numbers[] = {false, false};
	const gs_voice voice = {.width = 100, .utf8 = true};

	gs_page_table(s->p, 2, names, numbers);
	gs_diagnosis_rows(&s->scene->diagnosis, &voice, put_fact, s->p);
	gs_page_end_table(s->p);
}

static void tell_advice(const sections *s)
{
	const gs_diagnosis *d = &s->scene->diagnosis;
	char why[600];

	if (!d->nadvice)
		return;
	heading(s, "What to try");
	gs_page_list(s->p);
	for (size_t i = 0; i < d->nadvice; i++) {
		const gs_advice *a = &d->advice[i];
		snprintf(
			why, sizeof why, *a->because ? "%s: %s" : "%s", gs_known_word(a->known), a->because);
		gs_page_item(s->p, a->act, why);
	}
	gs_page_end_list(s->p);
}

static void tell_ladder(const sections *s)
{
	static const char *const names[] = {"it would have fit", "there was", "needed", ""};
	static const bool numbers[] = {false, true, true, false};
	const gs_diagnosis *d = &s->scene->diagnosis;

	if (!d->nladder)
		return;
	heading(s, "How the verdict was found");
	gs_page_table(s->p, 4, names, numbers);
	for (int i = 0; i < d->nladder; i++) {
		const gs_rung *r = &d->ladder[i];
		gs_page_cell(s->p, gs_step_question(r->step));
		if (r->available >= 0)
			gs_page_size(s->p, (uint64_t)r->available);
		else
			gs_page_cell(s->p, "unknown");
		if (r->needed >= 0)
			gs_page_size(s->p, (uint64_t)r->needed);
		else
			gs_page_cell(s->p, "unknown");
		gs_page_cell(s->p, r->fits > 0 ? "yes" : r->fits < 0 ? "not known" : "no");
	}
	gs_page_end_table(s->p);
}

/* --- the device --------------------------------------------------------------------------------
 */

static void tell_device(
	const sections *s, const gs_moment *m, int64_t capacity, int64_t device_free)
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

static void tell_devices(const sections *s)
{
	const gs_diagnosis *d = &s->scene->diagnosis;

	if (!s->scene->moments.n)
		return;
	heading(s, s->scene->moments.n > 1 ? "The devices" : "The device");
	for (size_t i = 0; i < s->scene->moments.n; i++) {
		const gs_moment *m = &s->scene->moments.at[i];
		bool diagnosed = m->device == d->device;
		tell_device(s, m, diagnosed ? d->capacity : m->device->capacity,
			diagnosed                      ? d->device_free
				: m->layout.idx == GS_NONE ? m->device->device_free
										   : GS_NONE);
	}
}

/* --- pictures ----------------------------------------------------------------------------------
 */

static gs_status put_maps(
	gs_page *p, const gs_scene *scene, const gs_scene *before, const char *name, gs_error *err)
{
	gs_map *wide = NULL, *narrow = NULL;
	gs_status status = gs_scene_map(scene, before, GS_COLOR_HOLDER, 0, &wide, err);

	if (!status && p->form == GS_PAGE_HTML)
		status = gs_scene_map(scene, before, GS_COLOR_HOLDER, NARROW, &narrow, err);
	if (!status) {
		gs_picture a = gs_map_picture(wide), b = {0};
		if (narrow)
			b = gs_map_picture(narrow);
		status = gs_page_picture(p, name, &a, narrow ? &b : NULL, err);
	}
	gs_map_free(wide);
	gs_map_free(narrow);
	return status;
}

static bool any_segments(const gs_scene *scene)
{
	for (size_t i = 0; i < scene->moments.n; i++)
		if (scene->moments.at[i].layout.nsegments)
			return true;
	return false;
}

static bool any_events(const gs_scene *scene)
{
	for (size_t i = 0; i < scene->moments.n; i++)
		if (scene->moments.at[i].device->trace.n)
			return true;
	return false;
}

static gs_status put_plots(
	gs_page *p, const gs_scene *scene, gs_color by, const char *name, gs_error *err)
{
	gs_plot *wide = NULL, *narrow = NULL;
	gs_status status = gs_scene_plot(scene, by, GS_PLOT_AUTO, 0, &wide, err);

	if (!status && p->form == GS_PAGE_HTML)
		status = gs_scene_plot(scene, by, GS_PLOT_AUTO, NARROW, &narrow, err);
	if (!status) {
		gs_picture a = gs_plot_picture(wide), b = {0};
		if (narrow)
			b = gs_plot_picture(narrow);
		status = gs_page_picture(p, name, &a, narrow ? &b : NULL, err);
	}
	gs_plot_free(wide);
	gs_plot_free(narrow);
	return status;
}

static gs_status put_pictures(const sections *s, gs_error *err)
{
	gs_status status;

	heading(s, "The heap");
	if (!s->scene->moments.n) {
		gs_page_remark(s->p, "The input tells nothing of segments and blocks.");
		return GS_OK;
	}
	status = GS_OK;
	if (any_segments(s->scene))
		status = put_maps(s->p, s->scene, NULL, "map", err);
	else
		gs_page_remark(s->p, "In this state the allocator holds no segment.");
	heading(s, "Memory over time");
	if (!status && !any_events(s->scene))
		gs_page_remark(s->p, "No events were recorded: only this one state is known.");
	else if (!status)
		status = put_plots(s->p, s->scene, GS_COLOR_HOLDER, "plot", err);
	return status;
}

/* --- tables ------------------------------------------------------------------------------------
 */

static void share_cell(gs_page *p, uint64_t part, uint64_t all)
{
	char text[32];
	double percent = all ? 100.0 * (double)part / (double)all : 0;

	snprintf(text, sizeof text, part && percent < 0.05 ? "under 0.1 %%" : "%.1f %%", percent);
	gs_page_cell(p, text);
}

static uint64_t in_use(const gs_layout *l)
{
	gs_totals t;

	gs_layout_totals(l, &t);
	return t.allocated + t.pending;
}

/* How many rows are told one by one: from the first below a thousandth on, two or more are one row.
 */
static size_t holders_told(const gs_holder_row *rows, size_t n, uint64_t all)
{
	size_t k = 0;

	while (k < n && k < ROWS_MOST && rows[k].bytes >= all / 1000)
		k++;
	return n - k < 2 ? n : k;
}

static void smaller_cell(gs_page *p, size_t n, const char *what)
{
	char text[60];

	snprintf(text, sizeof text, "%zu smaller %s", n, what);
	gs_page_cell(p, text);
}

static void share_cells(gs_page *p, uint64_t bytes, uint64_t all, uint64_t blocks)
{
	gs_page_size(p, bytes);
	share_cell(p, bytes, all);
	gs_page_number(p, blocks);
}

static gs_status tell_holders(const sections *s, size_t i, gs_error *err)
{
	static const char *const names[] = {"where", "called by", "for", "bytes", "share", "blocks"};
	static const bool numbers[] = {false, false, false, true, true, true};
	const gs_layout *l = &s->scene->moments.at[i].layout;
	uint64_t all = in_use(l);
	gs_holder_row *rows = NULL;
	size_t n = 0;

	if (gs_meaning_holders(s->scene->meanings[i], l, &rows, &n))
		return gs_fail(err, GS_NO_MEMORY, "listing holders");
	gs_page_table(s->p, 6, names, numbers);
	size_t told = holders_told(rows, n, all);
	for (size_t k = 0; k < told; k++) {
		gs_page_cell(s->p, rows[k].where);
		gs_page_cell(s->p, rows[k].called_by);
		gs_page_cell(s->p, gs_category_word(NULL, rows[k].category));
		share_cells(s->p, rows[k].bytes, all, rows[k].blocks);
	}
	if (told < n) {
		uint64_t bytes = 0, blocks = 0;
		for (size_t k = told; k < n; k++) {
			bytes += rows[k].bytes;
			blocks += rows[k].blocks;
		}
		smaller_cell(s->p, n - told, "holders");
		gs_page_cell(s->p, "");
		gs_page_cell(s->p, "");
		share_cells(s->p, bytes, all, blocks);
	}
	gs_page_end_table(s->p);
	free(rows);
	return GS_OK;
}

static gs_status tell_categories(const sections *s, size_t i, gs_error *err)
{
	static const char *const names[] = {"category", "bytes", "share", "blocks"};
	static const bool numbers[] = {false, true, true, true};
	const gs_layout *l = &s->scene->moments.at[i].layout;
	gs_category_sum *rows = NULL;
	uint64_t all = in_use(l);
	size_t n = 0;

	if (gs_meaning_categories(s->scene->meanings[i], l, &rows, &n))
		return gs_fail(err, GS_NO_MEMORY, "listing categories");
	gs_page_table(s->p, 4, names, numbers);
	for (size_t k = 0; k < n; k++) {
		gs_page_cell(s->p, gs_category_word(NULL, rows[k].category));
		gs_page_size(s->p, rows[k].bytes);
		share_cell(s->p, rows[k].bytes, all);
		gs_page_number(s->p, rows[k].blocks);
	}
	gs_page_end_table(s->p);
	free(rows);
	return GS_OK;
}

static void signed_size(gs_page *p, int64_t bytes)
{
	char text[40] = "-";

	gs_size_format(
		text + (bytes < 0), sizeof text - 1, bytes < 0 ? -(uint64_t)bytes : (uint64_t)bytes);
	gs_page_cell(p, text);
}

/* The last of them: those before the failure. */
static void tell_steps(const sections *s, size_t i)
{
	static const char *const names[] = {
		"step", "begins with", "peak allocated", "peak reserved", "ends with", "growth", "retries"};
	static const bool numbers[] = {false, true, true, true, true, true, true};
	const gs_meaning *m = s->scene->meanings[i];
	size_t from = m->nsteps > ROWS_MOST ? m->nsteps - ROWS_MOST : 0;

	if (!m->nsteps)
		return;
	heading(s, "Steps");
	gs_page_table(s->p, 7, names, numbers);
	for (size_t k = from; k < m->nsteps; k++) {
		const gs_phase_step *step = &m->steps[k];
		gs_page_cell(s->p, step->name);
		gs_page_size(s->p, step->start_allocated);
		gs_page_size(s->p, step->peak_allocated);
		gs_page_size(s->p, step->peak_reserved);
		gs_page_size(s->p, step->end_allocated);
		signed_size(s->p, step->growth);
		gs_page_number(s->p, step->retries);
	}
	gs_page_end_table(s->p);
	more_rows(s, m->nsteps, m->nsteps - from, "earlier steps");
}

static void device_remark(const sections *s, size_t i)
{
	char text[40];

	if (s->scene->moments.n < 2)
		return;
	snprintf(text, sizeof text, "Device %d", s->scene->moments.at[i].device->device);
	gs_page_paragraph(s->p, text);
}

static gs_status tell_tables(const sections *s, gs_error *err)
{
	size_t n = s->scene->moments.n;
	gs_status status = GS_OK;

	if (!n)
		return GS_OK;
	heading(s, "Who holds what is in use");
	for (size_t i = 0; i < n && !status; i++) {
		device_remark(s, i);
		status = tell_holders(s, i, err);
	}
	if (!status)
		heading(s, "What it is for");
	for (size_t i = 0; i < n && !status; i++) {
		device_remark(s, i);
		status = tell_categories(s, i, err);
	}
	for (size_t i = 0; i < n && !status; i++)
		tell_steps(s, i);
	return status;
}

/* --- what if -----------------------------------------------------------------------------------
 */

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
static gs_status tell_whatif(const sections *s, gs_error *err)
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
	options.threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
	status = gs_whatif_open(&w, s->scene->snapshot, &options, &unable);
	if (!status)
		status = gs_whatif_search(&w, &unable);
	if (!status) {
		heading(s, "What other settings would have done");
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

/* --- settings, environment ---------------------------------------------------------------------
 */

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

static void tell_environment(const sections *s)
{
	static const char *const settings[] = {"setting", "value"}, *const facts[] = {"fact", "value"};
	static const bool numbers[] = {false, false};
	const gs_snapshot *snapshot = s->scene->snapshot;

	heading(s, "Settings of the allocator");
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
	heading(s, "Environment");
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

void gs_report_answer(gs_page *p, const gs_scene *scene, bool alone)
{
	sections s = {p, scene, alone ? 2 : 3};

	tell_facts(&s);
	tell_advice(&s);
}

gs_status gs_report_sections(gs_page *p, const gs_scene *scene, bool alone, gs_error *err)
{
	sections s = {p, scene, alone ? 2 : 3};
	gs_status status;

	tell_devices(&s);
	status = put_pictures(&s, err);
	if (!status)
		status = tell_tables(&s, err);
	if (!status)
		status = tell_whatif(&s, err);
	if (!status) {
		tell_ladder(&s);
		tell_environment(&s);
	}
	return status;
}

/* --- before and after --------------------------------------------------------------------------
 */

static gs_status compare(const gs_scene *a, const gs_scene *b, gs_diff *d, gs_error *err)
{
	gs_status status = GS_OK;

	for (size_t i = 0; i < b->moments.n && !status; i++) {
		gs_diff_side from = {0}, to = {b->snapshot, &b->moments.at[i], b->meanings[i]};
		for (size_t k = 0; k < a->moments.n; k++)
			if (a->moments.at[k].device->device == b->moments.at[i].device->device)
				from = (gs_diff_side){a->snapshot, &a->moments.at[k], a->meanings[k]};
		status = gs_diff_add(d, &from, &to, err);
	}
	return status;
}

static void change_rows(gs_page *p, const gs_diff *d)
{
	static const char *const names[] = {"where", "called by", "for", "before", "after", "change"};
	static const bool numbers[] = {false, false, false, true, true, true};

	gs_page_table(p, 6, names, numbers);
	for (size_t i = 0; i < d->n && i < ROWS_MOST; i++) {
		const gs_diff_row *r = &d->rows[i];
		gs_page_cell(p, r->where);
		gs_page_cell(p, r->called_by);
		gs_page_cell(p, gs_category_word(NULL, r->category));
		gs_page_size(p, r->bytes_a);
		gs_page_size(p, r->bytes_b);
		signed_size(p, gs_diff_change(r));
	}
	gs_page_end_table(p);
}

gs_status gs_report_changes(gs_page *p, const gs_scene *before, const gs_scene *now, gs_error *err)
{
	gs_diff d = GS_DIFF_INIT;
	gs_status status = compare(before, now, &d, err);
	char *summary = status ? NULL : gs_diff_summary(&d);

	gs_page_heading(p, 2, "changes", "Before and after");
	if (!status && !summary)
		status = gs_fail(err, GS_NO_MEMORY, "a summary");
	if (!status) {
		summary[0] = (char)(summary[0] >= 'a' && summary[0] <= 'z' ? summary[0] - 32 : summary[0]);
		gs_page_paragraph(p, summary);
		if (d.n)
			change_rows(p, &d);
		if (any_segments(now))
			status = put_maps(p, now, before, "changes", err);
	}
	free(summary);
	gs_diff_release(&d);
	return status;
}
