/* A subcommand of gpusnap: tools/cmd_NAME.c defines gs_cmd_NAME. Exit status: 0 done, 1 failed, 2
 * usage. */
#ifndef GS_TOOLS_COMMAND_H
#define GS_TOOLS_COMMAND_H

typedef struct gs_command {
	const char *name;
	int (*run)(
		int argc, char **argv); /* argv[0] is the subcommand's name; NULL: left out of this build */
	const char *arguments;      /* for the usage line */
	const char *summary;
} gs_command;

extern const gs_command gs_commands[]; /* ended by an entry whose name is NULL */

/* The command of that name, or NULL. */
const gs_command *gs_command_find(const char *name);
/* What --help says behind a command's options, a paragraph; NULL where there is nothing to say. */
const char *gs_command_remarks(const gs_command *c);

/* A command that another folder leaves out of a build has no function; the table then holds NULL.
 */
#define GS_COMMAND(name) int gs_cmd_##name(int argc, char **argv) __attribute__((weak));
GS_COMMAND(run)
GS_COMMAND(sim)
GS_COMMAND(dump)
GS_COMMAND(top)
GS_COMMAND(info)
GS_COMMAND(list)
GS_COMMAND(load)
GS_COMMAND(query)
GS_COMMAND(diagnose)
GS_COMMAND(map)
GS_COMMAND(page)
GS_COMMAND(plot)
GS_COMMAND(report)
GS_COMMAND(whatif)
GS_COMMAND(diff)
GS_COMMAND(assert)
GS_COMMAND(fleet)
GS_COMMAND(export)
GS_COMMAND(redact)
GS_COMMAND(verify)
GS_COMMAND(view)
GS_COMMAND(mcp)
GS_COMMAND(help)
#undef GS_COMMAND

#endif
