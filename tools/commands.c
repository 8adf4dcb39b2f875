/* The table of subcommands: the one place that lists them. */
#include "tools/command.h"

#include <string.h>

const gs_command gs_commands[] = {
	{"run", gs_cmd_run, "[--] COMMAND [ARGUMENT…]", "run a program and record its GPU memory"},
	{"sim", gs_cmd_sim, "SCRIPT|- --capacity SIZE",
		"run a script of allocator calls on a simulated device"},
	{"dump", gs_cmd_dump, "PID", "ask a recorded process for a dump"},
	{"top", gs_cmd_top, "PID|FILE", "watch a running program's memory, from its stream"},
	{"info", gs_cmd_info, "[FILE…]", "what a file is, holds, and cannot tell"},
	{"list", gs_cmd_list, "[DIRECTORY|FILE…]", "the dumps of a directory, which failed first"},
	{"load", gs_cmd_load, "INPUT… -o FILE.db", "store snapshots in an SQLite database"},
	{"query", gs_cmd_query, "[FILE…] NAME|SQL|-", "answer a named query or SQL"},
	{"diagnose", gs_cmd_diagnose, "[FILE…]", "why memory ran out, and what would have helped"},
	{"map", gs_cmd_map, "[FILE…] -o MAP.png", "draw the heap: segments, blocks, holes"},
	{"plot", gs_cmd_plot, "[FILE…] -o PLOT.png", "draw memory over time"},
	{"report", gs_cmd_report, "[FILE…] -o REPORT.html", "one file to attach to a bug report"},
	{"page", gs_cmd_page, "-o gpusnap.html", "the analyzer as a page for any browser"},
	{"view", gs_cmd_view, "[FILE…]", "look at snapshots in the browser"},
	{"whatif", gs_cmd_whatif, "[FILE…] [--conf TEXT]…", "replay the run under other settings"},
	{"diff", gs_cmd_diff, "BEFORE AFTER|FILE --from STATE --to STATE",
		"compare two snapshots, or two states of one"},
	{"assert", gs_cmd_assert, "FILE… EXPRESSION…", "fail where a figure is not as it should be"},
	{"fleet", gs_cmd_fleet, "DIR|FILE… -o DIR", "thousands of dumps as Parquet tables"},
	{"export", gs_cmd_export, "[FILE…] -o OUT", "write a snapshot for other tools"},
	{"redact", gs_cmd_redact, "FILE -o OUT.gsnap", "remove hosts, paths, arguments and names"},
	{"verify", gs_cmd_verify, "[FILE…]", "check files for damage"},
	{"mcp", gs_cmd_mcp, "[DIRECTORY…]", "serve agents that read snapshots (MCP over stdio)"},
	{"help", gs_cmd_help, "[COMMAND|TOPIC]",
		"help on a command, or on env, size, state, columns, terms, query"},
	{NULL, NULL, NULL, NULL},
};

const gs_command *gs_command_find(const char *name)
{
	for (const gs_command *c = gs_commands; c->name; c++)
		if (!strcmp(name, c->name) && c->run)
			return c;
	return NULL;
}

const char *gs_command_remarks(const gs_command *c)
{
	static const char known[] =
		"Each advice says how it is known. replayed: the recorded requests were run through the "
		"allocator again with the change; computed: figures of the file prove it; estimated: it "
		"holds if the run goes on as it did; untried: nothing in the file can test it. "
		"`gpusnap help terms` explains the words of the answer.";
	return c && c->run == gs_cmd_diagnose ? known : NULL;
}
