/* gpusnap mcp: a server for agents, in the Python package. */
#include "tools/command.h"
#include "tools/options.h"
#include "tools/python_part.h"

int gs_cmd_mcp(int argc, char **argv)
{
	const gs_option options[] = {GS_OPTIONS_END};
	gs_arguments arguments;
	int status = gs_options_parse(options, argc, argv, 0, GS_TEXTS_MAX, &arguments);
	if (status >= 0)
		return status;
	return gs_python_part("mcp", "gpusnap[mcp]", arguments.n, arguments.text);
}
