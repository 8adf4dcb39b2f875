/* The snapshot as a file of another kind, in memory. */
#include <string.h>
#include <unistd.h>

#include "analyzer/api/handle.h"
#include "analyzer/api/options.h"
#include "analyzer/export/flamegraph.h"
#include "analyzer/export/gsnap.h"
#include "analyzer/export/perfetto.h"
#include "analyzer/export/pytorch.h"
#include "analyzer/export/redact.h"
#include "analyzer/meaning/step_state.h"
#include "analyzer/read/open/reader.h"

typedef struct export_call {
	const char *kind, *state;
	int64_t device;
	bool redact;
} export_call;

static gs_status to_stream(void *arg, const void *data, size_t n)
{
	return fwrite(data, 1, n, arg) == n ? GS_OK : GS_NO_MEMORY;
}

static gs_status write_moment(const gs_snapshot *s, const export_call *c, FILE *out, gs_error *err)
{
	gs_moments moments = GS_MOMENTS_INIT;
	gs_status status = gs_meaning_moments_select(s, c->device, c->state, &moments, err);
	if (!status)
		status = strcmp(c->kind, "speedscope") ? gs_export_folded(s, &moments, out, err)
											   : gs_export_speedscope(s, &moments, out, err);
	gs_moments_release(&moments);
	return status;
}

static gs_status write_kind(const gs_snapshot *s, const export_call *c, FILE *out, gs_error *err)
{
	if (!strcmp(c->kind, "gsnap"))
		return gs_export_gsnap(s, 3, to_stream, out, err);
	if (!strcmp(c->kind, "pytorch"))
		return gs_export_pytorch(s, to_stream, out, NULL, err);
	if (!strcmp(c->kind, "perfetto"))
		return gs_export_perfetto(s, c->device, out, NULL, err);
	return write_moment(s, c, out, err);
}

/* Into an answer of its own. */
static gs_status answer(
	const gs_snapshot *s, const export_call *c, char **out, size_t *n, gs_error *err)
{
	gs_api_answer a;
	gs_status status = gs_api_answer_open(&a, err);
	return status ? status : gs_api_answer_finish(&a, write_kind(s, c, a.stream, err), out, n, err);
}

/* A copy of the snapshot, by way of its file, in which nothing tells whose it is. */
static gs_status copy_redacted(const gs_snapshot *s, gs_snapshot *copy, gs_error *err)
{
	const export_call whole = {.kind = "gsnap", .device = GS_NONE};
	unsigned char salt[GS_SALT];
	char *file = NULL;
	size_t n = 0;
	gs_status status = answer(s, &whole, &file, &n, err);
	if (!status)
		status = gs_read_memory(file, n, GS_WANT_ALL, copy, err);
	gpusnap_analyzer_free(file);
	if (!status && getentropy(salt, sizeof salt))
		status = gs_fail(err, GS_IO, "no random numbers");
	return status ? status : gs_redact(copy, salt, err);
}

static gs_status answer_redacted(
	const gs_snapshot *s, const export_call *c, char **out, size_t *n, gs_error *err)
{
	gs_snapshot copy;
	gs_snapshot_init(&copy);
	gs_status status = copy_redacted(s, &copy, err);
	if (!status)
		status = answer(&copy, c, out, n, err);
	gs_snapshot_release(&copy);
	return status;
}

static gs_status read_options(const gs_api_options *o, export_call *c, gs_error *err)
{
	static const char *const kinds[] = {
		"gsnap", "pytorch", "flamegraph", "speedscope", "perfetto", NULL};
	size_t i = 0;
	while (kinds[i] && strcmp(kinds[i], c->kind))
		i++;
	if (!kinds[i])
		return gs_fail(err, GS_INVALID, "no export format is called \"%.40s\"", c->kind);
	gs_status status = gs_api_option_flag(o, "redact", &c->redact, err);
	if (!status)
		status = gs_api_option_number(o, "device", &c->device, err);
	return status ? status : gs_api_option_text(o, "state", &c->state, err);
}

int gpusnap_snapshot_export(
	gpusnap_snapshot *s, const char *kind, const char *options, char **out, size_t *n)
{
	static const char *const names[] = {"redact", "device", "state", NULL};
	export_call c = {.kind = kind, .device = GS_NONE};
	gs_error err = GS_ERROR_INIT;
	gs_api_options o;
	int begun = gs_api_begin(s, out, n);
	if (begun)
		return begun;
	gs_status status = gs_api_options_parse(&o, options, names, &err);
	if (!status)
		status = read_options(&o, &c, &err);
	if (!status)
		status = c.redact ? answer_redacted(&s->snapshot, &c, out, n, &err)
						  : answer(&s->snapshot, &c, out, n, &err);
	gs_api_options_release(&o);
	return gs_api_end(s, status, &err);
}
