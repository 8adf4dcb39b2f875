/* Questions to a handle that are answered in text: info, verdict, queries, what-if. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/advice/advice.h"
#include "analyzer/advice/answer.h"
#include "analyzer/api/diff_rows.h"
#include "analyzer/api/call.h"
#include "analyzer/api/timelines.h"
#include "analyzer/api/whatif_rows.h"
#include "analyzer/diagnose/others.h"
#include "analyzer/query/info.h"
#include "analyzer/query/query.h"
#include "analyzer/read/open/reader.h"
#include "schema/json.h"

enum { MOST_CONFS = 64, MOST_WIDTH = 10000 };

typedef struct form {
	gs_format format;
	int64_t width;
} form;

static gs_status form_of(const gs_api_options *o, form *f, gs_error *err)
{
	static const struct {
		const char *word;
		gs_format format;
	} words[] = {{"json", GS_FORMAT_JSON}, {"jsonl", GS_FORMAT_JSONL}, {"csv", GS_FORMAT_CSV},
		{"tsv", GS_FORMAT_TSV}, {"table", GS_FORMAT_TABLE}, {"text", GS_FORMAT_TABLE},
		{"markdown", GS_FORMAT_MARKDOWN}, {"md", GS_FORMAT_MARKDOWN}};
	const char *word = "json";
	f->width = 0;
	gs_status status = gs_api_option_text(o, "form", &word, err);
	if (!status)
		status = gs_api_option_number(o, "width", &f->width, err);
	f->width = f->width > MOST_WIDTH ? MOST_WIDTH : f->width;
	for (size_t i = 0; i < sizeof words / sizeof *words && !status; i++)
		if (!strcmp(words[i].word, word)) {
			f->format = words[i].format;
			return GS_OK;
		}
	return status ? status : gs_fail(err, GS_INVALID, "no form is called \"%.40s\"", word);
}

static gs_status answer_info(
	gpusnap_snapshot *s, const gs_api_options *o, void *context, FILE *out, gs_error *err)
{
	const gs_emit_head head = {.limit = 0};
	(void)o, (void)context;
	return gs_info_emit(&s->snapshot, 1, GS_FORMAT_JSON, &head, out, NULL, err);
}

int gpusnap_snapshot_info(gpusnap_snapshot *s, char **out, size_t *n)
{
	static const char *const names[] = {NULL};
	return gs_api_answer_call(s, NULL, names, answer_info, NULL, out, n);
}

/* --- the verdict ------------------------------------------------------------------------------ */

typedef struct diagnose_call {
	gs_diagnose_options options;
	form form;
	bool verbose, replay;
	gs_category_rules *rules;
	gs_snapshot message;
} diagnose_call;

static gs_status read_diagnose_options(const gs_api_options *o, diagnose_call *c, gs_error *err)
{
	int64_t device = GS_NONE;
	const char *message = NULL, *rules = NULL;
	gs_diagnose_options *d = &c->options;
	gs_status status = gs_api_option_number(o, "device", &device, err);
	d->any_device = device == GS_NONE;
	d->device = d->any_device ? 0 : (int32_t)device;
	if (!status)
		status = gs_api_option_text(o, "state", &d->state, err);
	if (!status)
		status = gs_api_option_capacity(o, "capacity", &d->capacity, err);
	if (!status)
		status = gs_api_option_size(o, "allowed", &d->allowed, err);
	if (!status)
		status = gs_api_option_size(o, "context", &d->context, err);
	if (!status)
		status = gs_api_option_flag(o, "verbose", &c->verbose, err);
	if (!status)
		status = gs_api_option_flag(o, "replay", &c->replay, err);
	if (!status)
		status = gs_api_option_text(o, "message", &message, err);
	if (!status && message) {
		status = gs_read_memory(message, strlen(message), GS_WANT_ALL, &c->message, err);
		d->message = &c->message;
	}
	if (!status)
		status = gs_api_option_text(o, "rules", &rules, err);
	if (!status && rules)
		status = gs_category_rules_read(rules, strlen(rules), &c->rules, err);
	d->rules = c->rules;
	return status ? status : form_of(o, &c->form, err);
}

/* Of several failures the first; the others beside it. */
static gs_status diagnose(
	const gs_snapshot *s, const diagnose_call *c, gs_diagnosis *d, gs_error *err)
{
	gs_failure *failures = NULL;
	size_t n = 0;
	gs_status status = gs_failures_of(
		s, 1, c->options.any_device, c->options.device, &failures, &n);
	if (status)
		return gs_no_memory(err);
	status = gs_diagnose_failures(s, &c->options, failures, n, d, err);
	free(failures);
	return status ? status : gs_advise(d, c->replay, err);
}

static gs_status print_diagnosis(
	const gs_snapshot *s, const diagnose_call *c, FILE *out, gs_error *err)
{
	gs_diagnosis d = {0};
	gs_status status = diagnose(s, c, &d, err);
	if (!status && (c->form.format == GS_FORMAT_JSON || c->form.format == GS_FORMAT_JSONL)) {
		gs_diagnosis_print_json(&d, out);
	} else if (!status) {
		gs_voice voice = {.width = c->form.width ? (int)c->form.width : 80,
			.utf8 = true,
			.markdown = c->form.format == GS_FORMAT_MARKDOWN,
			.verbose = c->verbose};
		gs_diagnosis_print(&d, out, &voice);
	}
	gs_diagnosis_release(&d);
	return status;
}

static gs_status answer_diagnosis(
	gpusnap_snapshot *s, const gs_api_options *o, void *context, FILE *out, gs_error *err)
{
	diagnose_call c = {.options = GS_DIAGNOSE_OPTIONS_INIT, .replay = true};
	(void)context;
	gs_snapshot_init(&c.message);
	gs_status status = read_diagnose_options(o, &c, err);
	if (!status)
		status = gs_api_recordings(s, &c.options.recordings, err);
	if (!status)
		status = print_diagnosis(&s->snapshot, &c, out, err);
	gs_snapshot_release(&c.message);
	gs_category_rules_free(c.rules);
	return status;
}

int gpusnap_snapshot_diagnose(gpusnap_snapshot *s, const char *options, char **out, size_t *n)
{
	static const char *const names[] = {"device", "state", "capacity", "allowed", "context",
		"message", "rules", "form", "width", "verbose", "replay", NULL};
	return gs_api_answer_call(s, options, names, answer_diagnosis, NULL, out, n);
}

/* --- queries ---------------------------------------------------------------------------------- */

static gs_status read_query(
	const char *query, gs_query *named, gs_query_options *question, gs_error *err)
{
	if (gs_query_is_sql(query)) {
		question->sql = query;
		return GS_OK;
	}
	question->named = named;
	return gs_query_find(query, named, err);
}

static gs_status read_query_options(
	const gs_api_options *o, gs_session_options *from, gs_query_options *question, gs_error *err)
{
	int64_t rows = 0, seconds = 30;
	form f;
	gs_status status = gs_api_option_number(o, "device", &from->device, err);
	if (!status)
		status = gs_api_option_text(o, "state", &from->state, err);
	if (!status)
		status = gs_api_option_text(o, "by", &question->by, err);
	if (!status)
		status = gs_api_option_number(o, "rows", &rows, err);
	if (!status)
		status = gs_api_option_number(o, "seconds", &seconds, err);
	if (!status && !(status = form_of(o, &f, err))) {
		question->format = f.format;
		question->width = (int)f.width;
	}
	question->limit = (uint64_t)rows;
	question->seconds = (double)seconds;
	return status;
}

static gs_status answer_query(
	gpusnap_snapshot *s, const gs_api_options *o, void *query, FILE *out, gs_error *err)
{
	gs_session_options from = {.device = GS_NONE, .rank = GS_NONE, .given = &s->snapshot};
	gs_query_options question = {.format = GS_FORMAT_JSON};
	gs_session *session = NULL;
	gs_query named;
	uint64_t left = 0;
	gs_status status = read_query(query, &named, &question, err);
	if (!status)
		status = read_query_options(o, &from, &question, err);
	if (!status)
		status = gs_api_recordings(s, &from.recordings, err);
	if (!status)
		status = gs_session_open(&from, &session, err);
	if (!status)
		status = gs_query_answer(session, &question, out, &left, NULL, err);
	gs_session_close(session);
	return status;
}

int gpusnap_snapshot_query(
	gpusnap_snapshot *s, const char *query, const char *options, char **out, size_t *n)
{
	static const char *const names[] = {
		"device", "state", "by", "rows", "seconds", "form", "width", NULL};
	return gs_api_answer_call(s, options, names, answer_query, (char *)(uintptr_t)query, out, n);
}

/* A member of a JSON object; what does not fit in memory is left out. */
static void print_member(FILE *out, const char *key, const char *text)
{
	size_t n = strlen(text), cap = 6 * n + 3;
	char *quoted = gpusnap_analyzer_alloc(cap);
	fprintf(out, "\"%s\":%s", key, quoted ? gs_json_quote(quoted, cap, text, n) : "null");
	gpusnap_analyzer_free(quoted);
}

int gpusnap_queries(char **out, size_t *n)
{
	gs_error err = GS_ERROR_INIT;
	gs_api_answer a;
	gs_query q;
	*out = NULL;
	*n = 0;
	if (gs_api_answer_open(&a, &err))
		return GPUSNAP_FAILED;
	for (size_t i = 0; gs_query_at(i, &q); i++) {
		fputs(i ? ",{" : "[{", a.stream);
		print_member(a.stream, "name", q.name);
		fputc(',', a.stream);
		print_member(a.stream, "description", q.description);
		fputc(',', a.stream);
		print_member(a.stream, "sql", q.sql);
		fputc('}', a.stream);
	}
	fputs("]\n", a.stream);
	return gs_api_answer_finish(&a, GS_OK, out, n, &err) ? GPUSNAP_FAILED : GPUSNAP_DONE;
}

/* --- what if ---------------------------------------------------------------------------------- */

typedef struct whatif_call {
	gs_whatif_options options;
	const char *confs[MOST_CONFS];
	size_t nconfs;
	bool minimize;
	form form;
} whatif_call;

static gs_status read_whatif_options(const gs_api_options *o, whatif_call *c, gs_error *err)
{
	gs_status status = gs_api_option_texts(o, "conf", c->confs, MOST_CONFS, &c->nconfs, err);
	if (!status)
		status = gs_api_option_capacity(o, "capacity", &c->options.capacity, err);
	if (!status)
		status = gs_api_option_capacity(o, "recorded_capacity", &c->options.recorded_capacity, err);
	if (!status)
		status = gs_api_option_size(o, "allowed", &c->options.allowed, err);
	if (!status)
		status = gs_api_option_text(o, "release", &c->options.rules, err);
	if (!status)
		status = gs_api_option_number(o, "until", &c->options.until, err);
	if (!status)
		status = gs_api_option_number(o, "device", &c->options.device, err);
	if (!status)
		status = gs_api_option_flag(o, "minimize", &c->minimize, err);
	return status ? status : form_of(o, &c->form, err);
}

static gs_status print_whatif(const gs_snapshot *s, const whatif_call *c, FILE *out, gs_error *err)
{
	const gs_emit_head head = {.complete = s->complete, .width = (int)c->form.width};
	gs_whatif_question question = c->minimize ? GS_WHATIF_MINIMIZED
		: c->nconfs                           ? GS_WHATIF_OF_CONFS
											  : GS_WHATIF_SEARCHED;
	gs_whatif w;
	gs_status status = gs_whatif_open(&w, s, &c->options, err);
	if (!status)
		status = c->nconfs ? gs_whatif_try(&w, c->confs, c->nconfs, err)
						   : gs_whatif_search(&w, err);
	if (!status && c->minimize)
		status = gs_whatif_minimize(&w, err);
	if (!status)
		status = gs_whatif_emit(&w, question, c->form.format, &head, out, NULL, err);
	gs_whatif_release(&w);
	return status;
}

static gs_status answer_whatif(
	gpusnap_snapshot *s, const gs_api_options *o, void *context, FILE *out, gs_error *err)
{
	whatif_call c = {.options = GS_WHATIF_OPTIONS_INIT};
	(void)context;
	gs_status status = read_whatif_options(o, &c, err);
	if (!status)
		status = gs_api_recordings(s, &c.options.recordings, err);
	return status ? status : print_whatif(&s->snapshot, &c, out, err);
}

int gpusnap_snapshot_whatif(gpusnap_snapshot *s, const char *options, char **out, size_t *n)
{
	static const char *const names[] = {"conf", "capacity", "recorded_capacity", "allowed",
		"release", "until", "minimize", "device", "form", "width", NULL};
	return gs_api_answer_call(s, options, names, answer_whatif, NULL, out, n);
}

/* --- diff ------------------------------------------------------------------------------------- */

static gs_status print_diff(const gs_diff_options *moments, const form *f, FILE *out, gs_error *err)
{
	const gs_emit_head head = {
		.complete = moments->a.snapshot->complete && moments->b.snapshot->complete,
		.width = (int)f->width};
	const gs_snapshot *culprit;
	gs_diff d = GS_DIFF_INIT;
	gs_status status = gs_diff_moments(moments, &d, &culprit, err);
	if (!status)
		status = gs_diff_emit(&d, f->format, &head, out, NULL, err);
	gs_diff_release(&d);
	return status;
}

static gs_status answer_diff(
	gpusnap_snapshot *a, const gs_api_options *o, void *other, FILE *out, gs_error *err)
{
	gpusnap_snapshot *b = other;
	gs_diff_options moments = {
		{&a->snapshot, NULL, {NULL, 0}}, {&b->snapshot, NULL, {NULL, 0}}, GS_NONE};
	form f;
	gs_status status = b->read ? gs_api_option_text(o, "from", &moments.a.state, err)
							   : gs_fail(err, GS_INVALID, "nothing has been read yet");
	if (!status)
		status = gs_api_option_text(o, "to", &moments.b.state, err);
	if (!status)
		status = gs_api_option_number(o, "device", &moments.device, err);
	if (!status)
		status = gs_api_recordings(a, &moments.a.recordings, err);
	if (!status)
		status = gs_api_recordings(b, &moments.b.recordings, err);
	if (!status)
		status = form_of(o, &f, err);
	return status ? status : print_diff(&moments, &f, out, err);
}

int gpusnap_snapshot_diff(
	gpusnap_snapshot *a, gpusnap_snapshot *b, const char *options, char **out, size_t *n)
{
	static const char *const names[] = {"from", "to", "device", "form", "width", NULL};
	return gs_api_answer_call(a, options, names, answer_diff, b, out, n);
}
