/* The gpusnap command: the table of subcommands and nothing else. */
#include "tools/command.h"

#include <stdio.h>
#include <string.h>

const gs_command gs_commands[] = {
	{ NULL, NULL, NULL, NULL },
};

int main(int argc, char **argv)
{
	for (const gs_command *c = gs_commands; c->name && argc > 1; c++)
		if (!strcmp(argv[1], c->name))
			return c->run(argc - 1, argv + 1);
	fprintf(stderr, "usage: gpusnap COMMAND …\n");
	return 2;
}
