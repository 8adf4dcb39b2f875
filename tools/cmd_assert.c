/* gpusnap assert: what must hold of the figures of each device, for a test or a script. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/model/memory.h"
#include "tools/assert.h"
#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/message.h"
#include "tools/output.h"

static int answer(const gs_assert_options *o, const char *sql)
{
	gs_session *session = NULL;
	gs_error err = GS_ERROR_INIT;
	gs_assert_outcome out = {.complete = true};
	gs_session_options from = {.paths = o->files,
		.npaths = o->nfiles,
		.state = o->common.state,
		.device = o->common.device,
		.rank = o->common.rank,
		.note = gs_inputs_note,
		.rules = o->rules};
	int result;
	gs_progress_begin(o->nfiles ? o->files[0] : "the newest dump");
	gs_status status = gs_session_open(&from, &session, &err);
	if (!status)
		status = gs_assert_ask(o, session, sql, &out, &err);
	gs_progress_end();
	gs_inputs_tell_losses(gs_session_losses(session));
	if (status == GS_INVALID)
		result = gs_fail_usage(
			"assert", "`gpusnap assert --list` names the figures", "%s", err.text);
	else
		result = status ? gs_fail_file(gs_session_failed(session), &err, NULL)
						: gs_assert_print(o, &out);
	for (size_t i = 0; i < out.n; i++)
		free(out.all[i].snapshot);
	gs_memory_give(out.all);
	gs_session_close(session);
	return result;
}

static int check(const gs_assert_options *o)
{
	gs_error err = GS_ERROR_INIT;
	char *sql = malloc(GS_ASSERT_SQL), *failed = NULL;
	int status;
	if (!sql)
		gs_fail(&err, GS_NO_MEMORY, "a question");
	if (!sql || gs_assert_write(o, sql, &failed, &err))
		status = gs_fail_file(failed ? failed : o->base, &err, NULL);
	else
		status = answer(o, sql);
	free(failed);
	free(sql);
	return status;
}

static int print_list(const gs_assert_options *o)
{
	gs_error err = GS_ERROR_INIT;
	gs_emitter *e = NULL;
	const gs_column list[] = {{"name", GS_UNIT_NONE}, {"meaning", GS_UNIT_NONE}};
	gs_emit_head head = {"list", NULL, true, list, 2, 0, gs_output_width(), false, NULL};
	gs_status status = gs_emit_open(stdout, gs_output_format_of(&o->common), &head, &e, &err);
	for (size_t i = 0; i < gs_nfigures && !status; i++) {
		const gs_value row[] = {
			gs_value_text(gs_figures[i].name), gs_value_text(gs_figures[i].meaning)};
		status = gs_emit_row(e, row, &err);
	}
	if (e)
		gs_emit_close(e, status != GS_OK, NULL);
	return status ? gs_fail_file(NULL, &err, NULL) : GS_EXIT_DONE;
}

/* Neither blanks nor signs that compare: it was to be an input. */
static bool looks_like_file(const char *text) { return !text[strcspn(text, " <>=!")]; }

static int refuse(const char *typed, const gs_error *err)
{
	const char *names[64] = {NULL};
	char word[64] = "", hint[120] = "`gpusnap assert --list` names the figures";
	for (size_t i = 0; i < gs_nfigures; i++)
		names[i] = gs_figures[i].name;
	const char *quoted = strchr(err->text, '`');
	if (err->status == GS_NOT_FOUND && quoted)
		snprintf(word, sizeof word, "%.*s", (int)strcspn(quoted + 1, "`"), quoted + 1);
	const char *near = *word ? gs_nearest_word(word, names) : NULL;
	if (near)
		snprintf(hint, sizeof hint, "did you mean %s? `gpusnap assert --list` names all", near);
	if (!near && looks_like_file(typed))
		return gs_fail_usage(
			"assert", hint, "`%.80s` is no file that there is, and no assertion", typed);
	return gs_fail_usage("assert", hint, "`%.80s`: %s", typed, err->text);
}

/* What exists is an input, the rest are assertions. */
static int sort_arguments(gs_assert_options *o, const gs_arguments *arguments)
{
	struct stat st;
	gs_error err = GS_ERROR_INIT;
	for (int i = 0; i < arguments->n; i++) {
		const char *text = arguments->text[i];
		if (!strcmp(text, "-") || !stat(text, &st))
			o->files[o->nfiles++] = text;
		else if (gs_assertion_parse(text, &o->all[o->n], &err))
			return refuse(text, &err);
		else if (o->all[o->n++].base && !o->base)
			return gs_fail_usage("assert", NULL, "`%.80s` compares with a base: --base FILE", text);
	}
	return o->n ? -1
				: gs_fail_usage("assert", "for example gpusnap assert FILE 'peak_reserved < 38GiB'",
					  "what is to be asserted?");
}

static int assert_all(gs_assert_options *o, const gs_arguments *arguments)
{
	if (arguments->n > GS_ASSERT_MOST)
		return gs_fail_usage("assert", NULL, "more than %d arguments", (int)GS_ASSERT_MOST);
	o->all = calloc((size_t)arguments->n + 1, sizeof *o->all);
	if (!o->all) {
		gs_error err = GS_ERROR_INIT;
		gs_fail(&err, GS_NO_MEMORY, "a list");
		return gs_fail_file("assert", &err, NULL);
	}
	int status = sort_arguments(o, arguments);
	if (status < 0)
		status = gs_inputs_rules(o->rules_file, &o->rules);
	if (status < 0)
		status = check(o);
	gs_category_rules_free(o->rules);
	free(o->all);
	return status;
}

int gs_cmd_assert(int argc, char **argv)
{
	gs_assert_options o = {.common = GS_COMMON_INIT};
	const gs_option options[] = {
		{"base", 0, GS_OPT_TEXT, &o.base, "FILE", "an input whose figures are base.NAME"},
		{"list", 0, GS_OPT_FLAG, &o.list, 0, "the figures, each with its meaning"},
		GS_OPTION_RULES(o.rules_file), GS_OPTIONS_SELECT(o.common), GS_OPTIONS_RESULT(o.common),
		GS_OPTIONS_OUTPUT(o.common), GS_OPTIONS_QUIET(o.common), GS_OPTIONS_END};
	gs_arguments arguments;
	int status = gs_options_parse(options, argc, argv, 0, GS_ANY_NUMBER, &arguments);
	if (status >= 0)
		return status;
	return o.list ? print_list(&o) : assert_all(&o, &arguments);
}
