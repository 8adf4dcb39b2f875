/* gpusnap diff: what two moments differ in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/export/diff.h"
#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/message.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/result.h"

typedef struct diff_options {
	gs_common common;
	const char *from, *to;
} diff_options;

/* The moments of one side, with what their memory means. */
typedef struct side {
	const gs_snapshot *snapshot;
	gs_moments moments;
	gs_history *histories;
	gs_meaning *meanings;
} side;

static gs_status side_open(
	side *s, const gs_snapshot *snapshot, int64_t device, const char *state, gs_error *err)
{
	gs_status status = gs_moments_select(snapshot, device, state, &s->moments, err);

	s->snapshot = snapshot;
	s->histories = calloc(s->moments.n + 1, sizeof *s->histories);
	s->meanings = calloc(s->moments.n + 1, sizeof *s->meanings);
	if (!status && (!s->histories || !s->meanings))
		status = gs_fail(err, GS_NO_MEMORY, "histories of %zu devices", s->moments.n);
	for (size_t i = 0; i < s->moments.n && !status; i++) {
		status = gs_history_init(&s->histories[i], snapshot, s->moments.at[i].device, err);
		if (!status)
			status = gs_meaning_init(&s->meanings[i], &s->histories[i], NULL, err);
	}
	return status;
}

static void side_release(side *s)
{
	for (size_t i = 0; i < s->moments.n; i++) {
		if (s->meanings)
			gs_meaning_release(&s->meanings[i]);
		if (s->histories)
			gs_history_release(&s->histories[i]);
	}
	free(s->meanings);
	free(s->histories);
	gs_moments_release(&s->moments);
}

static gs_diff_side find(const side *s, int32_t device)
{
	for (size_t i = 0; i < s->moments.n; i++)
		if (s->moments.at[i].device->device == device)
			return (gs_diff_side){s->snapshot, &s->moments.at[i], &s->meanings[i]};
	return (gs_diff_side){0};
}

/* Devices of the first side, then those that the second has alone. */
static gs_status compare(gs_diff *d, const side *a, const side *b, gs_error *err)
{
	gs_status status = GS_OK;

	for (size_t i = 0; i < a->moments.n && !status; i++) {
		gs_diff_side x = find(a, a->moments.at[i].device->device),
					 y = find(b, a->moments.at[i].device->device);
		status = gs_diff_add(d, &x, &y, err);
	}
	for (size_t i = 0; i < b->moments.n && !status; i++) {
		gs_diff_side x = find(a, b->moments.at[i].device->device),
					 y = find(b, b->moments.at[i].device->device);
		if (!x.moment)
			status = gs_diff_add(d, &x, &y, err);
	}
	return status;
}

/* --- rows --------------------------------------------------------------------------------------
 */

static const gs_column columns[] = {
	{"device", GS_UNIT_NONE},
	{"where", GS_UNIT_NONE},
	{"called_by", GS_UNIT_NONE},
	{"category", GS_UNIT_NONE},
	{"bytes_a", GS_UNIT_BYTES},
	{"bytes_b", GS_UNIT_BYTES},
	{"change", GS_UNIT_BYTES},
	{"blocks_a", GS_UNIT_NONE},
	{"blocks_b", GS_UNIT_NONE},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static gs_status emit_row(gs_emitter *e, const gs_diff_row *row, gs_error *err)
{
	const gs_value values[COLUMNS] = {
		gs_value_int(row->device),
		gs_value_text(row->where),
		gs_value_text(*row->called_by ? row->called_by : NULL),
		gs_value_text(gs_category_word(NULL, row->category)),
		gs_value_int((int64_t)row->bytes_a),
		gs_value_int((int64_t)row->bytes_b),
		gs_value_int(gs_diff_change(row)),
		gs_value_int((int64_t)row->blocks_a),
		gs_value_int((int64_t)row->blocks_b),
	};
	gs_status status = gs_emit_row(e, values, err);

	return status == GS_END ? GS_OK : status;
}

static gs_status emit(const gs_diff *d, const gs_common *c, bool complete, FILE *out, gs_error *err)
{
	char *summary = gs_diff_summary(d);
	gs_emit_head head = {.query = "diff",
		.complete = complete,
		.columns = columns,
		.ncolumns = COLUMNS,
		.limit = gs_output_limit(c),
		.width = gs_output_width(),
		.summary = summary};
	gs_emitter *e = NULL;
	uint64_t left = 0;
	gs_status status = summary ? gs_emit_open(out, gs_output_format_of(c), &head, &e, err)
							   : gs_fail(err, GS_NO_MEMORY, "a summary");

	for (size_t i = 0; i < d->n && !status; i++)
		status = emit_row(e, &d->rows[i], err);
	if (e) {
		gs_status closed = gs_emit_close(e, status != GS_OK, &left, err);
		status = status ? status : closed;
	}
	if (!status)
		gs_output_left(left);
	free(summary);
	return status;
}

static int print(const gs_diff *d, const gs_common *c, bool complete)
{
	gs_result result;
	gs_error err = GS_ERROR_INIT;
	int status = gs_result_open(&result, c, 0);

	if (status >= 0)
		return status;
	status = emit(d, c, complete, result.stream, &err) ? gs_fail_file(result.name, &err, NULL)
													   : GS_EXIT_DONE;
	return gs_result_close(&result, status);
}

/* --- the command -------------------------------------------------------------------------------
 */

static int refuse(const gs_snapshot *s, gs_status status, const gs_error *err)
{
	if (status == GS_INVALID)
		return gs_fail_usage("diff", "see `gpusnap help state`", "%s", err->text);
	return gs_fail_file(s->path, err, NULL);
}

static int diff(const diff_options *o, const gs_snapshot *a, const gs_snapshot *b)
{
	side from = {0}, to = {0};
	gs_diff d = GS_DIFF_INIT;
	gs_error err = GS_ERROR_INIT;
	const char *state = o->common.state;
	gs_status status = side_open(&from, a, o->common.device, o->from ? o->from : state, &err);
	int result = status ? refuse(a, status, &err) : -1;

	if (result < 0) {
		status = side_open(&to, b, o->common.device, o->to ? o->to : state, &err);
		result = status ? refuse(b, status, &err) : -1;
	}
	if (result < 0) {
		status = compare(&d, &from, &to, &err);
		result = status ? gs_fail_file(NULL, &err, NULL)
						: print(&d, &o->common, a->complete && b->complete);
	}
	gs_diff_release(&d);
	side_release(&from);
	side_release(&to);
	return result;
}

/* Two inputs, each one snapshot; or one, of which two states are compared. */
static int read_and_diff(const diff_options *o, const gs_arguments *files)
{
	gs_input inputs[2] = {GS_INPUT_INIT, GS_INPUT_INIT};
	int n = files->n == 2 ? 2 : 1, status = -1;

	for (int i = 0; i < n && status < 0; i++) {
		gs_arguments one = {files->text + i, files->n ? 1 : 0};
		status = gs_inputs_open(&one, &o->common, GS_WANT_ALL, &inputs[i]);
		if (status < 0 && inputs[i].n > 1)
			status = gs_fail_usage("diff", "--rank chooses one of each",
				"%s holds %zu snapshots where one is compared", one.text[0], inputs[i].n);
	}
	if (status < 0)
		status = diff(o, &inputs[0].snapshots[0], &inputs[n - 1].snapshots[0]);
	gs_input_release(&inputs[0]);
	gs_input_release(&inputs[1]);
	return status;
}

int gs_cmd_diff(int argc, char **argv)
{
	diff_options o = {GS_COMMON_INIT, NULL, NULL};
	const gs_option options[] = {
		{"from", 0, GS_OPT_TEXT, &o.from, "STATE", "of the first (or of the one file)"},
		{"to", 0, GS_OPT_TEXT, &o.to, "STATE", "of the second (or of the same file)"},
		GS_OPTIONS_SELECT(o.common), GS_OPTIONS_RESULT(o.common), GS_OPTIONS_OUTPUT(o.common),
		GS_OPTIONS_QUIET(o.common), GS_OPTIONS_END};
	gs_arguments files;
	int status = gs_options_parse(options, argc, argv, 0, 2, &files);

	if (status >= 0)
		return status;
	gs_message_quiet(o.common.quiet);
	gs_message_json(o.common.json);
	if (files.n < 2 && (!o.from || !o.to))
		return gs_fail_usage("diff", "two files, or one with --from STATE --to STATE",
			"what is to be compared with what?");
	return gs_finish_stdout(read_and_diff(&o, &files));
}
