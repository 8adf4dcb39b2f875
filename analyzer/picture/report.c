#include "analyzer/picture/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/diagnose/standing.h"
#include "analyzer/model/parallel.h"
#include "analyzer/picture/report_sections.h"
#include "schema/version.h"

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash && slash[1] ? slash + 1 : path ? path : "a snapshot";
}

static void name_snapshot(const gs_snapshot *s, char *buf, size_t cap)
{
	if (s->rank != GS_NONE)
		snprintf(buf, cap, "rank %" PRId64 " (%.200s)", s->rank, base_name(s->path));
	else
		snprintf(buf, cap, "%.200s", base_name(s->path));
}

/* --- several snapshots -------------------------------------------------------------------------
 */

/* Time of a snapshot's first failure; INT64_MAX where it has none or no time. */
static int64_t failed_at(const gs_snapshot *s)
{
	int64_t at = INT64_MAX;

	for (size_t i = 0; i < s->nooms; i++)
		if (s->ooms[i].time_us != GS_NONE && s->ooms[i].time_us < at)
			at = s->ooms[i].time_us;
	return at;
}

/* The one that failed first: by time, else the first with a failure, else the first. */
static size_t first_failed(const gs_snapshot *all, size_t n)
{
	size_t best = 0;

	for (size_t i = 1; i < n; i++) {
		int64_t a = failed_at(&all[best]), b = failed_at(&all[i]);
		if (b < a || (!all[best].nooms && all[i].nooms))
			best = i;
	}
	return best;
}

/* Which snapshots have a section of their own: the one told first, and the first of the others. */
static bool told_at_length(size_t i, size_t first)
{
	return i == first || (i < first ? i + 1 : i) < GS_REPORT_WHOLE;
}

static void overview_name(gs_page *p, const gs_snapshot *s, size_t i, size_t first)
{
	char name[300], id[32];

	name_snapshot(s, name, sizeof name);
	snprintf(id, sizeof id, "snapshot-%zu", i);
	if (told_at_length(i, first))
		gs_page_cell_link(p, id, name);
	else
		gs_page_cell(p, name);
	gs_page_cell(p, i == first && s->nooms ? "first" : "");
}

enum { OVERVIEW_COLUMNS = 10 };

/* What the table of all says of one. */
typedef struct overview {
	gs_status status; /* GS_NOT_FOUND: it has nothing to show in that state, its name stays */
	gs_error why;
	const char *verdict;
	int64_t requested;
	uint64_t in_use, free, reserved;
	char where[GS_PLACE_TEXT]; /* who asked */
	gs_standing standing;
	uint8_t unlike;
} overview;

static void fill_row(overview *x, const gs_scene *scene)
{
	const gs_diagnosis *d = &scene->diagnosis;
	char called_by[GS_PLACE_TEXT];

	x->verdict = gs_step_word(d->verdict);
	x->requested = d->requested;
	x->in_use = d->totals.allocated + d->totals.pending;
	x->free = d->totals.free;
	x->reserved = d->totals.reserved;
	if (d->oom != SIZE_MAX)
		gs_oom_place(scene->snapshot, &scene->snapshot->ooms[d->oom], x->where, called_by);
	x->standing.verdict = x->verdict;
	if (d->has_layout)
		gs_standing_of(scene->snapshot, &d->layout, &x->standing);
}

static void print_row(gs_page *p, const overview *x, const gs_snapshot *s)
{
	gs_page_cell(p, x->verdict ? x->verdict : "no failure");
	if (x->requested > 0)
		gs_page_size(p, (uint64_t)x->requested);
	else
		gs_page_cell(p, "");
	gs_page_cell(p, x->where);
	gs_page_size(p, x->in_use);
	gs_page_size(p, x->free);
	gs_page_size(p, x->reserved);
	gs_page_number(p, s->nooms);
}

/* In what it is unlike the others, with its own value where the table does not show it. */
static void print_unlike(gs_page *p, const overview *x)
{
	char text[GS_PLACE_TEXT + 120] = "";
	size_t n = 0, cap = sizeof text;

	if (x->unlike & GS_UNLIKE_VERDICT)
		n += (size_t)snprintf(text + n, cap - n, "verdict");
	if (x->unlike & GS_UNLIKE_RESERVED)
		n += (size_t)snprintf(text + n, cap - n, "%sreserved", n ? ", " : "");
	if (x->unlike & GS_UNLIKE_BLOCKS)
		n += (size_t)snprintf(
			text + n, cap - n, "%s%" PRId64 " blocks", n ? ", " : "", x->standing.blocks);
	if (x->unlike & GS_UNLIKE_HOLDER)
		snprintf(text + n, cap - n, "%sheld by %s", n ? ", " : "", x->standing.holder);
	gs_page_cell(p, text);
}

enum { MOST_VALUES = 16 };

static const char *value_of(const gs_snapshot *s, const char *name)
{
	const char *value = gs_snapshot_setting(s, name);
	return value ? value : "";
}

static void tell_value(gs_page *p, const char *name, const char *whose, const char *value)
{
	gs_page_cell(p, name);
	gs_page_cell(p, whose);
	gs_page_cell(p, value);
}

/* How many have the value of the i-th. */
static size_t count_value(const gs_snapshot *all, size_t n, const char *name, size_t i)
{
	size_t count = 0;

	for (size_t k = 0; k < n; k++)
		count += !strcmp(value_of(&all[k], name), value_of(&all[i], name));
	return count;
}

/* A setting that not all have alike: of a few each one's value, of many the values that are not
 * the usual one (which the first or the second of three has, most likely). */
static bool tell_setting(gs_page *p, const gs_snapshot *all, size_t n, const char *name)
{
	size_t usual = 0, told = 0, same = count_value(all, n, name, 0);
	char whose[300];

	for (size_t i = 1; i < n && i < 3 && 2 * same <= n; i++)
		if (count_value(all, n, name, i) > same)
			same = count_value(all, n, name, usual = i);
	for (size_t i = 0; i < n && same < n && told < MOST_VALUES; i++) {
		if (n > MOST_VALUES && !strcmp(value_of(&all[i], name), value_of(&all[usual], name)))
			continue;
		name_snapshot(&all[i], whose, sizeof whose);
		tell_value(p, name, whose, value_of(&all[i], name));
		told++;
	}
	if (same < n && n > MOST_VALUES) {
		snprintf(whose, sizeof whose, "%zu others", same);
		tell_value(p, name, whose, value_of(&all[usual], name));
	}
	return same < n;
}

/* Whether an earlier setting of the snapshots before has that name. */
static bool told_before(const gs_snapshot *all, size_t snapshot, const char *name)
{
	for (size_t i = 0; i < snapshot; i++)
		if (gs_snapshot_setting(&all[i], name))
			return true;
	return false;
}

static void tell_differences(gs_page *p, const gs_snapshot *all, size_t n)
{
	static const char *const names[] = {"setting", "snapshot", "value"};
	static const bool numbers[] = {false, false, false};
	bool any = false;

	gs_page_heading(p, 3, NULL, "What differs");
	gs_page_table(p, 3, names, numbers);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < all[i].nsettings; k++) {
			const char *name = gs_string_text(&all[i], all[i].settings[k].name);
			if (!told_before(all, i, name))
				any |= tell_setting(p, all, n, name);
		}
	if (!any) {
		gs_page_cell(p, "no setting differs");
		gs_page_cell(p, "");
		gs_page_cell(p, "");
	}
	gs_page_end_table(p);
}

static gs_status open_scene(const gs_report_options *options, size_t i, bool whole, gs_scene *scene,
	const char **path, gs_error *err)
{
	gs_scene_options wanted = {.device = options->device,
		.state = options->state,
		.meaning = whole,
		.advice = whole,
		.heapless = true,
		.bare = options->form == GS_PAGE_HTML};

	if (path)
		*path = options->snapshots[i].path;
	return gs_scene_open(scene, &options->snapshots[i], &wanted, err);
}

typedef struct overviews {
	const gs_report_options *options;
	overview *all;
} overviews;

static void look_at(void *context, size_t i)
{
	const overviews *r = context;
	overview *x = &r->all[i];
	gs_scene scene;

	x->standing = (gs_standing)GS_STANDING_INIT;
	x->status = open_scene(r->options, i, false, &scene, NULL, &x->why);
	if (!x->status)
		fill_row(x, &scene);
	gs_scene_release(&scene);
}

static gs_status compare_rows(overview *all, size_t n, gs_error *err)
{
	gs_standing *standings = calloc(n + 1, sizeof *standings);
	uint8_t *unlike = calloc(n + 1, 1);
	gs_usual usual;
	gs_status status = standings && unlike ? GS_OK : gs_no_memory(err);

	for (size_t i = 0; i < n && !status; i++)
		standings[i] = all[i].standing;
	if (!status)
		status = gs_standings_compare(standings, n, &usual, unlike, err);
	for (size_t i = 0; i < n && !status; i++)
		all[i].unlike = unlike[i];
	free(standings);
	free(unlike);
	return status;
}

/* All snapshots, a thread a core. */
static gs_status look_at_all(
	const gs_report_options *options, overview **all, const char **path, gs_error *err)
{
	overviews r = {options, calloc(options->n, sizeof *r.all)};

	*all = r.all;
	if (!r.all)
		return gs_no_memory(err);
	gs_parallel(options->n, look_at, &r);
	for (size_t i = 0; i < options->n; i++)
		if (r.all[i].status && r.all[i].status != GS_NOT_FOUND) {
			*path = options->snapshots[i].path;
			return gs_fail(err, r.all[i].status, "%s", r.all[i].why.text);
		}
	return compare_rows(r.all, options->n, err);
}

enum { MOST_ROWS = 128 };

/* Of very many the first to fail, those with a section and those unlike the others; then as many of
 * the rest as there is room for. */
static void write_rows(
	gs_page *p, const gs_report_options *options, const overview *all, size_t first)
{
	size_t room = MOST_ROWS, left = 0;
	char text[120];

	for (size_t i = 0; i < options->n; i++)
		if (room && (told_at_length(i, first) || all[i].unlike))
			room--;
	for (size_t i = 0; i < options->n; i++) {
		bool kept = told_at_length(i, first) || all[i].unlike;
		if (!kept && !room) {
			left++;
			continue;
		}
		room -= !kept;
		overview_name(p, &options->snapshots[i], i, first);
		if (all[i].status == GS_NOT_FOUND)
			for (int k = 2; k < OVERVIEW_COLUMNS - 1; k++)
				gs_page_cell(p, "");
		else
			print_row(p, &all[i], &options->snapshots[i]);
		print_unlike(p, &all[i]);
	}
	gs_page_end_table(p);
	if (left) {
		snprintf(text, sizeof text, "%zu more are like these: gpusnap list names them all.", left);
		gs_page_remark(p, text);
	}
}

/* The headline is that of the snapshot which failed first. */
static gs_status write_overview(
	gs_page *p, const gs_report_options *options, size_t first, const char **path, gs_error *err)
{
	static const char *const names[OVERVIEW_COLUMNS] = {"snapshot", "failed", "verdict", "request",
		"asked for by", "in use", "cached, free", "reserved", "failures", "unlike the others"};
	static const bool numbers[OVERVIEW_COLUMNS] = {
		false, false, false, true, false, true, true, true, true, false};
	char text[200];
	overview *all;
	gs_status status = look_at_all(options, &all, path, err);

	if (!status) {
		snprintf(text, sizeof text, "All %zu snapshots", options->n);
		gs_page_heading(p, 2, "all", text);
		gs_page_table(p, OVERVIEW_COLUMNS, names, numbers);
		write_rows(p, options, all, first);
		tell_differences(p, options->snapshots, options->n);
	}
	free(all);
	return status;
}

/* --- one snapshot ------------------------------------------------------------------------------
 */

static void tell_source(gs_page *p, const gs_snapshot *s)
{
	char text[600], when[40] = "", name[300];
	time_t seconds = (time_t)(s->time_us / 1000000);
	struct tm t;

	if (s->time_us > 0 && gmtime_r(&seconds, &t))
		strftime(when, sizeof when, ", %Y-%m-%d %H:%M:%S UTC", &t);
	name_snapshot(s, name, sizeof name);
	snprintf(text, sizeof text, "gpusnap " GS_RELEASE " report of %s%s%.80s%s%s", name,
		s->tool ? ", recorded by " : "", s->tool ? s->tool : "", when,
		s->complete ? "" : "; the file was cut: this is what is left of it");
	gs_page_remark(p, text);
}

static gs_status write_before(gs_page *p, const gs_report_options *options, const gs_scene *now,
	const char **path, gs_error *err)
{
	gs_scene before;
	gs_scene_options wanted = {
		.device = options->device, .state = options->before_state, .meaning = true};
	gs_status status = gs_scene_open(&before, options->before, &wanted, err);

	if (path)
		*path = options->before->path;
	if (!status)
		status = gs_report_changes(p, &before, now, err);
	gs_scene_release(&before);
	return status;
}

/* The viewer of all of them comes behind the answer about the one that is told first. */
static gs_status write_one(gs_page *p, const gs_report_options *options, size_t i, size_t first,
	const char **path, gs_error *err)
{
	gs_scene scene;
	bool alone = options->n == 1;
	gs_status status = open_scene(options, i, true, &scene, path, err);
	char id[32];

	if (!status) {
		snprintf(id, sizeof id, "snapshot-%zu", i);
		gs_page_heading(p, alone ? 1 : 2, id, scene.headline);
		tell_source(p, scene.snapshot);
		gs_report_answer(p, &scene, alone);
		if (i == first && options->viewer && p->form == GS_PAGE_HTML)
			options->viewer(&p->m, options->viewer_context);
		status = gs_report_sections(p, &scene, alone, err);
	}
	if (!status && alone && options->before)
		status = write_before(p, options, &scene, path, err);
	gs_scene_release(&scene);
	return status;
}

static gs_status write_all(
	gs_page *p, const gs_report_options *options, size_t first, const char **path, gs_error *err)
{
	char text[200];
	gs_status status = write_overview(p, options, first, path, err);

	if (!status)
		status = write_one(p, options, first, first, path, err);
	for (size_t i = 0; i < options->n && !status; i++)
		if (i != first && told_at_length(i, first)) {
			status = write_one(p, options, i, first, path, err);
			if (status == GS_NOT_FOUND)
				status = GS_OK;
		}
	if (!status && options->n > GS_REPORT_WHOLE) {
		snprintf(text, sizeof text,
			"%zu more snapshots have their row in the first table alone: --rank chooses one.",
			options->n - GS_REPORT_WHOLE);
		gs_page_remark(p, text);
	}
	return status;
}

/* The title of the window; of several, what failed first is said below it. */
static void title_of(const gs_report_options *options, size_t first, char *buf, size_t cap)
{
	char name[300];

	name_snapshot(&options->snapshots[first], name, sizeof name);
	if (options->n > 1)
		snprintf(buf, cap, "GPU memory of %zu snapshots; %s failed first", options->n, name);
	else
		snprintf(buf, cap, "GPU memory: %s", name);
}

gs_status gs_report_write(
	const gs_report_options *options, FILE *out, const char **path, gs_error *err)
{
	size_t first = first_failed(options->snapshots, options->n);
	char title[400];
	gs_page p;
	gs_status status;

	title_of(options, first, title, sizeof title);
	gs_page_open(&p, out, options->form, title, options->viewer ? options->viewer_script : NULL);
	p.beside = options->beside;
	p.context = options->context;
	if (options->n > 1) {
		gs_page_heading(&p, 1, NULL, title);
		status = write_all(&p, options, first, path, err);
	} else {
		status = write_one(&p, options, 0, 0, path, err);
	}
	gs_page_close(&p);
	return status;
}
