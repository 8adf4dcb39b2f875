/* gpusnap sim: a script of allocator calls on a simulated device. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "schema/size.h"
#include "tools/command.h"
#include "tools/sim_script.h"

typedef struct arguments {
	const char *script;
	const char *rules;
	uint64_t capacity;
	bool trace;
} arguments;

static int usage(const char *what, const char *word, const char *hint)
{
	fprintf(stderr, "gpusnap: sim: %s%s%s\n  usage: gpusnap sim SCRIPT --capacity SIZE [--rules RELEASE] [--trace] [-o FILE.gsnap]\n  %s\n", what, word ? " " : "",
		word ? word : "", hint);
	return 2;
}

/* 0, or the exit status of a usage error. */
static int parse(int argc, char **argv, arguments *a)
{
	static const struct option options[] = {
		{ "capacity", required_argument, NULL, 'c' },
		{ "rules", required_argument, NULL, 'r' },
		{ "trace", no_argument, NULL, 't' },
		{ NULL, 0, NULL, 0 },
	};
	gs_error err = GS_ERROR_INIT;
	int c;
	optind = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			if (gs_size_parse(optarg, &a->capacity, &err) || !a->capacity)
				return usage("no size:", optarg, "a size is, for example, 1024MiB or 24GiB");
			break;
		case 'r':
			a->rules = optarg;
			break;
		case 't':
			a->trace = true;
			break;
		case ':':
			return usage("a value is missing after", argv[optind - 1], "for example: --capacity 24GiB --rules 2.6");
		default:
			return usage("no such option:", argv[optind - 1], "the options are --capacity, --rules, --trace");
		}
	}
	if (optind == argc)
		return usage("which script?", NULL, "name the file of calls");
	if (optind + 1 < argc)
		return usage("one script at a time; what is", argv[optind + 1], "quote names with blanks");
	a->script = argv[optind];
	if (!a->capacity)
		return usage("how large is the device?", NULL, "give --capacity, for example --capacity 1024MiB");
	return 0;
}

static gs_status run_script(FILE *in, const arguments *a, const gs_rules *rules, gs_error *err)
{
	static sim_call call;
	sim_options options = { .capacity = a->capacity, .rules = rules, .trace = a->trace ? stdout : NULL };
	sim_run *run = NULL;
	unsigned line = 0;
	gs_status status = sim_run_init(&run, &options, err);
	while (!status && !(status = sim_script_next(in, a->script, &line, &call, err)))
		status = sim_run_call(run, &call, err);
	sim_run_release(run);
	return status == GS_END ? GS_OK : status;
}

int gs_cmd_sim(int argc, char **argv)
{
	arguments a = { 0 };
	gs_error err = GS_ERROR_INIT;
	int bad = parse(argc, argv, &a);
	if (bad)
		return bad;
	const gs_rules *rules = a.rules ? gs_rules_find(a.rules) : gs_rules_newest;
	if (!rules)
		return usage("no release:", a.rules, "a release is, for example, 2.6 or 2.15.0");
	FILE *in = fopen(a.script, "r");
	if (!in) {
		fprintf(stderr, "gpusnap: %s: %s\n", a.script, strerror(errno));
		return 1;
	}
	gs_status status = run_script(in, &a, rules, &err);
	fclose(in);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "gpusnap: standard output: %s\n", strerror(errno));
		return 1;
	}
	if (status)
		fprintf(stderr, "gpusnap: %s\n", err.text);
	return status != GS_OK;
}
