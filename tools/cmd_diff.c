/* gpusnap diff: what two moments differ in. */
#include <stdio.h>
#include <string.h>

#include "analyzer/api/diff_rows.h"
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

static int print(const gs_diff *d, const gs_common *c, bool complete)
{
	const gs_emit_head head = {
		.complete = complete, .limit = gs_output_limit(c), .width = gs_output_width()};
	gs_result result;
	gs_error err = GS_ERROR_INIT;
	uint64_t left = 0;
	int status = gs_result_open(&result, c, 0);

	if (status >= 0)
		return status;
	status = GS_EXIT_DONE;
	if (gs_diff_emit(d, gs_output_format_of(c), &head, result.stream, &left, &err))
		status = gs_fail_file(result.name, &err, NULL);
	else
		gs_output_left(left);
	return gs_result_close(&result, status);
}

static int refuse(const gs_snapshot *s, gs_status status, const gs_error *err)
{
	if (status == GS_INVALID)
		return gs_fail_usage("diff", "see `gpusnap help state`", "%s", err->text);
	return gs_fail_file(s->path, err, NULL);
}

static int diff(const diff_options *o, const gs_snapshot *a, const gs_snapshot *b)
{
	const char *state = o->common.state;
	const gs_diff_options wanted = {{a, o->from ? o->from : state, {NULL, 0}},
		{b, o->to ? o->to : state, {NULL, 0}}, o->common.device};
	const gs_snapshot *culprit = NULL;
	gs_diff d = GS_DIFF_INIT;
	gs_error err = GS_ERROR_INIT;
	gs_status status = gs_diff_moments(&wanted, &d, &culprit, &err);
	int result = status ? refuse(culprit, status, &err)
						: print(&d, &o->common, a->complete && b->complete);

	gs_diff_release(&d);
	return result;
}

/* The state of the first or the second. */
static const char *selector_of(const diff_options *o, int number)
{
	const char *own = number ? o->to : o->from;
	return own ? own : o->common.state;
}

/* Two states of one file. Of a run that is not read whole the other's part is read for itself. */
static int diff_states(const diff_options *o, const gs_arguments *files, const gs_input *from)
{
	gs_input to = GS_INPUT_INIT;
	if (!from->snapshots[0].excerpt)
		return diff(o, &from->snapshots[0], &from->snapshots[0]);
	int status = gs_inputs_open_part(files, &o->common, GS_WANT_HISTORY, selector_of(o, 1), &to);
	if (status < 0)
		status = diff(o, &from->snapshots[0], &to.snapshots[0]);
	gs_input_release(&to);
	return status;
}

/* Two inputs, each one snapshot; or one, of which two states are compared. */
static int read_and_diff(const diff_options *o, const gs_arguments *files)
{
	gs_input inputs[2] = {GS_INPUT_INIT, GS_INPUT_INIT};
	int n = files->n == 2 ? 2 : 1, status = -1;

	for (int i = 0; i < n && status < 0; i++) {
		gs_arguments one = {files->text + i, files->n ? 1 : 0};
		status = gs_inputs_open_part(
			&one, &o->common, GS_WANT_HISTORY, selector_of(o, i), &inputs[i]);
		if (status < 0 && inputs[i].n > 1)
			status = gs_fail_usage("diff", "--rank chooses one of each",
				"%s holds %zu snapshots where one is compared", one.text[0], inputs[i].n);
	}
	if (status < 0 && n == 1)
		status = diff_states(o, files, &inputs[0]);
	else if (status < 0)
		status = diff(o, &inputs[0].snapshots[0], &inputs[1].snapshots[0]);
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
