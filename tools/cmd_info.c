/* gpusnap info: what a file is, what it holds, and what it cannot tell. */
#include <stdio.h>

#include "analyzer/open/input.h"
#include "analyzer/query/info.h"
#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/message.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/voice.h"

static int print_for_people(const gs_input *input, const gs_common *common)
{
	gs_voice voice = gs_voice_of(common, false);
	for (size_t i = 0; i < input->n; i++) {
		if (i)
			fputc('\n', stdout);
		gs_info_print(&input->snapshots[i], &voice, stdout);
	}
	return gs_finish_stdout(GS_EXIT_DONE);
}

static int print_rows(const gs_input *input, const gs_common *common)
{
	gs_error err = GS_ERROR_INIT;
	uint64_t left = 0;
	const gs_emit_head head = {.limit = gs_output_limit(common), .width = gs_output_width()};
	gs_status status = gs_info_emit(
		input->snapshots, input->n, gs_output_format_of(common), &head, stdout, &left, &err);
	if (!status)
		gs_output_left(left);
	return status ? gs_fail_file("info", &err, NULL) : GS_EXIT_DONE;
}

static int print(const gs_input *input, const gs_common *common)
{
	return gs_output_format_of(common) == GS_FORMAT_TABLE ? print_for_people(input, common)
														  : print_rows(input, common);
}

int gs_cmd_info(int argc, char **argv)
{
	gs_common common = GS_COMMON_INIT;
	const gs_option options[] = {
		{"rank", 0, GS_OPT_INT, &common.rank, "RANK", "only the snapshots of this rank"},
		GS_OPTIONS_RESULT(common), GS_OPTIONS_QUIET(common), GS_OPTIONS_END};
	gs_arguments arguments;
	gs_input input = GS_INPUT_INIT;
	int status = gs_options_parse(options, argc, argv, 0, GS_ANY_NUMBER, &arguments);
	if (status >= 0)
		return status;
	status = gs_inputs_open_state(&arguments, &common, GS_WANT_ALL | GS_WANT_PARTS, &input);
	if (status < 0)
		status = print(&input, &common);
	gs_input_release(&input);
	return status;
}
