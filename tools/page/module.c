/* The analyzer as a WebAssembly module: what a page calls. Texts go in and out as zero-ended UTF-8
 * in the module's memory; what is returned is the caller's until gpusnap_page_free. Files are those
 * that the page's WASI shows. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/advice/advice.h"
#include "analyzer/advice/answer.h"
#include "analyzer/open/input.h"
#include "analyzer/query/query.h"
#include "analyzer/read/open/reader.h"
#include "schema/json.h"
#include "schema/version.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

void *EXPORT(gpusnap_page_alloc)(size_t n);
void *gpusnap_page_alloc(size_t n) { return malloc(n); }

void EXPORT(gpusnap_page_free)(void *p);
void gpusnap_page_free(void *p) { free(p); }

const char *EXPORT(gpusnap_page_version)(void);
const char *gpusnap_page_version(void) { return GS_RELEASE; }

typedef struct answer {
	char *text;
	size_t length;
	FILE *out;
} answer;

static bool begin(answer *a)
{
	*a = (answer){NULL, 0, NULL};
	return (a->out = open_memstream(&a->text, &a->length)) != NULL;
}

/* The text so far, or, where it went wrong, {"error": …} in its place. */
static char *end(answer *a, gs_status status, const gs_error *err)
{
	if (status) {
		fclose(a->out);
		free(a->text);
		if (!begin(a))
			return NULL;
		fputs("{\"error\":{\"message\":", a->out);
		char quoted[6 * GS_ERROR_TEXT + 3];
		fputs(gs_json_quote(quoted, sizeof quoted, err->text, strlen(err->text)), a->out);
		fputs("}}\n", a->out);
	}
	fclose(a->out);
	return a->text;
}

static void nothing(void *context, const char *path, const char *text)
{
	(void)context, (void)path, (void)text;
}

static gs_status diagnose(const char *path, const char *state, FILE *out, gs_error *err)
{
	gs_diagnose_options options = GS_DIAGNOSE_OPTIONS_INIT;
	gs_diagnosis d;
	gs_snapshot s;
	gs_status status = gs_read_path(path, GS_WANT_ALL | GS_WANT_FAILURES, &s, err);
	if (status)
		return status;
	options.state = *state ? state : NULL;
	status = gs_diagnose(&s, &options, &d, err);
	if (!status)
		status = gs_advise(&d, true, err);
	if (!status)
		gs_diagnosis_print_json(&d, out);
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
	return status;
}

/* The verdict on a file as `gpusnap diagnose --json` gives it; state as --state, empty: the
 * default. NULL: no memory. */
char *EXPORT(gpusnap_page_diagnose)(const char *path, const char *state);
char *gpusnap_page_diagnose(const char *path, const char *state)
{
	gs_error err = GS_ERROR_INIT;
	answer a;
	return begin(&a) ? end(&a, diagnose(path, state, a.out, &err), &err) : NULL;
}

static gs_status query(
	const char *path, const char *state, const char *question, FILE *out, gs_error *err)
{
	gs_query named;
	bool sql = gs_query_is_sql(question);
	const gs_session_options wanted = {
		&path, 1, *state ? state : NULL, GS_NONE, GS_NONE, false, nothing, NULL};
	gs_query_options how = {.sql = question, .format = GS_FORMAT_JSON};
	gs_session *session = NULL;
	uint64_t left, rows;
	gs_status status = sql ? GS_OK : gs_query_find(question, &named, err);
	if (!sql)
		how.named = &named;
	if (!status)
		status = gs_session_open(&wanted, &session, err);
	if (!status)
		status = gs_query_answer(session, &how, out, &left, &rows, err);
	gs_session_close(session);
	return status;
}

/* The answer to a named query or SQL as `gpusnap query --json` gives it. */
char *EXPORT(gpusnap_page_query)(const char *path, const char *state, const char *question);
char *gpusnap_page_query(const char *path, const char *state, const char *question)
{
	gs_error err = GS_ERROR_INIT;
	answer a;
	return begin(&a) ? end(&a, query(path, state, question, a.out, &err), &err) : NULL;
}
