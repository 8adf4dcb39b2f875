/* gpusnap whatif: the recorded run under other settings. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/api/whatif_rows.h"
#include "analyzer/meaning/step_state.h"
#include "analyzer/replay/whatif.h"
#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/message.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/result.h"

/* "parameter, buffer, …" */
#define FOLLOWED(name, word, words) word ", "
#define CATEGORIES GS_CATEGORY_WORDS(FOLLOWED) "or a name of --rules-file"

/* Categories are scaled by what became of blocks, for which all events must be in memory, some 100
 * bytes each: up to so many. */
enum { SCALED_EVENTS = 1 << 24 };

typedef struct arguments {
	gs_common common;
	gs_texts confs;
	gs_whatif_options wanted;
	int64_t pad_to, pad_from;
	const char *minimize, *rules_file, *until;
	gs_texts scales;
	gs_category_rules *rules;
} arguments;

static gs_whatif_question question(const arguments *a)
{
	if (a->minimize)
		return GS_WHATIF_MINIMIZED;
	return a->confs.n ? GS_WHATIF_OF_CONFS : GS_WHATIF_SEARCHED;
}

static gs_status emit_rows(
	const gs_whatif *w, const gs_snapshot *s, const arguments *a, FILE *out, gs_error *err)
{
	const gs_emit_head head = {
		.complete = s->complete, .limit = gs_output_limit(&a->common), .width = gs_output_width()};
	uint64_t left = 0;
	gs_status status = gs_whatif_emit(
		w, question(a), gs_output_format_of(&a->common), &head, out, &left, err);

	if (!status)
		gs_output_left(left);
	return status;
}

static int print_rows(const gs_whatif *w, const gs_snapshot *s, const arguments *a)
{
	const gs_common *c = &a->common;
	gs_result result;
	gs_error err = GS_ERROR_INIT;
	int status = gs_result_open(&result, c, 0);

	if (status >= 0)
		return status;
	status = emit_rows(w, s, a, result.stream, &err) ? gs_fail_file(result.name, &err, NULL)
													 : GS_EXIT_DONE;
	return gs_result_close(&result, status);
}

static gs_status ask(gs_whatif *w, const arguments *a, gs_error *err)
{
	gs_status status = a->confs.n ? gs_whatif_try(w, a->confs.text, (size_t)a->confs.n, err)
								  : gs_whatif_search(w, err);
	return status || !a->minimize ? status : gs_whatif_minimize(w, err);
}

static void tell_pass(unsigned pass, uint64_t seen, uint64_t total)
{
	static unsigned told;
	char text[64];
	unsigned now = total ? (unsigned)(seen * 100 / total) : 0;
	if (now == told)
		return;
	told = now;
	snprintf(text, sizeof text, "pass %u: %u %%", pass, now);
	gs_progress_at(text);
}

static int answer(const void *context, const gs_snapshot *s)
{
	const arguments *a = context;
	gs_error err = GS_ERROR_INIT;
	gs_whatif w;
	if (s->excerpt)
		gs_progress_begin_doing("replaying", s->path);
	gs_status status = gs_whatif_open(&w, s, &a->wanted, &err);
	int exit_status;

	gs_progress_end();
	for (size_t i = 0; i < w.nnotes && !status; i++)
		gs_note("device %d: %s", w.device->device, w.notes[i].text);
	gs_progress_begin_doing("replaying", s->path ? s->path : "the run");
	if (!status)
		status = ask(&w, a, &err);
	gs_progress_end();
	if (status == GS_INVALID)
		exit_status = gs_fail_usage("whatif", NULL, "%s", err.text);
	else
		exit_status = status ? gs_fail_file(s->path, &err, NULL) : print_rows(&w, s, a);
	gs_whatif_release(&w);
	return exit_status;
}

static bool is_scaled(const arguments *a) { return a->wanted.rewrite.nscales > 0; }

static int read_until(arguments *a)
{
	int64_t number;
	bool peak;
	char *end = NULL;
	if (!a->until)
		return -1;
	if (gs_step_selector(a->until, &number, &peak)) {
		a->wanted.until_step = a->until;
		return -1;
	}
	if (isdigit((unsigned char)a->until[0]) && strlen(a->until) < 19)
		a->wanted.until = strtoll(a->until, &end, 10);
	if (!end || *end)
		return gs_fail_usage("whatif", "see `gpusnap help whatif`",
			"--until wants a whole number or a step, not `%.60s`", a->until);
	return -1;
}

static int read_scale(arguments *a, const char *text)
{
	gs_replay_rewrite *r = &a->wanted.rewrite;
	char name[48], *end = NULL;
	const char *equals = strchr(text, '=');
	size_t n = equals ? (size_t)(equals - text) : 0;
	double factor = n && n < sizeof name ? strtod(equals + 1, &end) : -1;
	if (!end || end == equals + 1 || *end || !(factor >= 0) || factor > 1e6)
		return gs_fail_usage("whatif", "for example --scale activation=0.5",
			"--scale wants CATEGORY=FACTOR, not `%.60s`", text);
	memcpy(name, text, n);
	name[n] = 0;
	if (r->nscales == GS_MOST_SCALES)
		return gs_fail_usage("whatif", NULL, "more than %d --scale", (int)GS_MOST_SCALES);
	r->scales[r->nscales] = (gs_replay_scale){gs_category_find(a->rules, name), factor};
	if (r->scales[r->nscales++].category < 0)
		return gs_fail_usage(
			"whatif", "there are " CATEGORIES, "no category is called `%.60s`", name);
	return -1;
}

static int read_meaning(arguments *a)
{
	int status = gs_inputs_rules(a->rules_file, &a->rules);
	a->wanted.rewrite.category_rules = a->rules;
	for (int i = 0; i < a->scales.n && status < 0; i++)
		status = read_scale(a, a->scales.text[i]);
	return status;
}

int gs_cmd_whatif(int argc, char **argv)
{
	arguments a = {.common = GS_COMMON_INIT,
		.wanted = GS_WHATIF_OPTIONS_INIT,
		.pad_to = GS_UNSET,
		.pad_from = GS_UNSET};
	const gs_option options[] = {
		{"conf", 0, GS_OPT_TEXTS, &a.confs, "TEXT",
			"settings as in PYTORCH_ALLOC_CONF, one row each; '' is PyTorch's defaults (without --conf: the recorded ones, then a searched set); `gpusnap help columns` explains the rows"},
		{"capacity", 0, GS_OPT_CAPACITY, &a.wanted.capacity, "SIZE",
			"total memory of the device to try" GS_OR_A_CARD
			" (default: what the recording shows)"},
		{"recorded-capacity", 0, GS_OPT_CAPACITY, &a.wanted.recorded_capacity, "SIZE",
			"total memory of the recorded device, where the file does not tell: a size or a card"},
		{"allowed", 0, GS_OPT_SIZE, &a.wanted.allowed, "SIZE",
			"limit on what the process may reserve"},
		{"rules", 0, GS_OPT_TEXT, &a.wanted.rules, "RELEASE",
			"PyTorch release whose rules hold (default: from the file, else the newest)"},
		{"until", 0, GS_OPT_TEXT, &a.until, "IDX",
			"replay up to this event, or to the end of a step: \"step 3\", \"step 3 peak\""},
		{"minimize", 0, GS_OPT_TEXT, &a.minimize, "capacity",
			"for each row, the smallest device on which the run passes"},
		{"scale", 0, GS_OPT_TEXTS, &a.scales, "CATEGORY=FACTOR",
			"as if memory of this category were so many times as large; activation=0.5 is half the batch"},
		GS_OPTION_RULES(a.rules_file),
		{"free", 0, GS_OPT_TEXT, &a.wanted.rewrite.free_pattern, "TEXT",
			"as if blocks whose stack holds TEXT had been freed before the OOM"},
		{"without", 0, GS_OPT_TEXT, &a.wanted.rewrite.without_tag, "TAG",
			"as if blocks with this tag had never been asked for"},
		{"pad-to", 0, GS_OPT_SIZE, &a.pad_to, "SIZE",
			"as if every request were rounded up to a multiple of SIZE"},
		{"pad-from", 0, GS_OPT_SIZE, &a.pad_from, "SIZE",
			"with --pad-to: only requests of at least SIZE"},
		{"device", 'd', GS_OPT_INT, &a.common.device, "DEVICE",
			"this device (default: the one whose OOM was last)"},
		{"rank", 0, GS_OPT_INT, &a.common.rank, "RANK", "the snapshot of this rank"},
		GS_OPTIONS_RESULT(a.common), GS_OPTIONS_OUTPUT(a.common), GS_OPTIONS_QUIET(a.common),
		GS_OPTIONS_END};
	gs_arguments files;
	int status = gs_options_parse(options, argc, argv, 0, GS_ANY_NUMBER, &files);

	if (status >= 0)
		return status;
	gs_message_quiet(a.common.quiet);
	gs_message_json(a.common.json);
	if (a.minimize && strcmp(a.minimize, "capacity"))
		return gs_fail_usage("whatif", "only --minimize capacity is known",
			"--minimize does not know \"%s\"", a.minimize);
	if (a.pad_to == 0)
		return gs_fail_usage("whatif", NULL, "--pad-to needs a size above 0");
	a.wanted.device = a.common.device;
	a.wanted.progress = tell_pass;
	a.wanted.rewrite.pad_to = a.pad_to == GS_UNSET ? 0 : (uint64_t)a.pad_to;
	a.wanted.rewrite.pad_from = a.pad_from == GS_UNSET ? 0 : (uint64_t)a.pad_from;
	status = read_until(&a);
	if (status < 0)
		status = read_meaning(&a);
	if (status < 0)
		status = gs_finish_stdout(gs_inputs_with_first(&files, &a.common, GS_WANT_HISTORY,
			is_scaled(&a) ? SCALED_EVENTS : GS_INPUT_WHOLE_EVENTS, !is_scaled(&a), "replayed",
			answer, &a));
	gs_category_rules_free(a.rules);
	return status;
}
