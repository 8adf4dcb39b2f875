/* gpusnap redact: a copy of a snapshot that may be shown to strangers. */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "analyzer/export/gsnap.h"
#include "analyzer/export/redact.h"
#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/message.h"
#include "tools/options.h"

/* The copy is a .gsnap whatever its name: a name that promises another form is worth a word. */
static void tell_of_its_form(const char *output)
{
	static const char *const others[] = {".pickle", ".pkl", ".json", ".html", ".db", NULL};
	size_t n = strlen(output);
	for (const char *const *end = others; *end; end++) {
		size_t length = strlen(*end);
		if (n > length && !strcmp(output + n - length, *end))
			gs_note(
				"%s is a .gsnap all the same; `gpusnap export` makes other forms of it", output);
	}
}

static int redact(gs_snapshot *s, const gs_common *common)
{
	unsigned char salt[GS_SALT];
	gs_error err = GS_ERROR_INIT;
	if (getrandom(salt, sizeof salt, 0) != sizeof salt)
		gs_fail(&err, GS_IO, "no random numbers: %s", strerror(errno));
	else if (!gs_redact(s, salt, &err))
		gs_export_gsnap_file(s, common->output, common->force, &err);
	if (err.status)
		return gs_fail_file(common->output, &err, NULL);
	tell_of_its_form(common->output);
	return GS_EXIT_DONE;
}

int gs_cmd_redact(int argc, char **argv)
{
	gs_common common = GS_COMMON_INIT;
	const gs_option options[] = {
		{"rank", 0, GS_OPT_INT, &common.rank, "RANK", "the snapshot of this rank"},
		GS_OPTIONS_OUTPUT(common), GS_OPTIONS_QUIET(common), GS_OPTIONS_END};
	gs_arguments files;
	gs_input input = GS_INPUT_INIT;
	int status = gs_options_parse(options, argc, argv, 0, 1, &files);
	if (status >= 0)
		return status;
	gs_message_quiet(common.quiet);
	if (!common.output)
		return gs_fail_usage("redact", NULL, "where to? (-o FILE.gsnap)");
	status = gs_inputs_open(&files, &common, GS_WANT_HISTORY, &input);
	if (status < 0 && input.n > 1)
		status = gs_fail_usage(
			"redact", "--rank picks one", "%zu snapshots where one is redacted", input.n);
	if (status < 0)
		status = redact(&input.snapshots[0], &common);
	gs_input_release(&input);
	return status;
}
