/* The gpusnap command: picks the subcommand. */
#include "tools/command.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/query/query.h"
#include "schema/outfile.h"
#include "schema/version.h"
#include "tools/message.h"
#include "tools/options.h"

static int unknown_command(const char *name)
{
	const char *words[32] = {NULL};
	int n = 0;
	for (const gs_command *c = gs_commands; c->name; c++)
		if (c->run)
			words[n++] = c->name;
	const char *near = gs_nearest_word(name, words);
	char hint[300] = "`gpusnap help` lists the commands";
	char owner[200];
	gs_query query;
	if (name[0] == '-' && gs_options_elsewhere(name, owner, sizeof owner))
		snprintf(hint, sizeof hint, "%s: an option stands behind its command", owner);
	else if (!access(name, F_OK))
		snprintf(hint, sizeof hint, "did you mean `gpusnap diagnose %.200s`?", name);
	else if (strlen(name) > 2 && !gs_query_find(name, &query, NULL))
		snprintf(hint, sizeof hint, "did you mean `gpusnap query FILE \"%s\"`?", query.name);
	else if (near)
		snprintf(hint, sizeof hint, "did you mean `%s`?", near);
	return gs_fail_usage(NULL, hint,
		name[0] == '-' ? "gpusnap itself has no option %s" : "no command is called `%s`", name);
}

/* --json, --format json or --format=json, before the options are read: their errors are JSON too.
 */
static bool asks_for_json(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--json") || !strcmp(argv[i], "--format=json") ||
			(!strcmp(argv[i], "--format") && i + 1 < argc && !strcmp(argv[i + 1], "json")))
			return true;
	return false;
}

static int run(int argc, char **argv)
{
	char *help[] = {(char[]){"help"}, NULL};
	if (argc < 2)
		return gs_finish_stdout(gs_cmd_help(1, help));
	const char *name = argv[1];
	if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		return gs_finish_stdout(gs_cmd_help(1, help));
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		printf("gpusnap " GS_RELEASE "\n");
		return gs_finish_stdout(GS_EXIT_DONE);
	}
	const gs_command *c = gs_command_find(name);
	return c ? gs_finish_stdout(c->run(argc - 1, argv + 1)) : unknown_command(name);
}

/* A standard stream that is closed gets a file that refuses: a file opened later must not come by
 * its number. */
static void hold_standard_streams(void)
{
	for (int fd = open("/dev/null", O_RDONLY | O_CLOEXEC); fd >= 0;
		 fd = open("/dev/null", O_RDONLY | O_CLOEXEC))
		if (fd > STDERR_FILENO) {
			close(fd);
			return;
		}
}

int main(int argc, char **argv)
{
	hold_standard_streams();
	gs_outfile_clean_on_signals();
	gs_message_json(asks_for_json(argc, argv));
	int status = gs_message_exit(run(argc, argv));
	gs_message_release();
	return status;
}
