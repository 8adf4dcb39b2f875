/* gpusnap export: a snapshot in the form that other tools open. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/meaning/step_state.h"
#include "analyzer/export/flamegraph.h"
#include "analyzer/export/gsnap.h"
#include "analyzer/export/perfetto.h"
#include "analyzer/export/pytorch.h"
#include "schema/size.h"
#include "tools/command.h"
#include "tools/fleet.h"
#include "tools/inputs.h"
#include "tools/message.h"
#include "tools/export_tables.h"
#include "tools/options.h"
#include "tools/output_name.h"
#include "tools/result.h"

static int write_error; /* errno of the write that failed, 0 where none did */

static gs_status to_stream(void *arg, const void *data, size_t n)
{
	if (fwrite(data, 1, n, arg) == n)
		return GS_OK;
	write_error = errno;
	return GS_IO;
}

/* What came through a pipe cannot be read again. */
static bool is_plain(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* A snapshot of a database tells the path that it once had. */
static bool is_named(const gs_arguments *files, const char *path)
{
	for (int i = 0; i < files->n; i++)
		if (!strcmp(files->text[i], path))
			return true;
	return false;
}

/* PyTorch's own files are copied, so that nothing is lost that the model does not hold. */
static gs_status write_pytorch(
	const gs_snapshot *s, const gs_arguments *files, FILE *stream, gs_error *err)
{
	size_t left_out = 0;
	gs_status status = GS_UNSUPPORTED;
	bool own_file = s->path && is_named(files, s->path) && strcmp(s->path, "-") &&
		is_plain(s->path) && !gs_input_is_database(s->path);
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

/* Those that show one moment: the selected state of each device. */
static gs_status write_moment(const gs_snapshot *s, const gs_common *common,
	gs_status (*write)(const gs_snapshot *, const gs_moments *, FILE *, gs_error *), FILE *out,
	gs_error *err)
{
	gs_moments moments;
	gs_status status = gs_meaning_moments_select(s, common->device, common->state, &moments, err);

	if (!status)
		status = write(s, &moments, out, err);
	gs_moments_release(&moments);
	return status;
}

static gs_status write_perfetto(
	const gs_snapshot *s, const gs_common *common, FILE *out, gs_error *err)
{
	uint64_t least = 0;
	char size[32];
	gs_status status = gs_export_perfetto(s, common->device, out, &least, err);

	if (!status && least)
		gs_note("more than %d allocations live at once: those under %s have no slice of their own",
			GS_PERFETTO_LANES, gs_size_format(size, sizeof size, least));
	return status;
}

typedef enum export_format {
	PYTORCH,
	GSNAP,
	FLAMEGRAPH,
	SPEEDSCOPE,
	PERFETTO,
	CSV,
	JSONL,
	PARQUET,
	FORMATS
} export_format;
static const char *const format_words[] = {
	"pytorch", "gsnap", "flamegraph", "speedscope", "perfetto", "csv", "jsonl", "parquet", NULL};
/* What the name of each may end in; a folder of tables has any name. */
static const char *const endings[] = {
	"pickle pkl", "gsnap", "folded", "json", "pftrace perfetto", "", "", ""};

static export_format parse_format(const char *word)
{
	int i = 0;

	while (i < FORMATS && strcmp(format_words[i], word))
		i++;
	return (export_format)i;
}

static gs_status write_format(const gs_snapshot *s, const gs_arguments *files,
	const gs_common *common, export_format format, FILE *out, gs_error *err)
{
	switch (format) {
	case PYTORCH: return write_pytorch(s, files, out, err);
	case FLAMEGRAPH: return write_moment(s, common, gs_export_folded, out, err);
	case SPEEDSCOPE: return write_moment(s, common, gs_export_speedscope, out, err);
	case PERFETTO: return write_perfetto(s, common, out, err);
	default: return gs_export_gsnap(s, 3, to_stream, out, err);
	}
}

static int export(
	const gs_snapshot *s, const gs_arguments *files, const gs_common *common, export_format format)
{
	gs_result result;
	gs_error err = GS_ERROR_INIT;
	int exit_status = gs_result_open(
		&result, common, format == FLAMEGRAPH || format == SPEEDSCOPE ? 0 : GS_OUTFILE_BINARY);
	if (exit_status >= 0)
		return exit_status;
	gs_status status = write_format(s, files, common, format, result.stream, &err);
	if (status && write_error)
		gs_fail(&err, status, "%s", strerror(write_error));
	exit_status = status ? gs_fail_file(ferror(result.stream) ? result.name : s->path, &err, NULL)
						 : GS_EXIT_DONE;
	return gs_result_close(&result, exit_status);
}

static int refuse_format(const char *word)
{
	const char *near = gs_nearest_word(word, format_words);
	char hint[100];

	snprintf(hint, sizeof hint,
		near ? "did you mean %s?"
			 : "it is pytorch, gsnap, flamegraph, speedscope, perfetto, csv, jsonl or parquet",
		near);
	return gs_fail_usage("export", hint, "no export format is called `%s`", word);
}

/* The tables of a fleet, of the dumps that are named. */
static int export_parquet(const gs_common *common, const gs_arguments *files)
{
	gs_fleet_job job = GS_FLEET_JOB_INIT;
	gs_arguments newest = {(char *[]){NULL}, 1};
	gs_error err = GS_ERROR_INIT;

	if (common->state || common->device != GS_UNSET || common->rank != GS_UNSET)
		return gs_fail_usage("export", "leave --state, --rank and -d out",
			"parquet holds the verdicts on whole dumps");
	job.output = common->output;
	job.quiet = common->quiet;
	if (files->n)
		return gs_fleet_run(&job, files);
	if (gs_input_newest(newest.text, &err))
		return gs_fail_file(NULL, &err, NULL);
	int status = gs_fleet_run(&job, &newest);
	free(newest.text[0]);
	return status;
}

int gs_cmd_export(int argc, char **argv)
{
	gs_common common = GS_COMMON_INIT;
	const char *word = "pytorch";
	const gs_option options[] = {
		{"format", 0, GS_OPT_TEXT, &word, "FORMAT",
			"pytorch (a snapshot pickle, the default), gsnap, flamegraph (folded stacks), "
			"speedscope, perfetto, csv or jsonl (a folder with a file a table), or parquet (what "
			"gpusnap fleet writes)"},
		GS_OPTIONS_SELECT(common), GS_OPTIONS_OUTPUT(common), GS_OPTIONS_QUIET(common),
		GS_OPTIONS_END};
	gs_arguments files;
	gs_input input = GS_INPUT_INIT;
	int status = gs_options_parse(options, argc, argv, 0, GS_ANY_NUMBER, &files);
	if (status >= 0)
		return status;
	export_format format = parse_format(word);
	gs_message_quiet(common.quiet);
	if (format == FORMATS)
		return refuse_format(word);
	if (!common.output)
		return gs_fail_usage("export", NULL, "where to? (-o FILE)");
	if ((format == PYTORCH || format == GSNAP) && (common.state || common.device != GS_UNSET))
		return gs_fail_usage("export", "leave --state and -d out",
			"%s holds all devices and the whole recording", word);
	bool folder = format == CSV || format == JSONL || format == PARQUET;
	if (!folder &&
		(status = gs_output_name_check("export", common.output, endings[format], word)) >= 0)
		return status;
	if (folder && !strcmp(common.output, "-"))
		return gs_fail_usage("export", "-o FOLDER", "%s is written into a folder", word);
	if (format == PARQUET)
		return export_parquet(&common, &files);
	status = gs_inputs_open(&files, &common, folder ? GS_WANT_ALL : GS_WANT_HISTORY, &input);
	if (status < 0 && folder) {
		status = gs_export_tables(
			&input, &files, &common, format == CSV ? GS_FORMAT_CSV : GS_FORMAT_JSONL);
	} else if (status < 0) {
		const gs_snapshot *s = gs_inputs_first(&input, &common, "exported");
		status = s ? export(s, &files, &common, format) : GS_EXIT_FAILED;
	}
	gs_input_release(&input);
	return status;
}
