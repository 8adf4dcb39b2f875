/* gpusnap export: a snapshot in the form that other tools open. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/export/gsnap.h"
#include "analyzer/export/pytorch.h"
#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/message.h"
#include "tools/options.h"
#include "tools/result.h"

static gs_status to_stream(void *arg, const void *data, size_t n)
{
	return fwrite(data, 1, n, arg) == n ? GS_OK : GS_IO;
}

/* What came through a pipe cannot be read again. */
static bool is_plain(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* PyTorch's own files are copied, so that nothing is lost that the model does not hold. */
static gs_status write_pytorch(
	const gs_input *input, const gs_arguments *files, FILE *stream, gs_error *err)
{
	const gs_snapshot *s = &input->snapshots[0];
	size_t left_out = 0;
	gs_status status = GS_UNSUPPORTED;
	bool own_file = files->n == 1 && s->path && !strcmp(s->path, files->text[0]) &&
		strcmp(files->text[0], "-") && is_plain(s->path) && !gs_input_is_database(s->path);
	if (s->kind == GS_KIND_PYTORCH && own_file)
		status = gs_export_pytorch_copy(s->path, s->part, to_stream, stream, err);
	if (status != GS_UNSUPPORTED)
		return status;
	*err = (gs_error)GS_ERROR_INIT;
	status = gs_export_pytorch(s, to_stream, stream, &left_out, err);
	if (!status && left_out)
		gs_note("left out: %zu event%s that PyTorch has no word for", left_out,
			left_out == 1 ? "" : "s");
	return status;
}

static int export(
	const gs_input *input, const gs_arguments *files, const gs_common *common, bool pytorch)
{
	const char *from = input->snapshots[0].path;
	gs_result result;
	gs_error err = GS_ERROR_INIT;
	int exit_status = gs_result_open(&result, common, GS_OUTFILE_BINARY);
	if (exit_status >= 0)
		return exit_status;
	FILE *out = result.stream;
	gs_status status = pytorch ? write_pytorch(input, files, out, &err)
							   : gs_export_gsnap(&input->snapshots[0], 3, to_stream, out, &err);
	exit_status = status ? gs_fail_file(ferror(out) ? result.name : from, &err, NULL)
						 : GS_EXIT_DONE;
	return gs_result_close(&result, exit_status);
}

int gs_cmd_export(int argc, char **argv)
{
	gs_common common = GS_COMMON_INIT;
	const char *format = "pytorch";
	const gs_option options[] = {{"format", 0, GS_OPT_TEXT, &format, "FORMAT",
									 "pytorch (a snapshot pickle, the default) or gsnap"},
		{"rank", 0, GS_OPT_INT, &common.rank, "RANK", "the snapshot of this rank"},
		GS_OPTIONS_OUTPUT(common), GS_OPTIONS_QUIET(common), GS_OPTIONS_END};
	gs_arguments files;
	gs_input input = GS_INPUT_INIT;
	int status = gs_options_parse(options, argc, argv, 0, 1, &files);
	if (status >= 0)
		return status;
	bool pytorch = !strcmp(format, "pytorch");
	gs_message_quiet(common.quiet);
	if (!pytorch && strcmp(format, "gsnap"))
		return gs_fail_usage(
			"export", "it is pytorch or gsnap", "no export format is called `%s`", format);
	if (!common.output)
		return gs_fail_usage("export", NULL, "where to? (-o FILE)");
	status = gs_inputs_open(&files, &common, GS_WANT_ALL, &input);
	if (status < 0 && input.n > 1)
		status = gs_fail_usage(
			"export", "--rank picks one", "%zu snapshots where one is exported", input.n);
	if (status < 0)
		status = export(&input, &files, &common, pytorch);
	gs_input_release(&input);
	return status;
}
