/* Before and after: two moments in a report. */
#include "analyzer/picture/report_internal.h"

#include <stdlib.h>

#include "analyzer/export/diff.h"

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
		gs_page_change(p, gs_diff_change(r));
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
		if (gs_scene_has_segments(now))
			status = gs_section_maps(p, now, before, "changes", err);
	}
	free(summary);
	gs_diff_release(&d);
	return status;
}
