/* Tables of a report: holders, categories, steps. */
#include "analyzer/picture/report_internal.h"

#include <stdlib.h>

#include "schema/size.h"

/* How many rows are left out, where some are. */
static void tell_left_rows(const gs_sections *s, size_t n, size_t shown, const char *what)
{
	char text[100];

	if (n <= shown)
		return;
	snprintf(text, sizeof text, "%zu more %s are not shown.", n - shown, what);
	gs_page_remark(s->p, text);
}

static void share_cell(gs_page *p, uint64_t part, uint64_t all)
{
	char text[32];
	double percent = all ? 100.0 * (double)part / (double)all : 0;

	snprintf(text, sizeof text, part && percent < 0.05 ? "under 0.1 %%" : "%.1f %%", percent);
	gs_page_cell(p, text);
}

static uint64_t gs_layout_in_use(const gs_layout *l)
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

static gs_status tell_holders(const gs_sections *s, size_t i, gs_error *err)
{
	static const char *const names[] = {"where", "called by", "for", "bytes", "share", "blocks"};
	static const bool numbers[] = {false, false, false, true, true, true};
	const gs_layout *l = &s->scene->moments.at[i].layout;
	uint64_t all = gs_layout_in_use(l);
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

static gs_status tell_categories(const gs_sections *s, size_t i, gs_error *err)
{
	static const char *const names[] = {"category", "bytes", "share", "blocks"};
	static const bool numbers[] = {false, true, true, true};
	const gs_layout *l = &s->scene->moments.at[i].layout;
	gs_category_sum *rows = NULL;
	uint64_t all = gs_layout_in_use(l);
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

void gs_page_change(gs_page *p, int64_t bytes)
{
	char text[40] = "-";

	gs_size_format(
		text + (bytes < 0), sizeof text - 1, bytes < 0 ? -(uint64_t)bytes : (uint64_t)bytes);
	gs_page_cell(p, text);
}

/* The last of them: those before the failure. */
static void tell_steps(const gs_sections *s, size_t i)
{
	static const char *const names[] = {
		"step", "begins with", "peak allocated", "peak reserved", "ends with", "growth", "retries"};
	static const bool numbers[] = {false, true, true, true, true, true, true};
	const gs_meaning *m = s->scene->meanings[i];
	size_t from = m->nsteps > ROWS_MOST ? m->nsteps - ROWS_MOST : 0;

	if (!m->nsteps)
		return;
	gs_section_heading(s, "Steps");
	gs_page_table(s->p, 7, names, numbers);
	for (size_t k = from; k < m->nsteps; k++) {
		const gs_phase_step *step = &m->steps[k];
		gs_page_cell(s->p, step->name);
		gs_page_size(s->p, step->start_allocated);
		gs_page_size(s->p, step->peak_allocated);
		gs_page_size(s->p, step->peak_reserved);
		gs_page_size(s->p, step->end_allocated);
		gs_page_change(s->p, step->growth);
		gs_page_number(s->p, step->retries);
	}
	gs_page_end_table(s->p);
	tell_left_rows(s, m->nsteps, m->nsteps - from, "earlier steps");
}

static void device_remark(const gs_sections *s, size_t i)
{
	char text[40];

	if (s->scene->moments.n < 2)
		return;
	snprintf(text, sizeof text, "Device %d", s->scene->moments.at[i].device->device);
	gs_page_paragraph(s->p, text);
}

gs_status gs_section_tables(const gs_sections *s, gs_error *err)
{
	size_t n = s->scene->moments.n;
	gs_status status = GS_OK;

	if (!n)
		return GS_OK;
	gs_section_heading(s, "Who holds what is in use");
	for (size_t i = 0; i < n && !status; i++) {
		device_remark(s, i);
		status = tell_holders(s, i, err);
	}
	if (!status)
		gs_section_heading(s, "What it is for");
	for (size_t i = 0; i < n && !status; i++) {
		device_remark(s, i);
		status = tell_categories(s, i, err);
	}
	for (size_t i = 0; i < n && !status; i++)
		tell_steps(s, i);
	return status;
}
