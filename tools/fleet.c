/* The Python package answers in lines of JSON: what the columns are, or why it failed; then an
 * array a row. */
#include "tools/fleet.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <yajl/yajl_tree.h>

#include "tools/message.h"
#include "tools/output.h"
#include "tools/python_part.h"
#include "tools/result.h"

enum { MOST_COLUMNS = 256 };

bool gs_is_fleet(const char *path)
{
	char mark[4200];
	return strstr(path, "://") ||
		((size_t)snprintf(mark, sizeof mark, "%s/gpusnap-fleet.json", path) < sizeof mark &&
			!access(mark, F_OK));
}

static bool same_words(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, " -_");
		b += strspn(b, " -_");
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return false;
		if (!*a)
			return true;
	}
}

const char *gs_fleet_question(const char *typed)
{
#define GS_FLEET_QUESTION(name) name,
	static const char *const names[] = {
#include "tools/fleet_questions.def"
	};
#undef GS_FLEET_QUESTION
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (same_words(typed, names[i]))
			return names[i];
	return NULL;
}

/* --- a row ------------------------------------------------------------------------------------ */

static gs_value value_of(yajl_val v)
{
	if (YAJL_IS_TRUE(v) || YAJL_IS_FALSE(v))
		return gs_value_int(YAJL_IS_TRUE(v));
	if (YAJL_IS_STRING(v))
		return gs_value_text(YAJL_GET_STRING(v));
	if (YAJL_IS_INTEGER(v))
		return gs_value_int(YAJL_GET_INTEGER(v));
	if (YAJL_IS_DOUBLE(v))
		return (gs_value){.type = GS_VALUE_REAL, .real = YAJL_GET_DOUBLE(v)};
	return (gs_value){.type = GS_VALUE_NULL};
}

static const char *text_of(yajl_val object, const char *name)
{
	const char *path[] = {name, NULL};
	return YAJL_GET_STRING(yajl_tree_get(object, path, yajl_t_string));
}

static gs_status put_row(gs_emitter *e, yajl_val row, size_t columns, gs_error *err)
{
	gs_value values[MOST_COLUMNS];
	if (!YAJL_IS_ARRAY(row) || row->u.array.len != columns)
		return gs_fail(err, GS_IO, "the Python package answers what is no row");
	for (size_t i = 0; i < columns; i++)
		values[i] = value_of(row->u.array.values[i]);
	gs_status status = gs_emit_row(e, values, err);
	return status == GS_END ? GS_OK : status;
}

/* --- an answer -------------------------------------------------------------------------------- */

typedef struct answer {
	FILE *from;
	char *line;
	size_t cap;
	yajl_val head;
	gs_column columns[MOST_COLUMNS];
	size_t ncolumns;
	const char *failure, *hint; /* of the package, or NULL */
	bool usage;
} answer;

static yajl_val next_line(answer *a)
{
	char why[160];
	return getline(&a->line, &a->cap, a->from) > 0 ? yajl_tree_parse(a->line, why, sizeof why)
												   : NULL;
}

static gs_unit unit_of(const char *word)
{
	static const char *const words[] = {"bytes", "time", "boolean"};
	static const gs_unit units[] = {GS_UNIT_BYTES, GS_UNIT_TIME, GS_UNIT_BOOLEAN};
	for (size_t i = 0; word && i < sizeof words / sizeof *words; i++)
		if (!strcmp(word, words[i]))
			return units[i];
	return GS_UNIT_NONE;
}

/* The first line. */
static gs_status read_head(answer *a, gs_error *err)
{
	const char *path[] = {"columns", NULL};
	a->head = next_line(a);
	a->failure = a->head ? text_of(a->head, "error") : NULL;
	if (a->failure) {
		a->hint = text_of(a->head, "hint");
		a->usage = text_of(a->head, "usage") != NULL;
		return gs_fail(err, GS_IO, "%s", a->failure);
	}
	yajl_val columns = a->head ? yajl_tree_get(a->head, path, yajl_t_array) : NULL;
	if (!columns || !columns->u.array.len || columns->u.array.len > MOST_COLUMNS)
		return gs_fail(err, GS_IO, "the Python package gives no answer");
	a->ncolumns = columns->u.array.len;
	for (size_t i = 0; i < a->ncolumns; i++) {
		yajl_val c = columns->u.array.values[i];
		a->columns[i] = (gs_column){text_of(c, "name"), unit_of(text_of(c, "unit"))};
	}
	return GS_OK;
}

static gs_status emit(answer *a, const gs_common *common, FILE *out, uint64_t *left, gs_error *err)
{
	gs_status status = read_head(a, err);
	if (status)
		return status;
	gs_emit_head head = {text_of(a->head, "query"), NULL, true, a->columns, a->ncolumns,
		gs_output_limit(common), gs_output_width(), false, NULL};
	gs_emitter *e = NULL;
	status = gs_emit_open(out, gs_output_format_of(common), &head, &e, err);
	for (yajl_val row; !status && (row = next_line(a));) {
		status = put_row(e, row, a->ncolumns, err);
		yajl_tree_free(row);
	}
	if (e)
		gs_emit_close(e, status != GS_OK, left);
	return status;
}

/* --- the process ------------------------------------------------------------------------------ */

/* Starts it with its standard output in a pipe; -1 where that fails. */
static pid_t start_package(int n, const char **arguments, FILE **from)
{
	int ends[2];
	if (pipe(ends))
		return -1;
	pid_t child = fork();
	if (child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		_exit(gs_python_part("fleet", GS_FLEET_PACKAGE, n, (char **)(uintptr_t)arguments));
	}
	close(ends[1]);
	*from = child > 0 ? fdopen(ends[0], "r") : NULL;
	if (!*from)
		close(ends[0]);
	return child;
}

static int exit_of(pid_t child)
{
	int status = 0;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : GS_EXIT_FAILED;
}

/* The answer is kept back until the package has ended well: after a failure nothing of it may have
 * been seen. */
static int copy_answer(answer *a, pid_t child, const gs_common *common, FILE *out)
{
	gs_error err = GS_ERROR_INIT;
	uint64_t left = 0;
	FILE *kept = tmpfile();
	gs_status status = kept ? emit(a, common, kept, &left, &err)
							: gs_fail(&err, GS_IO, "temporary file: %s", strerror(errno));
	fclose(a->from);
	int ended = exit_of(child), result = GS_EXIT_DONE;
	if (a->usage)
		result = gs_fail_usage("query", a->hint, "%s", a->failure);
	else if (a->failure || (status && !ended))
		result = gs_fail_file(NULL, &err, a->hint);
	else if (ended)
		result = ended; /* it has told why */
	else if (gs_output_copy(kept, out, &err))
		result = gs_fail_file(common->output, &err, NULL);
	else
		gs_output_left(left);
	if (kept)
		fclose(kept);
	return result;
}

static int run_package(int n, const char **arguments, const gs_common *common, FILE *out)
{
	answer a = {.from = NULL};
	gs_error err = GS_ERROR_INIT;
	pid_t child = start_package(n, arguments, &a.from);
	if (child < 0 || !a.from) {
		gs_fail(&err, GS_IO, "the Python package: %s", strerror(errno));
		return gs_fail_file(NULL, &err, NULL);
	}
	int result = copy_answer(&a, child, common, out);
	yajl_tree_free(a.head);
	free(a.line);
	return result;
}

int gs_fleet_answer(const gs_fleet_ask *ask, const gs_common *common)
{
	char seconds[32];
	const char *arguments[10] = {"ask", ask->path};
	int n = 2;
	gs_result result;
	snprintf(seconds, sizeof seconds, "%.15g", ask->seconds);
	arguments[n++] = ask->question ? ask->question : "--list";
	if (ask->since) {
		arguments[n++] = "--since";
		arguments[n++] = ask->since;
	}
	arguments[n++] = "--seconds";
	arguments[n++] = seconds;
	int status = gs_result_open(&result, common, 0);
	if (status >= 0)
		return status;
	return gs_result_close(&result, run_package(n, arguments, common, result.stream));
}

int gs_fleet_show(const char *path, const char *question)
{
	const char *arguments[] = {"ask", path, "--show", question};
	return gs_python_part("fleet", GS_FLEET_PACKAGE, 4, (char **)(uintptr_t)arguments);
}

/* --- dumps into tables -------------------------------------------------------------------------
 */

/* The options as the package takes them, then what the command line names. */
typedef struct command_line {
	char **words, numbers[3][32];
	int n;
} command_line;

enum { MOST_OPTIONS = 16 };

static void put(command_line *c, const char *word) { c->words[c->n++] = (char *)(uintptr_t)word; }

static void put_number(command_line *c, int which, const char *option, double value)
{
	snprintf(c->numbers[which], sizeof c->numbers[which], "%.15g", value);
	put(c, option);
	put(c, c->numbers[which]);
}

static void put_run(command_line *c, const gs_fleet_job *job, const gs_arguments *dumps)
{
	put_number(c, 0, "--jobs", job->jobs == GS_UNSET ? 0 : (double)job->jobs);
	put_number(c, 1, "--memory", (double)job->memory);
	put_number(c, 2, "--seconds", job->timeout);
	if (job->context) {
		put(c, "--context");
		put(c, job->context);
	}
	put(c, "--");
	for (int i = 0; i < dumps->n; i++)
		put(c, dumps->text[i]);
}

int gs_fleet_run(const gs_fleet_job *job, const gs_arguments *dumps)
{
	command_line c = {.words = calloc(MOST_OPTIONS + (size_t)dumps->n, sizeof *c.words)};
	gs_error err = GS_ERROR_INIT;
	if (!c.words) {
		gs_fail(&err, GS_NO_MEMORY, "%d dumps", dumps->n);
		return gs_fail_file(NULL, &err, NULL);
	}
	put(&c, job->compact ? "compact" : "run");
	put(&c, "--output");
	put(&c, job->output);
	if (job->quiet)
		put(&c, "--quiet");
	if (!job->compact)
		put_run(&c, job, dumps);
	int status = gs_python_part("fleet", GS_FLEET_PACKAGE, c.n, c.words);
	free(c.words);
	return status;
}
