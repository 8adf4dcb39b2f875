#include "analyzer/picture/report.h"

#include <stdio.h>
#include <time.h>

#include "analyzer/picture/report_overview.h"
#include "analyzer/picture/report_sections.h"
#include "schema/version.h"

static void tell_source(gs_page *p, const gs_snapshot *s)
{
	char text[600], when[40] = "", name[300];
	time_t seconds = (time_t)(s->time_us / 1000000);
	struct tm t;

	if (s->time_us > 0 && gmtime_r(&seconds, &t))
		strftime(when, sizeof when, ", %Y-%m-%d %H:%M:%S UTC", &t);
	gs_report_name_snapshot(s, name, sizeof name);
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
	bool alone = options->n == 1, live = i == first && options->viewer && p->form == GS_PAGE_HTML;
	gs_status status = gs_report_open_scene(options, i, true, &scene, path, err);
	char id[32];

	if (!status) {
		snprintf(id, sizeof id, "snapshot-%zu", i);
		gs_page_heading(p, alone ? 1 : 2, id, scene.headline);
		tell_source(p, scene.snapshot);
		gs_report_answer(p, &scene, alone);
		if (live) {
			options->viewer(&p->m, options->viewer_context);
			status = gs_report_stand_in(p, &scene, alone, err);
		}
	}
	if (!status)
		status = gs_report_sections(p, &scene, alone, live, err);
	if (!status && alone && options->before)
		status = write_before(p, options, &scene, path, err);
	gs_scene_release(&scene);
	return status;
}

static gs_status write_all(
	gs_page *p, const gs_report_options *options, size_t first, const char **path, gs_error *err)
{
	char text[200];
	gs_status status = gs_report_overview(p, options, first, path, err);

	if (!status)
		status = write_one(p, options, first, first, path, err);
	for (size_t i = 0; i < options->n && !status; i++)
		if (i != first && gs_report_tells_at_length(i, first)) {
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

/* What the page reads first is what the picture before it shows. */
static void put_recordings(gs_page *p, const gs_report_options *options, size_t first)
{
	size_t which[GS_REPORT_WHOLE] = {first}, n = 1;

	for (size_t i = 0; i < options->n; i++)
		if (i != first && gs_report_tells_at_length(i, first))
			which[n++] = i;
	options->recordings(&p->m, which, n, options->viewer_context);
}

/* The title of the window; of several, what failed first is said below it. */
static void title_of(const gs_report_options *options, size_t first, char *buf, size_t cap)
{
	char name[300];

	gs_report_name_snapshot(&options->snapshots[first], name, sizeof name);
	if (options->n > 1)
		snprintf(buf, cap, "GPU memory of %zu snapshots; %s failed first", options->n, name);
	else
		snprintf(buf, cap, "GPU memory: %s", name);
}

gs_status gs_report_write(
	const gs_report_options *options, FILE *out, const char **path, gs_error *err)
{
	size_t first = gs_report_first_failed(options->snapshots, options->n);
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
	if (!status && options->viewer && p.form == GS_PAGE_HTML)
		put_recordings(&p, options, first);
	gs_page_close(&p);
	return status;
}
