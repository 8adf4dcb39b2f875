/* gpusnap report: one file to attach to a bug report. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/picture/report.h"
#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/message.h"
#include "tools/options.h"
#include "tools/page_file.h"
#include "tools/result.h"

typedef struct report_options {
	gs_common common;
	const char *before; /* a state, or a file */
	gs_page_form form;
	gs_page_file page; /* of the interactive part; text NULL: none */
	struct {
		const char *name;
		int n;
	} beside[8]; /* pictures written there, by name */
} report_options;

/* How often a picture of that name was put beside, this time included. */
static int count_name(report_options *o, const char *name)
{
	size_t i = 0;

	while (i + 1 < sizeof o->beside / sizeof *o->beside && o->beside[i].name &&
		strcmp(o->beside[i].name, name))
		i++;
	o->beside[i].name = name;
	return ++o->beside[i].n;
}

/* Markdown's pictures lie beside it: report.md, report-map.png. */
static gs_status put_beside(
	void *context, const char *name, const gs_picture *picture, char **path, gs_error *err)
{
	report_options *o = context;
	const char *output = o->common.output, *slash = strrchr(output, '/'),
			   *base = slash ? slash + 1 : output, *dot = strrchr(base, '.');
	int stem = (int)(dot && dot != base ? dot - base : (long)strlen(base)),
		count = count_name(o, name);
	char *file = NULL, number[16] = "";
	gs_outfile out = GS_OUTFILE_INIT;
	gs_status status;

	if (count > 1) /* of further snapshots */
		snprintf(number, sizeof number, "-%d", count);
	if (asprintf(path, "%.*s-%s%s.png", stem, base, name, number) < 0) {
		*path = NULL;
		return gs_fail(err, GS_NO_MEMORY, "a name");
	}
	if (asprintf(&file, "%.*s%s", (int)(base - output), output, *path) < 0)
		return gs_fail(err, GS_NO_MEMORY, "a name");
	status = gs_outfile_open(
		&out, file, GS_OUTFILE_BINARY | (o->common.force ? GS_OUTFILE_FORCE : 0), err);
	if (!status)
		status = gs_picture_write(picture, GS_PICTURE_PNG, name, out.stream, err);
	if (!status)
		status = gs_outfile_commit(&out, err);
	gs_outfile_drop(&out);
	free(file);
	return status;
}

typedef struct viewer {
	const gs_page_file *page;
	const gs_input *input;
	gs_status status;
	gs_error *err;
} viewer;

/* The page's own elements. */
static void put_viewer(gs_markup *m, void *context)
{
	viewer *v = context;
	const char *root = strstr(v->page->before, GS_PAGE_ROOT);
	int head = root ? (int)(root - v->page->before) + (int)strlen(GS_PAGE_ROOT) : 0;
	gs_markup_raw(m, "");
	fprintf(m->out, "%.*s%s%s", head, v->page->before, root ? " class=\"report\"" : "",
		v->page->before + head); /* it leaves out what the report says around it */
}

/* The recordings that the report tells of at length. */
static void put_recordings(gs_markup *m, const size_t *which, size_t n, void *context)
{
	viewer *v = context;
	gs_markup_raw(m, "");
	for (size_t i = 0; i < n && !v->status; i++)
		v->status = gs_page_file_put(m->out, &v->input->snapshots[which[i]], 1, v->err);
	gs_markup_raw(m, v->page->after);
}

/* A report without the page is the static one, and says so. */
static void find_page(report_options *o)
{
	gs_error err = GS_ERROR_INIT;
	if (gs_page_file_open(&o->page, &err)) {
		gs_note("the report is static: %s", err.text);
		gs_page_file_release(&o->page);
	}
}

static int write_report(report_options *o, const gs_input *input, const gs_snapshot *before)
{
	const char *path = NULL;
	gs_report_options wanted = {.snapshots = input->snapshots,
		.n = input->n,
		.device = o->common.device,
		.state = o->common.state,
		.before = before,
		.before_state = before == input->snapshots ? o->before : NULL,
		.form = o->form,
		.beside = strcmp(o->common.output, "-") ? put_beside : NULL,
		.context = o};
	gs_error err = GS_ERROR_INIT;
	viewer v = {&o->page, input, GS_OK, &err};
	gs_result result;
	int exit_status = gs_result_open(&result, &o->common, 0);

	if (exit_status >= 0)
		return exit_status;
	if (o->page.text) {
		wanted.viewer = put_viewer;
		wanted.recordings = put_recordings;
		wanted.viewer_context = &v;
		wanted.viewer_script = o->page.script;
	}
	gs_status status = gs_report_write(&wanted, result.stream, &path, &err);
	status = status ? status : v.status;
	exit_status = GS_EXIT_DONE;
	if (status == GS_INVALID)
		exit_status = gs_fail_usage("report", "see `gpusnap help state`", "%s", err.text);
	else if (status)
		exit_status = gs_fail_file(status == GS_IO ? result.name : path, &err, NULL);
	return gs_result_close(&result, exit_status);
}

static int report_file_before(report_options *o, const gs_input *input)
{
	char *path[] = {(char *)o->before};
	gs_arguments files = {path, 1};
	gs_common common = o->common;
	gs_input before = GS_INPUT_INIT;
	int status;

	common.rank = GS_UNSET;
	status = gs_inputs_open(&files, &common, GS_WANT_ALL, &before);
	if (status < 0)
		status = write_report(o, input, &before.snapshots[0]);
	gs_input_release(&before);
	return status;
}

static int report(report_options *o, const gs_input *input)
{
	if (!o->before)
		return write_report(o, input, NULL);
	if (input->n > 1)
		return gs_fail_usage("report", "--rank chooses one",
			"--before compares one snapshot, and there are %zu", input->n);
	if (!access(o->before, F_OK))
		return report_file_before(o, input);
	return write_report(o, input, input->snapshots);
}

/* --format, else what the name ends in; they must agree. */
static int check(report_options *o, const char *format)
{
	const char *output = o->common.output, *slash = output ? strrchr(output, '/') : NULL,
			   *dot = output ? strrchr(slash ? slash : output, '.') : NULL;
	bool markdown = dot && (!strcmp(dot, ".md") || !strcmp(dot, ".markdown")),
		 html = dot && (!strcmp(dot, ".html") || !strcmp(dot, ".htm"));

	if (!output)
		return gs_fail_usage("report", NULL, "where to? (-o REPORT.html or REPORT.md)");
	if (format && strcmp(format, "html") && strcmp(format, "md") && strcmp(format, "markdown"))
		return gs_fail_usage("report", "it is html or md", "no report is written as `%s`", format);
	o->form = (format ? *format == 'm' : markdown) ? GS_PAGE_MARKDOWN : GS_PAGE_HTML;
	if (dot && strcmp(output, "-") && (o->form == GS_PAGE_MARKDOWN ? !markdown : !html))
		return gs_fail_usage("report", "its name may end in .html, or in .md with --format md",
			"the report cannot be written as %s", output);
	return -1;
}

int gs_cmd_report(int argc, char **argv)
{
	report_options o = {.common = GS_COMMON_INIT, .form = GS_PAGE_HTML};
	const char *format = NULL;
	bool fixed = false;
	const gs_option options[] = {
		{"format", 0, GS_OPT_TEXT, &format, "FORMAT",
			"html, or md: Markdown with its pictures beside it (default: what FILE ends in)"},
		{"before", 0, GS_OPT_TEXT, &o.before, "STATE|FILE",
			"another moment, or another file, to compare with"},
		{"static", 0, GS_OPT_FLAG, &fixed, 0,
			"no interactive part: neither the recording nor the page to look at it"},
		GS_OPTIONS_SELECT(o.common), GS_OPTIONS_OUTPUT(o.common), GS_OPTIONS_QUIET(o.common),
		GS_OPTIONS_END};
	gs_input input = GS_INPUT_INIT;
	gs_arguments files;
	int status = gs_options_parse(options, argc, argv, 0, GS_ANY_NUMBER, &files);

	if (status >= 0)
		return status;
	gs_message_quiet(o.common.quiet);
	status = check(&o, format);
	if (status >= 0)
		return status;
	if (!fixed && o.form == GS_PAGE_HTML)
		find_page(&o);
	status = gs_inputs_open_state(&files, &o.common, GS_WANT_ALL, &input);
	if (status < 0)
		status = report(&o, &input);
	gs_input_release(&input);
	gs_page_file_release(&o.page);
	return status;
}
