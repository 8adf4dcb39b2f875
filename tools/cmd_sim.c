/* gpusnap sim: a script of allocator calls on a simulated device. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/command.h"
#include "tools/message.h"
#include "tools/options.h"
#include "tools/sim_record.h"
#include "tools/sim_script.h"

typedef struct sim_arguments {
	const char *script;
	const char *release;
	const gs_rules *rules;
	int64_t capacity;
	bool trace, every_oom, force;
	const char *output;
} sim_arguments;

/* -1 to go on, else the exit status. */
static int parse(int argc, char **argv, sim_arguments *a)
{
	const gs_option options[] = {{"capacity", 0, GS_OPT_CAPACITY, &a->capacity, "SIZE",
									 "total memory of the device" GS_OR_A_CARD},
		{"rules", 0, GS_OPT_TEXT, &a->release, "RELEASE",
			"PyTorch release whose rules hold (default: the newest known)"},
		{"trace", 0, GS_OPT_FLAG, &a->trace, 0, "print each call and what the allocator did"},
		{"output", 'o', GS_OPT_TEXT, &a->output, "FILE",
			"dump there: the first OOM, or the final state where there is none"},
		{"force", 'f', GS_OPT_FLAG, &a->force, 0, "the output may replace a file"},
		{"every-oom", 0, GS_OPT_FLAG, &a->every_oom, 0, "dump every OOM, not the first only"},
		GS_OPTIONS_END};
	gs_arguments arguments;
	int status = gs_options_parse(options, argc, argv, 1, 1, &arguments);
	if (status >= 0)
		return status;
	a->script = arguments.text[0];
	if (a->capacity == GS_UNSET)
		return gs_fail_usage("sim", "for example --capacity 24GiB",
			"how large is the device? --capacity is missing");
	if (a->capacity == 0)
		return gs_fail_usage("sim", "for example --capacity 24GiB", "a device of no memory");
	if (a->trace && a->output && !strcmp(a->output, "-"))
		return gs_fail_usage(
			"sim", NULL, "the transcript and the dump cannot both go to standard output");
	a->rules = gs_rules_find(a->release);
	return a->rules ? -1
					: gs_fail_usage("sim", "for example --rules 2.6 or --rules 2.15.0",
						  "`%s` is no release of PyTorch", a->release);
}

static gs_status run_script(FILE *in, const sim_arguments *a, gs_error *err)
{
	static sim_call call; /* large */
	sim_options options = {
		.capacity = (uint64_t)a->capacity, .rules = a->rules, .trace = a->trace ? stdout : NULL};
	sim_record_options recording = {(uint64_t)a->capacity, a->output, a->force, a->every_oom};
	sim_record *record = NULL;
	sim_run *run = NULL;
	unsigned line = 0;
	gs_status status = GS_OK;
	if (a->output || a->every_oom || !a->trace) /* a transcript alone leaves no file */
		status = sim_record_init(&record, &recording, &options.hooks, err);
	if (!status)
		status = sim_run_init(&run, &options, err);
	while (!status && !(status = sim_script_next(in, a->script, &line, &call, err)))
		status = sim_run_call(run, &call, err);
	if (status == GS_END)
		status = record ? sim_record_finish(record, sim_run_pool(run), err) : GS_OK;
	sim_run_release(run);
	sim_record_release(record);
	return status;
}

int gs_cmd_sim(int argc, char **argv)
{
	sim_arguments a = {.release = "newest", .capacity = GS_UNSET};
	gs_error err = GS_ERROR_INIT;
	int status = parse(argc, argv, &a);
	if (status >= 0)
		return status;
	bool piped = !strcmp(a.script, "-");
	FILE *in = piped ? stdin : fopen(a.script, "r");
	if (piped)
		a.script = "<stdin>";
	if (!in) {
		gs_fail(&err, GS_IO, "%s", strerror(errno));
		return gs_fail_file(a.script, &err, NULL);
	}
	gs_status failed = run_script(in, &a, &err);
	if (!piped)
		fclose(in);
	if (!failed)
		return GS_EXIT_DONE;
	fflush(stdout);
	return err.text[0] ? gs_fail_file(NULL, &err, NULL) : GS_EXIT_FAILED;
}
