#include "analyzer/api/call.h"

#include <string.h>

int gs_api_answer_call(gpusnap_snapshot *s, const char *options, const char *const *names,
	gs_api_work *work, void *context, char **out, size_t *n)
{
	gs_error err = GS_ERROR_INIT;
	gs_api_options o = {NULL};
	gs_api_answer a;
	int begun = gs_api_begin(s, out, n);
	if (begun)
		return begun;
	gs_status status = gs_api_options_parse(&o, options, names, &err);
	if (!status && !(status = gs_api_answer_open(&a, &err))) {
		status = work(s, &o, context, a.stream, &err);
		status = gs_api_answer_finish(&a, status, out, n, &err);
	}
	gs_api_options_release(&o);
	return gs_api_end(s, status, &err);
}

int gs_api_columns_call(gpusnap_snapshot *s, const char *options, const char *const *names,
	void *columns, size_t size, gs_api_fill *fill)
{
	gs_error err = GS_ERROR_INIT;
	gs_api_options o = {NULL};
	const gs_timeline *t = NULL;
	char *none;
	size_t n;
	memset(columns, 0, size);
	int begun = gs_api_begin(s, &none, &n);
	if (begun)
		return begun;
	gs_status status = gs_api_options_parse(&o, options, names, &err);
	if (!status)
		status = gs_api_timeline_of(s, &o, &t, &err);
	if (!status)
		status = fill(s, t, &o, columns, &err);
	gs_api_options_release(&o);
	return gs_api_end(s, status, &err);
}
