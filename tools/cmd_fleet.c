/* gpusnap fleet: thousands of dumps as Parquet tables, by the Python package. */
#include "tools/command.h"
#include "tools/fleet.h"
#include "tools/message.h"
#include "tools/options.h"

int gs_cmd_fleet(int argc, char **argv)
{
	gs_fleet_job o = GS_FLEET_JOB_INIT;
	const gs_option options[] = {{"output", 'o', GS_OPT_TEXT, &o.output, "DIR",
									 "the tables; what is there already is not taken again"},
		{"context", 0, GS_OPT_TEXT, &o.context, "RULE",
			"what a path tells: a pattern as {job}/{host}-{rank}.gsnap, or FILE.py:FUNCTION"},
		{"jobs", 'j', GS_OPT_INT, &o.jobs, "N", "processes (default: one a core)"},
		{"memory", 0, GS_OPT_SIZE, &o.memory, "SIZE",
			"the most that one dump may take (default 2GiB)"},
		{"timeout", 0, GS_OPT_REAL, &o.timeout, "SECONDS",
			"the longest that one dump may take (default 60)"},
		{"compact", 0, GS_OPT_FLAG, &o.compact, 0, "merge small files of the tables, no more"},
		GS_OPTIONS_QUIET(o), GS_OPTIONS_END};
	gs_arguments dumps;
	int status = gs_options_parse(options, argc, argv, 0, GS_ANY_NUMBER, &dumps);
	if (status >= 0)
		return status;
	if (!o.output)
		return gs_fail_usage("fleet", NULL, "-o DIR is missing: where the tables go");
	if (o.compact && dumps.n)
		return gs_fail_usage("fleet", NULL, "--compact takes no dumps");
	if (!o.compact && !dumps.n)
		return gs_fail_usage("fleet", NULL, "which dumps? name a folder, a pattern, files");
	if (o.timeout <= 0 || o.memory <= 0)
		return gs_fail_usage("fleet", NULL, "a dump needs some time and memory");
	return gs_fleet_run(&o, &dumps);
}
