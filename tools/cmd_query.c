/* gpusnap query: a named query or SQL about snapshots. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzer/meaning/step_state.h"
#include "analyzer/query/guard.h"
#include "analyzer/query/query.h"
#include "schema/outfile.h"
#include "tools/command.h"
#include "tools/fleet.h"
#include "tools/inputs.h"
#include "tools/message.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/output_name.h"
#include "tools/result.h"

enum { MAX_SQL = 1000000 };

typedef struct query_options {
	gs_common common;
	bool list, all_frames;
	const char *show, *by, *since, *rules_file;
	gs_category_rules *rules;
	double timeout;
} query_options;

static int print_list(const query_options *o)
{
	gs_query q;
	gs_error err = GS_ERROR_INIT;
	gs_emitter *e = NULL;
	const gs_column columns[] = {{"name", GS_UNIT_NONE}, {"description", GS_UNIT_NONE}};
	gs_emit_head head = {"list", NULL, true, columns, 2, 0, gs_output_width(), false, NULL};
	gs_status status = gs_emit_open(stdout, gs_output_format(o->common.format), &head, &e, &err);
	for (size_t i = 0; !status && gs_query_at(i, &q); i++) {
		gs_value row[] = {{GS_VALUE_TEXT, 0, 0, q.name, strlen(q.name)},
			{GS_VALUE_TEXT, 0, 0, q.description, strlen(q.description)}};
		status = gs_emit_row(e, row, &err);
	}
	if (e)
		gs_emit_close(e, status != GS_OK, NULL);
	return status ? gs_fail_file(NULL, &err, NULL) : GS_EXIT_DONE;
}

static int print_sql(const char *name)
{
	gs_query q;
	gs_error err = GS_ERROR_INIT;
	if (gs_query_find(name, &q, &err))
		return gs_fail_usage("query", "`gpusnap query --list` names them all", "%s", err.text);
	fputs(q.sql, stdout);
	return GS_EXIT_DONE;
}

/* SQL from standard input, in one piece. */
static char *read_sql(gs_error *err)
{
	char *text = malloc(MAX_SQL + 1);
	size_t n = text ? fread(text, 1, MAX_SQL + 1, stdin) : 0;
	if (!text || n > MAX_SQL || ferror(stdin)) {
		gs_fail(err, n > MAX_SQL ? GS_LIMIT : GS_IO, "%s",
			n > MAX_SQL ? "SQL of more than 1000000 bytes" : strerror(errno));
		free(text);
		return NULL;
	}
	text[n] = 0;
	if (strlen(text) != n) {
		gs_fail(err, GS_INVALID, "SQL with a zero byte in it");
		free(text);
		return NULL;
	}
	return text;
}

/* SQL that would change something. */
static bool is_forbidden_sql(const char *typed)
{
	static const char *const words[] = {"INSERT ", "UPDATE ", "DELETE ", "REPLACE ", "DROP ",
		"CREATE ", "ALTER ", "ATTACH ", "DETACH ", "VACUUM", "BEGIN", "COMMIT", "ANALYZE",
		"REINDEX"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strncasecmp(typed + strspn(typed, " \t\n"), words[i], strlen(words[i])))
			return true;
	return false;
}

static int wrong_query(const char *typed, const gs_error *err)
{
	char hint[300];
	if (is_forbidden_sql(typed))
		return gs_fail_usage("query", "SQL begins with SELECT, WITH, VALUES, EXPLAIN or PRAGMA",
			"a query only reads: `%.60s`", typed);
	if (!access(typed, F_OK)) {
		snprintf(hint, sizeof hint, "the last argument is the query: gpusnap query %.200s summary",
			typed);
		return gs_fail_usage("query", hint, "`%s` is a file, not a query", typed);
	}
	const char *of_fleet = gs_fleet_question(typed);
	if (of_fleet) {
		snprintf(hint, sizeof hint,
			"gpusnap fleet FOLDER -o OUT makes tables of many dumps; then gpusnap query OUT \"%s\"",
			of_fleet);
		return gs_fail_usage(
			"query", hint, "`%s` is a question for the tables of a fleet, not for dumps", of_fleet);
	}
	return gs_fail_usage("query",
		"`gpusnap query --list` names them all; SQL begins with SELECT, WITH, VALUES, EXPLAIN or PRAGMA",
		"%s", err->text);
}

enum { TABLES = 800 };

static const char *name_tables(char hint[TABLES])
{
	int n = snprintf(hint, TABLES, "the tables: ");
	gs_query_tables(hint + n, TABLES - (size_t)n);
	return hint;
}

/* `.tables`, `.schema`, `.schema TABLE`. */
static int find_dot(const char *typed, gs_query *named)
{
	gs_error err = GS_ERROR_INIT;
	char hint[TABLES];
	if (!gs_query_find_dot(typed, named, &err))
		return -1;
	return gs_fail_usage(
		"query", strstr(err.text, "no table") ? name_tables(hint) : NULL, "%s", err.text);
}

/* SQL about a table that is not there: what there is. */
static int failed(const gs_session *session, const gs_error *err)
{
	char hint[TABLES];
	const char *about = gs_session_failed(session) ? gs_session_failed(session) : "query";
	bool lost = err->status == GS_SQL && strstr(err->text, "no such table");
	return gs_fail_file(about, err, lost ? name_tables(hint) : NULL);
}

static int check_by(const char *by)
{
	static const char *const words[] = {"stack", "line", "function", "file", "module", NULL};
	for (int i = 0; words[i]; i++)
		if (!by || !strcmp(by, words[i]))
			return -1;
	return gs_fail_usage(
		"query", NULL, "--by wants stack, line, function, file or module, not `%s`", by);
}

/* A state is a word or a number: what is neither is a mistake of usage, told before any file is
 * read. */
static int check_state(const char *state)
{
	static const char *const words[] = {"captured", "oom", "peak", "peak reserved", NULL};
	char *end = NULL;
	if (!state)
		return -1;
	for (int i = 0; words[i]; i++)
		if (!strcmp(state, words[i]))
			return -1;
	int64_t step;
	bool peak;
	if (gs_step_selector(state, &step, &peak))
		return -1;
	const char *number = !strncmp(state, "oom ", 4) ? state + 4 : state;
	strtoull(number, &end, 10);
	if (*number >= '0' && *number <= '9' && !*end)
		return -1;
	const char *near = gs_nearest_word(state, words);
	char hint[80];
	snprintf(hint, sizeof hint, "did you mean %s? see `gpusnap help state`", near ? near : "oom");
	return gs_fail_usage("query", hint, "no state is called `%s`", state);
}

/* Where the folder for temporary files is full or missing, memory will do. */
static FILE *open_kept(void)
{
	FILE *kept = tmpfile();
	int fd = kept ? -1 : memfd_create("answer", MFD_CLOEXEC);
	return kept || fd < 0 ? kept : fdopen(fd, "w+");
}

/* SQL that cannot be stopped: the command ends instead. */
static void end_at_once(double seconds)
{
	gs_error err = GS_ERROR_INIT;
	gs_fail(&err, GS_TIMEOUT, "SQL: stopped after %g s (--timeout SECONDS allows more)", seconds);
	gs_outfile_remove_watched();
	_exit(gs_fail_file("query", &err, NULL));
}

/* The answer is kept back until it is whole: after a failure nothing of it may have been seen. */
static int answer(const query_options *o, const gs_query_options *wanted,
	const gs_session_options *from, FILE *out)
{
	gs_session *session = NULL;
	gs_error err = GS_ERROR_INIT;
	uint64_t left = 0, rows = 0;
	FILE *kept = open_kept();
	int exit_status = GS_EXIT_DONE;
	gs_status status = kept ? GS_OK : gs_fail(&err, GS_IO, "temporary file: %s", strerror(errno));
	if (!status)
		status = gs_session_open(from, &session, &err);
	gs_progress_begin(from->npaths ? from->paths[0] : "the newest dump");
	if (!status)
		status = gs_query_answer(session, wanted, kept, &left, &rows, &err);
	gs_progress_end();
	gs_inputs_tell_losses(gs_session_losses(session));
	if (status == GS_INVALID)
		exit_status = gs_fail_usage("query", NULL, "%s", err.text);
	else if (status)
		exit_status = failed(session, &err);
	else if (gs_output_copy(kept, out, &err))
		exit_status = gs_fail_file(o->common.output, &err, NULL);
	else
		gs_output_left(left);
	gs_session_close(session);
	if (kept)
		fclose(kept);
	return exit_status;
}

static int run(
	const query_options *o, const gs_query_options *wanted, const gs_session_options *from)
{
	gs_result result;
	int status = gs_result_open(&result, &o->common, 0);
	return status >= 0 ? status : gs_result_close(&result, answer(o, wanted, from, result.stream));
}

/* `.schema TABLE` as two arguments is one question. */
static bool is_split_dot(const gs_arguments *a)
{
	return a->n > 1 && !strcmp(a->text[a->n - 2], ".schema") && access(".schema", F_OK);
}

static int query(query_options *o, const gs_arguments *arguments)
{
	gs_query named;
	char joined[80];
	int nfiles = arguments->n - 1 - is_split_dot(arguments);
	gs_error err = GS_ERROR_INIT;
	char *typed = arguments->text[arguments->n - 1], *sql = NULL;
	if (is_split_dot(arguments)) {
		snprintf(joined, sizeof joined, ".schema %.60s", typed);
		typed = joined;
	}
	gs_query_options wanted = {NULL, typed, o->by, o->timeout, gs_output_format_of(&o->common),
		gs_output_limit(&o->common), gs_output_width()};
	if (!strcmp(typed, "-")) {
		if (!(sql = read_sql(&err)))
			return gs_fail_file("standard input", &err, NULL);
		wanted.sql = sql;
	} else if (*typed == '.' && access(typed, F_OK)) {
		int status = find_dot(typed, &named);
		if (status >= 0)
			return status;
		wanted.named = &named;
	} else if (!gs_query_is_sql(typed)) {
		if (gs_query_find(typed, &named, &err))
			return wrong_query(typed, &err);
		wanted.named = &named;
	}
	gs_session_options from = {(const char *const *)arguments->text, (size_t)nfiles,
		o->common.state, o->common.device, o->common.rank, o->all_frames, gs_inputs_note, NULL,
		NULL, {NULL, 0}, o->rules};
	int status = run(o, &wanted, &from);
	free(sql);
	return status;
}

/* --- the tables of a fleet -------------------------------------------------------------------- */

/* What is about the memory of one dump says nothing here. */
static int check_fleet(const query_options *o, int arguments)
{
	if (o->common.state || o->common.device != GS_UNSET || o->common.rank != GS_UNSET || o->by ||
		o->all_frames || o->rules_file)
		return gs_fail_usage("query",
			"SQL can ask for a rank: SELECT … FROM diagnosis WHERE rank = 3",
			"the tables of a fleet take --since, no other option about dumps");
	if (arguments > 2)
		return gs_fail_usage("query", NULL, "one fleet is asked at a time");
	return -1;
}

static int query_fleet(query_options *o, const gs_arguments *arguments)
{
	gs_error err = GS_ERROR_INIT;
	char *sql = NULL;
	gs_fleet_ask ask = {
		arguments->text[0], arguments->n > 1 ? arguments->text[1] : NULL, o->since, o->timeout};
	int status = check_fleet(o, arguments->n);
	if (status >= 0)
		return status;
	if (o->show)
		return gs_fleet_show(ask.path, o->show);
	if (!ask.question && !o->list)
		return gs_fail_usage("query", "--list names the questions", "the question is missing");
	if (ask.question && !strcmp(ask.question, "-")) {
		if (!(sql = read_sql(&err)))
			return gs_fail_file("standard input", &err, NULL);
		ask.question = sql;
	}
	status = gs_output_name_rows("query", &o->common);
	if (status < 0)
		status = gs_fleet_answer(&ask, &o->common);
	free(sql);
	return status;
}

int gs_cmd_query(int argc, char **argv)
{
	query_options o = {.common = GS_COMMON_INIT, .timeout = 30};
	const gs_option options[] = {GS_OPTIONS_SELECT(o.common), GS_OPTIONS_RESULT(o.common),
		GS_OPTIONS_OUTPUT(o.common),
		{"by", 0, GS_OPT_TEXT, &o.by, "WHAT",
			"top stacks: group by stack, line, function, file or module"},
		{"all-frames", 0, GS_OPT_FLAG, &o.all_frames, 0,
			"stacks with the interpreter's and dispatcher's frames too"},
		{"since", 0, GS_OPT_TEXT, &o.since, "DAY",
			"of a fleet's tables: growth since that day (default: the last week)"},
		GS_OPTION_RULES(o.rules_file),
		{"timeout", 0, GS_OPT_REAL, &o.timeout, "SECONDS",
			"stop SQL that takes longer (default 30, 0 never)"},
		{"list", 0, GS_OPT_FLAG, &o.list, 0, "the named queries"},
		{"show", 0, GS_OPT_TEXT, &o.show, "NAME", "the SQL behind a named query"},
		GS_OPTIONS_QUIET(o.common), GS_OPTIONS_END};
	gs_arguments arguments;
	int status = gs_options_parse(options, argc, argv, 0, GS_ANY_NUMBER, &arguments);
	if (status >= 0)
		return status;
	if (arguments.n && gs_is_fleet(arguments.text[0]))
		return query_fleet(&o, &arguments);
	if (o.list)
		return print_list(&o);
	if (o.show)
		return print_sql(o.show);
	if (!arguments.n)
		return gs_fail_usage(
			"query", "`gpusnap query --list` names the queries", "the query is missing");
	gs_guard_on_stuck(end_at_once);
	status = check_by(o.by);
	if (status < 0)
		status = check_state(o.common.state);
	if (status < 0)
		status = gs_output_name_rows("query", &o.common);
	if (status < 0)
		status = gs_inputs_rules(o.rules_file, &o.rules);
	if (status < 0)
		status = query(&o, &arguments);
	gs_category_rules_free(o.rules);
	return status;
}
