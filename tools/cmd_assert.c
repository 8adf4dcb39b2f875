/* gpusnap assert: what must hold of the figures of each device, for a test or a script. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/query/assertion.h"
#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"
#include "analyzer/query/query.h"
#include "analyzer/query/untold.h"
#include "analyzer/store/db.h"
#include "schema/size.h"
#include "schema/sql.h"
#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/message.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/result.h"

enum { EXIT_FALSE = 20, MOST = 64, SQL_ROOM = 512 * 1024, SENTENCE = 400 };

typedef struct assert_options {
	gs_common common;
	bool list;
	const char *base, *rules_file;
	gs_category_rules *rules;
	gs_assertion *all;
	size_t n;
	const char *files[MOST];
	size_t nfiles;
} assert_options;

/* --- rows ------------------------------------------------------------------------------------- */

static const gs_column columns[] = {
	{"rank", GS_UNIT_NONE},
	{"snapshot", GS_UNIT_NONE},
	{"device", GS_UNIT_NONE},
	{"assertion", GS_UNIT_NONE},
	{"holds", GS_UNIT_BOOLEAN},
	{"figure", GS_UNIT_NONE},
	{"value", GS_UNIT_NONE},
	{"says", GS_UNIT_NONE},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

typedef struct broken { /* an assertion that is not true of a device */
	int64_t rank, device;
	char *snapshot;
	const gs_assertion *assertion;
	bool unknown;
	gs_value value;
	char why[GS_UNTOLD]; /* the figure is not known, "" no reason */
	char says[SENTENCE];
} broken;

typedef struct outcome {
	broken *all;
	size_t n, cap, devices;
	bool complete;
	char state[48];
} outcome;

static gs_value value_at(sqlite3_stmt *q, int column)
{
	if (sqlite3_column_type(q, column) == SQLITE_NULL)
		return (gs_value){.type = GS_VALUE_NULL};
	if (sqlite3_column_type(q, column) == SQLITE_FLOAT)
		return (gs_value){.type = GS_VALUE_REAL, .real = sqlite3_column_double(q, column)};
	return (gs_value){.type = GS_VALUE_INT, .integer = sqlite3_column_int64(q, column)};
}

/* "peak_reserved is 1000 MiB". */
static void say(broken *b)
{
	const gs_assertion *a = b->assertion;
	const gs_figure *f = a->told < 0 ? NULL : &gs_figures[a->told];
	char size[32];
	int n = 0;
	if (f && b->value.type == GS_VALUE_NULL)
		n = snprintf(
			b->says, sizeof b->says, "%s is not known%s%s", f->name, *b->why ? ": " : "", b->why);
	else if (f && b->value.type == GS_VALUE_REAL)
		n = snprintf(b->says, sizeof b->says, "%s is %.3g", f->name, b->value.real);
	else if (f && f->unit == GS_UNIT_BYTES && b->value.integer >= 0)
		n = snprintf(b->says, sizeof b->says, "%s is %s", f->name,
			gs_size_format(size, sizeof size, (uint64_t)b->value.integer));
	else if (f)
		n = snprintf(b->says, sizeof b->says, "%s is %lld", f->name, (long long)b->value.integer);
	if (b->unknown && (!f || b->value.type != GS_VALUE_NULL))
		snprintf(b->says + n, sizeof b->says - (size_t)n, "%sunknown: a figure is not known",
			n ? ", " : "");
}

/* For people a figure of bytes is a size. */
static gs_value shown_value(const broken *b, gs_format format, char size[32])
{
	const gs_assertion *a = b->assertion;
	bool people = format == GS_FORMAT_TABLE || format == GS_FORMAT_MARKDOWN;
	if (!people || a->told < 0 || gs_figures[a->told].unit != GS_UNIT_BYTES ||
		b->value.type != GS_VALUE_INT || b->value.integer < 0)
		return b->value;
	return gs_value_text(gs_size_format(size, 32, (uint64_t)b->value.integer));
}

static gs_status put_row(gs_emitter *e, const broken *b, gs_format format, gs_error *err)
{
	char size[32];
	const gs_value row[COLUMNS] = {gs_value_int(b->rank), gs_value_text(b->snapshot),
		gs_value_int(b->device), gs_value_text(b->assertion->text),
		b->unknown ? (gs_value){.type = GS_VALUE_NULL} : gs_value_int(0),
		gs_value_text(b->assertion->told < 0 ? NULL : gs_figures[b->assertion->told].name),
		shown_value(b, format, size), gs_value_text(b->says)};
	gs_status status = gs_emit_row(e, row, err);
	return status == GS_END ? GS_OK : status;
}

static void summarise(const assert_options *o, const outcome *out, char *text, size_t cap)
{
	const char *s = o->n == 1 ? "" : "s", *devices = out->devices == 1 ? "" : "s";
	if (!out->devices)
		snprintf(text, cap, "no device to assert anything of");
	else if (!out->n)
		snprintf(text, cap, "%zu assertion%s hold%s on %zu device%s", o->n, s, o->n == 1 ? "s" : "",
			out->devices, devices);
	else
		snprintf(text, cap, "%zu of %zu assertion%s on %zu device%s %s not true", out->n,
			o->n * out->devices, o->n * out->devices == 1 ? "" : "s", out->devices, devices,
			out->n == 1 ? "is" : "are");
}

static int print(const assert_options *o, const outcome *out)
{
	gs_result result;
	gs_error err = GS_ERROR_INIT;
	gs_emitter *e = NULL;
	char summary[160];
	uint64_t left = 0;
	int status = gs_result_open(&result, &o->common, 0);
	if (status >= 0)
		return status;
	summarise(o, out, summary, sizeof summary);
	gs_emit_head head = {"assert", *out->state ? out->state : NULL, out->complete, columns, COLUMNS,
		gs_output_limit(&o->common), gs_output_width(), false, summary};
	gs_format format = gs_output_format_of(&o->common);
	gs_status wrote = GS_OK;
	if (format == GS_FORMAT_TABLE && !out->n)
		fprintf(result.stream, "%s\n", summary); /* a head without rows says nothing more */
	else
		wrote = gs_emit_open(result.stream, format, &head, &e, &err);
	for (size_t i = 0; i < out->n && !wrote; i++)
		wrote = put_row(e, &out->all[i], format, &err);
	if (e)
		gs_emit_close(e, wrote != GS_OK, &left);
	gs_output_left(left);
	status = wrote                ? gs_fail_file(result.name, &err, NULL)
		: out->n || !out->devices ? EXIT_FALSE
								  : GS_EXIT_DONE;
	return gs_result_close(&result, status);
}

/* --- the question ------------------------------------------------------------------------------
 */

/* The base's figures as one row a device: base(device, base_NAME…). */
static gs_status put_base(const assert_options *o, FILE *sql, char **failed, gs_error *err)
{
	gs_session *session = NULL;
	sqlite3_stmt *q = NULL;
	gs_session_options from = {.paths = &o->base,
		.npaths = 1,
		.state = o->common.state,
		.device = GS_NONE,
		.rank = GS_NONE,
		.note = gs_inputs_note,
		.rules = o->rules};
	gs_status status = gs_session_open(&from, &session, err);
	if (!status)
		status = gs_session_query(session, gs_sql_text("query/figures.sql"), true, 0, &q, err);
	fputs(", base(base_device", sql);
	for (size_t i = 0; i < gs_nfigures; i++)
		fprintf(sql, ", base_%s", gs_figures[i].name);
	fputs(") AS (", sql);
	for (size_t n = 0; !status && sqlite3_step(q) == SQLITE_ROW; n++)
		for (int i = 1; i < (int)gs_nfigures + 2; i++) {
			const char *text = (const char *)sqlite3_column_text(q, i);
			fprintf(sql, "%s%s%s",
				i > 1   ? ", "
					: n ? " UNION ALL SELECT "
						: "SELECT ",
				text ? text : "NULL", "");
		}
	fputs(")", sql);
	if (status && gs_session_failed(session))
		*failed = strdup(gs_session_failed(session));
	sqlite3_finalize(q);
	gs_session_close(session);
	return status;
}

/* SELECT snapshot_id, device, (expression), its figure, … FROM figures. */
static gs_status write_sql(const assert_options *o, char *text, char **failed, gs_error *err)
{
	FILE *sql = fmemopen(text, SQL_ROOM, "w");
	gs_status status = GS_OK;
	if (!sql)
		return gs_fail(err, GS_NO_MEMORY, "a question");
	fprintf(sql, "WITH figures AS (%s)", gs_sql_text("query/figures.sql"));
	if (o->base)
		status = put_base(o, sql, failed, err);
	fputs(" SELECT snapshot_id, device", sql);
	for (size_t i = 0; i < o->n; i++)
		fprintf(sql, ", (%s), %s", o->all[i].sql,
			o->all[i].told < 0 ? "NULL" : gs_figures[o->all[i].told].name);
	fputs(", events, steps, whole_steps", sql);
	fputs(o->base ? " FROM figures LEFT JOIN base ON base_device IS device" : " FROM figures", sql);
	bool full = fflush(sql) || ferror(sql);
	fclose(sql);
	return status || !full ? status : gs_fail(err, GS_LIMIT, "too many assertions");
}

/* Growth alone has a reason that is worth telling: it takes steps. */
static void explain(broken *b, sqlite3_stmt *q, int events)
{
	if (b->value.type == GS_VALUE_NULL && b->assertion->told >= 0 &&
		!strcmp(gs_figures[b->assertion->told].name, "growth"))
		gs_untold_growth(sqlite3_column_int64(q, events), sqlite3_column_int64(q, events + 1),
			sqlite3_column_int64(q, events + 2), b->why, sizeof b->why);
}

static gs_status take_row(
	const assert_options *o, gs_session *session, sqlite3_stmt *q, outcome *out, gs_error *err)
{
	const char *path = NULL;
	int64_t rank = GS_NONE;
	if (!GS_ARRAY_RESERVE(out->all, out->cap, out->n + o->n))
		return gs_fail(err, GS_NO_MEMORY, "a list");
	out->devices++;
	gs_session_snapshot(session, sqlite3_column_int64(q, 0), &rank, &path);
	for (size_t i = 0; i < o->n; i++) {
		int at = 2 + 2 * (int)i;
		bool unknown = sqlite3_column_type(q, at) == SQLITE_NULL;
		if (!unknown && sqlite3_column_double(q, at) != 0)
			continue;
		broken *b = &out->all[out->n++];
		*b = (broken){rank, gs_db_get(q, 1), path ? strdup(path) : NULL, &o->all[i], unknown,
			value_at(q, at + 1), "", ""};
		explain(b, q, 2 + 2 * (int)o->n);
		say(b);
	}
	return GS_OK;
}

static gs_status wanted(
	const assert_options *o, gs_session *session, const char *sql, outcome *out, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_session_query(session, sql, true, 30, &q, err);
	if (status == GS_SQL)
		err->status = status = GS_INVALID;
	while (!status && sqlite3_step(q) == SQLITE_ROW)
		status = take_row(o, session, q, out, err);
	gs_session_stop_clock(session);
	if (!status) {
		const char *state = gs_session_state(session);
		snprintf(out->state, sizeof out->state, "%s", state ? state : "");
		out->complete = gs_session_complete(session);
	}
	sqlite3_finalize(q);
	return status;
}

static int answer(const assert_options *o, const char *sql)
{
	gs_session *session = NULL;
	gs_error err = GS_ERROR_INIT;
	outcome out = {.complete = true};
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
		status = wanted(o, session, sql, &out, &err);
	gs_progress_end();
	gs_inputs_tell_losses(gs_session_losses(session));
	if (status == GS_INVALID)
		result = gs_fail_usage(
			"assert", "`gpusnap assert --list` names the figures", "%s", err.text);
	else
		result = status ? gs_fail_file(gs_session_failed(session), &err, NULL) : print(o, &out);
	for (size_t i = 0; i < out.n; i++)
		free(out.all[i].snapshot);
	gs_memory_give(out.all);
	gs_session_close(session);
	return result;
}

static int check(const assert_options *o)
{
	gs_error err = GS_ERROR_INIT;
	char *sql = malloc(SQL_ROOM), *failed = NULL;
	int status;
	if (!sql)
		gs_fail(&err, GS_NO_MEMORY, "a question");
	if (!sql || write_sql(o, sql, &failed, &err))
		status = gs_fail_file(failed ? failed : o->base, &err, NULL);
	else
		status = answer(o, sql);
	free(failed);
	free(sql);
	return status;
}

/* --- the command line --------------------------------------------------------------------------
 */

static int print_list(const assert_options *o)
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
	return gs_fail_usage("assert", hint, "`%.80s`: %s", typed, err->text);
}

/* What exists is an input, the rest are assertions. */
static int sort_arguments(assert_options *o, const gs_arguments *arguments)
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

static int assert_all(assert_options *o, const gs_arguments *arguments)
{
	if (arguments->n > MOST)
		return gs_fail_usage("assert", NULL, "more than %d arguments", (int)MOST);
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
	assert_options o = {.common = GS_COMMON_INIT};
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
