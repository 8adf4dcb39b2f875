/* A subcommand of gpusnap: tools/cmd_NAME.c defines gs_cmd_NAME. Exit status: 0 done, 1 failed, 2 usage. */
#ifndef GS_TOOLS_COMMAND_H
#define GS_TOOLS_COMMAND_H

typedef struct gs_command {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is the subcommand's name */
	const char *arguments;             /* for the usage line */
	const char *summary;
} gs_command;

extern const gs_command gs_commands[]; /* ended by an entry whose name is NULL */

int gs_cmd_sim(int argc, char **argv);

#endif
