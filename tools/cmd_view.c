/* gpusnap view: snapshots in the page, in the browser. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "schema/outfile.h"
#include "tools/browser.h"
#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/message.h"
#include "tools/options.h"
#include "tools/output_name.h"
#include "tools/page_file.h"
#include "tools/result.h"
#include "tools/serve.h"

typedef struct view_options {
	gs_common common;
	bool serve;
	int64_t port;
} view_options;

static int fail(const gs_error *err) { return gs_fail_file(NULL, err, NULL); }

/* --- as a file -----------------------------------------------------------------------------------
 */

/* A folder of its own that others cannot look into: the page holds what the recordings tell. */
static gs_status name_page(char path[PATH_MAX], gs_error *err)
{
	const char *temporary = getenv("TMPDIR");
	int n = snprintf(path, PATH_MAX - 20, "%s/gpusnap-view-XXXXXX",
		temporary && *temporary ? temporary : "/tmp");
	if (n < 0 || n >= PATH_MAX - 20 || !mkdtemp(path))
		return gs_fail(err, GS_IO, "no folder for the page: %s", strerror(errno));
	strcat(path, "/gpusnap.html");
	return GS_OK;
}

static gs_status write_page(
	const gs_page_file *page, const gs_input *input, const char *path, gs_error *err)
{
	gs_outfile out = GS_OUTFILE_INIT;
	gs_status status = gs_outfile_open(&out, path, 0, err);
	if (!status)
		status = gs_page_file_write(page, out.stream, input->snapshots, input->n, err);
	if (!status)
		status = gs_outfile_commit(&out, err);
	gs_outfile_drop(&out);
	return status;
}

static int open_page(const gs_page_file *page, const gs_input *input)
{
	char path[PATH_MAX];
	gs_error err = GS_ERROR_INIT;
	if (name_page(path, &err))
		return fail(&err);
	if (write_page(page, input, path, &err))
		return gs_fail_file(path, &err, NULL);
	puts(path);
	if (!gs_browser_open(path))
		gs_note(
			"no browser is here: copy that file to where one is (it needs no network and nothing "
			"beside it; -o names it), or see `gpusnap view --serve`");
	return GS_EXIT_DONE;
}

/* Kept where it was asked for; nothing is opened then. */
static int save_page(const gs_page_file *page, const gs_input *input, const gs_common *common)
{
	gs_error err = GS_ERROR_INIT;
	gs_result result;
	int status = gs_result_open(&result, common, 0);
	if (status >= 0)
		return status;
	gs_page_file_write(page, result.stream, input->snapshots, input->n, &err);
	return gs_result_close(&result, GS_EXIT_DONE);
}

/* --- over HTTP -----------------------------------------------------------------------------------
 */

static void tell_address(const char *address)
{
	const char *port = strrchr(address, ':') + 1;
	puts(address);
	fflush(stdout);
	gs_note(
		"from another machine: ssh -L %.*s:127.0.0.1:%.*s THIS-HOST, then open that address there; "
		"Ctrl-C ends",
		(int)strcspn(port, "/"), port, (int)strcspn(port, "/"), port);
}

static int serve_page(const gs_page_file *page, const gs_input *input, const view_options *o)
{
	char *text = NULL;
	size_t n = 0;
	gs_error err = GS_ERROR_INIT;
	FILE *memory = open_memstream(&text, &n);
	gs_status status = memory ? gs_page_file_write(page, memory, input->snapshots, input->n, &err)
							  : gs_fail(&err, GS_NO_MEMORY, "no memory for the page");
	if (memory && fclose(memory) && !status)
		status = gs_fail(&err, GS_NO_MEMORY, "no memory for the page");
	if (!status)
		status = gs_serve(text, n, o->port == GS_UNSET ? 0 : (uint16_t)o->port, tell_address, &err);
	free(text);
	return status ? fail(&err) : GS_EXIT_DONE;
}

/* Before anything is read: a large recording takes a while. */
static int check_server(void)
{
	gs_error err = GS_ERROR_INIT;
	return gs_serve_load(&err) ? gs_fail_file(NULL, &err,
									 "`gpusnap view -o PAGE.html` needs no server: take that file "
									 "to where a browser is")
							   : -1;
}

static int view(const view_options *o, const gs_arguments *files)
{
	gs_input input = GS_INPUT_INIT;
	gs_page_file page;
	gs_error err = GS_ERROR_INIT;
	int status = gs_page_file_open(&page, &err) ? fail(&err) : -1;
	if (status < 0 && o->serve)
		status = check_server();
	if (status < 0)
		status = gs_inputs_open(files, &o->common, GS_WANT_ALL, &input);
	if (status < 0)
		status = o->serve      ? serve_page(&page, &input, o)
			: o->common.output ? save_page(&page, &input, &o->common)
							   : open_page(&page, &input);
	gs_input_release(&input);
	gs_page_file_release(&page);
	return status;
}

int gs_cmd_view(int argc, char **argv)
{
	view_options o = {.common = GS_COMMON_INIT, .port = GS_UNSET};
	const gs_option options[] = {
		{"serve", 0, GS_OPT_FLAG, &o.serve, 0,
			"no browser here: serve the page on this machine alone, at an address that only you get, "
			"until it is interrupted"},
		{"port", 0, GS_OPT_INT, &o.port, "PORT", "of --serve (default: one that is free)"},
		{"rank", 0, GS_OPT_INT, &o.common.rank, "RANK", "only the snapshots of this rank"},
		GS_OPTIONS_OUTPUT(o.common), GS_OPTIONS_QUIET(o.common), GS_OPTIONS_END};
	gs_arguments files;
	int status = gs_options_parse(options, argc, argv, 0, GS_ANY_NUMBER, &files);
	if (status >= 0)
		return status;
	gs_message_quiet(o.common.quiet);
	if (o.port != GS_UNSET && (!o.serve || o.port > 65535))
		return gs_fail_usage("view", "--serve --port 8000",
			o.serve ? "there is no port %lld" : "%lld is a port to serve at", (long long)o.port);
	if (o.serve && o.common.output)
		return gs_fail_usage("view", NULL, "the page is served or written, not both");
	if (o.common.output &&
		(status = gs_output_name_check("view", o.common.output, "html htm", "a page")) >= 0)
		return status;
	return view(&o, &files);
}
