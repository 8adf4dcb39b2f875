/* gpusnap diagnose: why memory ran out. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/advice/advice.h"
#include "analyzer/advice/answer.h"
#include "analyzer/diagnose/others.h"
#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/message.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/voice.h"
#include "tools/result.h"

typedef struct diagnose_options {
	gs_common common;
	int64_t capacity, allowed, context;
	const char *message, *fail_on;
	double max_fragmentation;
	bool exit_code, verbose;
	const char *rules_file;
	gs_category_rules *rules;
} diagnose_options;

static const struct {
	const char *kind;
	int status;
} kinds[] = {
	{"fragmentation", 10},
	{"shortage", 11},
	{"outside", 12},
	{"limit", 12},
	{"defect", 13},
	{"unknown", 14},
};

static int status_of(const char *kind)
{
	for (size_t i = 0; kind && i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(kind, kinds[i].kind))
			return kinds[i].status;
	return 0;
}

/* Is one of the comma-separated words. */
static bool listed(const char *list, const char *word)
{
	size_t n = word ? strlen(word) : 0;
	for (const char *at = list; at && n; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (!strncmp(at, word, n) && (at[n] == ',' || !at[n]))
			return true;
	return false;
}

/* Every word of --fail-on must be a kind or a verdict. */
static int check_fail_on(const char *list)
{
	const char *words[GS_VERDICT_NONE + sizeof kinds / sizeof *kinds + 1] = {NULL};
	size_t n = 0;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		words[n++] = kinds[i].kind;
	for (int i = 0; i < GS_VERDICT_NONE; i++)
		words[n++] = gs_step_word((gs_step)i);
	for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		char word[40], hint[100];
		bool known = false;
		snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
		for (size_t i = 0; words[i]; i++)
			known |= !strcmp(words[i], word);
		if (known)
			continue;
		const char *near = gs_nearest_word(word, words);
		snprintf(hint, sizeof hint, "did you mean %s?", near ? near : "fragmentation");
		return gs_fail_usage("diagnose", hint, "--fail-on knows no kind `%s`", word);
	}
	return -1;
}

/* The pool that is worse than --max-fragmentation is named with its value. */
static bool is_too_fragmented(const diagnose_options *o, const gs_diagnosis *d)
{
	const gs_pool_fit *r;
	double worst = gs_diagnosis_fragmentation(d, &r);
	if (o->max_fragmentation < 0 || worst <= o->max_fragmentation || !r)
		return false;
	fprintf(stderr,
		"gpusnap: fragmentation %.3f of the %s pool %" PRIu64 ",%" PRIu64 " on stream %" PRIu64
		" is above %g\n",
		worst, r->pool == GS_SMALL ? "small" : "large", r->pool_id.a, r->pool_id.b, r->stream,
		o->max_fragmentation);
	return true;
}

/* What a verdict counts for: with --exit-code any, else those of --fail-on. */
static int counted(const diagnose_options *o, gs_step verdict)
{
	bool counts = o->exit_code || listed(o->fail_on, gs_step_kind(verdict)) ||
		listed(o->fail_on, gs_step_word(verdict));
	return counts ? status_of(gs_step_kind(verdict)) : 0;
}

/* The worst of all failures: a defect, fragmentation, what came from outside, a shortage, the
 * unknown. */
static int exit_status(const diagnose_options *o, const gs_diagnosis *d)
{
	static const int worst[] = {13, 10, 12, 11, 14};
	for (size_t k = 0; k < sizeof worst / sizeof *worst; k++) {
		bool found = counted(o, d->verdict) == worst[k];
		for (size_t i = 0; i < d->nothers; i++)
			found |= counted(o, d->others_list[i].verdict) == worst[k];
		if (found)
			return worst[k];
	}
	return is_too_fragmented(o, d) ? 10 : GS_EXIT_DONE;
}

static void print(const diagnose_options *o, const gs_diagnosis *d, FILE *out)
{
	gs_voice voice = gs_voice_of(&o->common, o->verbose);
	if (o->common.format == GS_FORMAT_JSON || o->common.format == GS_FORMAT_JSONL || o->common.json)
		gs_diagnosis_print_json(d, out);
	else
		gs_diagnosis_print(d, out, &voice);
}

static int print_result(const diagnose_options *o, const gs_diagnosis *d)
{
	gs_result result;
	int status = gs_result_open(&result, &o->common, 0);
	if (status >= 0)
		return status;
	print(o, d, result.stream);
	return gs_result_close(&result, exit_status(o, d));
}

static int diagnose(const diagnose_options *o, const gs_snapshot *s, const gs_snapshot *message,
	const gs_failure *failures, size_t n)
{
	gs_diagnose_options options = GS_DIAGNOSE_OPTIONS_INIT;
	gs_diagnosis d;
	gs_error err = GS_ERROR_INIT;
	options.any_device = o->common.device == GS_UNSET;
	options.device = options.any_device ? 0 : (int32_t)o->common.device;
	options.state = o->common.state;
	options.capacity = o->capacity;
	options.allowed = o->allowed;
	options.context = o->context;
	options.message = message;
	options.rules = o->rules;
	gs_status status = gs_diagnose_failures(s, &options, failures, n, &d, &err);
	if (!status)
		status = gs_advise(&d, true, &err);
	int result = GS_EXIT_DONE;
	if (status == GS_INVALID)
		result = gs_fail_usage("diagnose", "see `gpusnap help state`", "%s", err.text);
	else if (status)
		result = gs_fail_file(s->path, &err, NULL);
	else
		result = print_result(o, &d);
	gs_diagnosis_release(&d);
	return result;
}

/* --message FILE: the error's text, or - for standard input. */
static int read_message(const diagnose_options *o, gs_snapshot *message)
{
	gs_error err = GS_ERROR_INIT;
	if (o->message && gs_read_path(o->message, GS_WANT_HISTORY, message, &err))
		return gs_fail_file(o->message, &err, NULL);
	if (o->message && !message->nooms)
		gs_warn(o->message, "no out-of-memory message in it");
	return -1;
}

/* Of several failures the first; the others beside it. */
static int tell(const diagnose_options *o, const gs_input *input, const gs_snapshot *message)
{
	gs_failure *failures = NULL;
	size_t n = 0;
	gs_error err = GS_ERROR_INIT;
	bool any_device = o->common.device == GS_UNSET;
	if (gs_failures_of(input->snapshots, input->n, any_device,
			any_device ? 0 : (int32_t)o->common.device, &failures, &n)) {
		gs_no_memory(&err);
		return gs_fail_file("diagnose", &err, NULL);
	}
	const gs_snapshot *s = n ? failures[0].snapshot : gs_inputs_healthy(input, o->common.device);
	if (input->n > 1)
		gs_note("%zu snapshots; diagnosed: %s (another: --rank, or name its file)", input->n,
			s->path ? s->path : "the first");
	int status = diagnose(o, s, message, failures, n);
	free(failures);
	return status;
}

static int run(const diagnose_options *o, const gs_arguments *files)
{
	gs_input input = GS_INPUT_INIT;
	gs_snapshot message;
	gs_snapshot_init(&message);
	int status = read_message(o, &message);
	if (status < 0)
		status = gs_inputs_open_state(
			files, &o->common, GS_WANT_HISTORY | GS_WANT_FAILURES, &input);
	if (status < 0)
		status = tell(o, &input, o->message ? &message : NULL);
	gs_input_release(&input);
	gs_snapshot_release(&message);
	return status;
}

int gs_cmd_diagnose(int argc, char **argv)
{
	diagnose_options o = {
		GS_COMMON_INIT, GS_UNSET, GS_UNSET, GS_UNSET, NULL, NULL, -1, false, false, NULL, NULL};
	const gs_option options[] = {GS_OPTIONS_SELECT(o.common),
		{"capacity", 0, GS_OPT_CAPACITY, &o.capacity, "SIZE",
			"total memory of the device, where the file does not tell" GS_OR_A_CARD},
		{"allowed", 0, GS_OPT_SIZE, &o.allowed, "SIZE",
			"what a memory fraction allowed the process"},
		{"context", 0, GS_OPT_SIZE, &o.context, "SIZE",
			"what a process needs outside its allocator (default 1GiB)"},
		{"message", 0, GS_OPT_TEXT, &o.message, "FILE",
			"the text of the error: it tells capacity, free memory, limits"},
		{"format", 0, GS_OPT_FORMAT, &o.common.format, "FORMAT",
			"json, or markdown for a bug report (default: plain text)"},
		{"json", 0, GS_OPT_FLAG, &o.common.json, 0, "the same as --format json"},
		{"exit-code", 0, GS_OPT_FLAG, &o.exit_code, 0,
			"exit 10 for fragmentation, 11 shortage, 12 outside or limit, 13 defect, 14 unknown"},
		{"fail-on", 0, GS_OPT_TEXT, &o.fail_on, "KIND,…", "exit so for these kinds only"},
		{"max-fragmentation", 0, GS_OPT_REAL, &o.max_fragmentation, "X",
			"exit 10 where fragmentation of a pool is above X (cache that can go back does not count)"},
		GS_OPTION_RULES(o.rules_file),
		{"verbose", 'v', GS_OPT_FLAG, &o.verbose, 0, "all steps, rows and stacks"},
		GS_OPTIONS_OUTPUT(o.common), GS_OPTIONS_QUIET(o.common), GS_OPTIONS_END};
	gs_arguments files;
	int status = gs_options_parse(options, argc, argv, 0, GS_ANY_NUMBER, &files);
	if (status < 0)
		status = check_fail_on(o.fail_on);
	if (status < 0)
		status = gs_inputs_rules(o.rules_file, &o.rules);
	if (status < 0)
		status = run(&o, &files);
	gs_category_rules_free(o.rules);
	return status;
}
