/* The loop around yajl. */
#include "analyzer/read/json_stream.h"

#include <string.h>

#include "analyzer/memory.h"

enum { CHUNK = 64 * 1024 };

/* yajl does not look whether it got what it asked for. */
static void *take(void *context, size_t n) { return (void)context, gs_memory_take_anyway(n); }
static void *more(void *context, void *p, size_t n) { return (void)context, gs_memory_more_anyway(p, n); }
static void give(void *context, void *p) { (void)context, gs_memory_give(p); }

static gs_status malformed(yajl_handle h, uint64_t at, gs_error *err)
{
	unsigned char *text = yajl_get_error(h, 0, NULL, 0);
	char what[120] = "";
	strncpy(what, text ? (const char *)text : "", sizeof what - 1);
	what[strcspn(what, "\n")] = 0;
	if (text)
		yajl_free_error(h, text);
	return gs_fail(err, GS_FORMAT, "damaged JSON (%s) at byte %llu", what, (unsigned long long)at);
}

static gs_status feed(gs_source *source, yajl_handle h, const gs_error *error, gs_error *err)
{
	for (;;) {
		const unsigned char *at;
		uint64_t start = gs_source_offset(source);
		size_t n = gs_source_peek(source, 1, &at);
		if (!n && gs_source_status(source, err))
			return gs_source_status(source, NULL);
		n = n < CHUNK ? n : CHUNK;
		yajl_status status = n ? yajl_parse(h, at, n) : yajl_complete_parse(h);
		if (gs_memory_exceeded())
			return gs_fail(err, GS_NO_MEMORY, "out of memory");
		if (status == yajl_status_client_canceled && !error->status)
			return GS_OK;
		uint64_t place = start + (n ? yajl_get_bytes_consumed(h) : 0);
		if (status == yajl_status_client_canceled)
			return gs_fail(err, error->status, "%s, at byte %llu", error->text, (unsigned long long)place);
		if (status != yajl_status_ok && !n)
			return gs_fail(err, GS_TRUNCATED, "the JSON ends early, at byte %llu", (unsigned long long)start);
		if (status != yajl_status_ok)
			return malformed(h, place, err);
		if (!n)
			return GS_OK;
		gs_source_skip(source, n);
	}
}

gs_status gs_json_stream(gs_source *source, const yajl_callbacks *callbacks, void *context, bool whole, const gs_error *error, gs_error *err)
{
	yajl_alloc_funcs counted = { take, more, give, NULL };
	yajl_handle h = yajl_alloc(callbacks, &counted, context);
	if (!h)
		return gs_fail(err, GS_NO_MEMORY, "out of memory");
	yajl_config(h, yajl_dont_validate_strings, 1);
	if (!whole)
		yajl_config(h, yajl_allow_trailing_garbage, 1);
	gs_status status = feed(source, h, error, err);
	yajl_free(h);
	return status;
}
