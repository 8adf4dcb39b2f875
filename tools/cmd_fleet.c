/* gpusnap fleet: thousands of dumps as Parquet tables, by the Python package. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/command.h"
#include "tools/fleet.h"
#include "tools/message.h"
#include "tools/options.h"
#include "tools/python_part.h"

typedef struct fleet_options {
	const char *output, *context;
	int64_t jobs, memory;
	double timeout;
	bool compact, quiet;
} fleet_options;

/* The options as the package takes them, then what the command line names. */
typedef struct command_line {
	char *words[16 + GS_FLEET_PATHS], numbers[3][32];
	int n;
} command_line;

static void put(command_line *c, const char *word) { c->words[c->n++] = (char *)(uintptr_t)word; }

static void put_number(command_line *c, int which, const char *option, double value)
{
	snprintf(c->numbers[which], sizeof c->numbers[which], "%.15g", value);
	put(c, option);
	put(c, c->numbers[which]);
}

static int start(const fleet_options *o, const gs_arguments *dumps)
{
	command_line c = {.n = 0};
	put(&c, o->compact ? "compact" : "run");
	put(&c, "--output");
	put(&c, o->output);
	if (o->quiet)
		put(&c, "--quiet");
	if (!o->compact) {
		put_number(&c, 0, "--jobs", o->jobs == GS_UNSET ? 0 : (double)o->jobs);
		put_number(&c, 1, "--memory", (double)o->memory);
		put_number(&c, 2, "--seconds", o->timeout);
		if (o->context) {
			put(&c, "--context");
			put(&c, o->context);
		}
		put(&c, "--");
		for (int i = 0; i < dumps->n; i++)
			put(&c, dumps->text[i]);
	}
	return gs_python_part("fleet", GS_FLEET_PACKAGE, c.n, c.words);
}

int gs_cmd_fleet(int argc, char **argv)
{
	fleet_options o = {.jobs = GS_UNSET, .memory = (int64_t)2 << 30, .timeout = 60};
	const gs_option options[] = {{"output", 'o', GS_OPT_TEXT, &o.output, "DIR",
									 "the tables; what is there already is not taken again"},
		{"context", 0, GS_OPT_TEXT, &o.context, "RULE",
			"what a path tells: a pattern as {job}/{host}-{rank}.gsnap, or FILE.py:FUNCTION"},
		{"jobs", 'j', GS_OPT_INT, &o.jobs, "N", "processes (default: one a core)"},
		{"memory", 0, GS_OPT_SIZE, &o.memory, "SIZE", "the most that one dump may take (2GiB)"},
		{"timeout", 0, GS_OPT_REAL, &o.timeout, "SECONDS",
			"the longest that one dump may take (60)"},
		{"compact", 0, GS_OPT_FLAG, &o.compact, 0, "merge small files of the tables, no more"},
		GS_OPTIONS_QUIET(o), GS_OPTIONS_END};
	gs_arguments dumps;
	int status = gs_options_parse(options, argc, argv, 0, GS_FLEET_PATHS, &dumps);
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
	return start(&o, &dumps);
}
