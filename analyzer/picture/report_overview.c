/* A report's table of all snapshots. */
#include "analyzer/picture/report_overview.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/diagnose/standing.h"
#include "analyzer/model/parallel.h"

enum { OVERVIEW_COLUMNS = 10, MOST_ROWS = 128 };

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

static void overview_name(gs_page *p, const gs_snapshot *s, size_t i, size_t first)
{
	char name[300], id[32];

	gs_report_name_snapshot(s, name, sizeof name);
	snprintf(id, sizeof id, "snapshot-%zu", i);
	if (gs_report_tells_at_length(i, first))
		gs_page_cell_link(p, id, name);
	else
		gs_page_cell(p, name);
	gs_page_cell(p, i == first && s->nooms ? "first" : "");
}

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
	x->status = gs_report_open_scene(r->options, i, false, &scene, NULL, &x->why);
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

/* Of very many the first to fail, those with a section and those unlike the others; then as many of
 * the rest as there is room for. */
static void write_rows(
	gs_page *p, const gs_report_options *options, const overview *all, size_t first)
{
	size_t room = MOST_ROWS, left = 0;
	char text[120];

	for (size_t i = 0; i < options->n; i++)
		if (room && (gs_report_tells_at_length(i, first) || all[i].unlike))
			room--;
	for (size_t i = 0; i < options->n; i++) {
		bool kept = gs_report_tells_at_length(i, first) || all[i].unlike;
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

gs_status gs_report_overview(
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
		gs_report_differences(p, options->snapshots, options->n);
	}
	free(all);
	return status;
}
