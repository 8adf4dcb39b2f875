/* The loop around yajl. */
#include "analyzer/read/pytorch/json_stream.h"

#include <ctype.h>
#include <string.h>

#include "analyzer/model/memory.h"

enum { CHUNK = 64 * 1024, MOST_TOKEN = 4 << 20 };

/* What stands between the source and yajl. Python writes NaN, Infinity and -Infinity, which JSON
 * does not have. */
typedef struct feeder {
	size_t largest; /* of yajl's buffers: that of a token which has not ended, read from its start
					   with each chunk */
	bool in_string, escaped;
	unsigned char out[CHUNK + CHUNK / 3 + 8];
} feeder;

/* yajl does not look whether it got what it asked for. */
static void *take(void *context, size_t n) { return (void)context, gs_memory_take_anyway(n); }
static void *more(void *context, void *p, size_t n)
{
	feeder *f = context;
	f->largest = n > f->largest ? n : f->largest;
	return gs_memory_resize_anyway(p, n);
}
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

/* Bytes of at that end where a word may be cut in two are left for the next chunk. */
static size_t whole_words(const unsigned char *at, size_t n)
{
	size_t keep = n;
	while (keep && n - keep < 8 && isalpha(at[keep - 1]))
		keep--;
	return keep ? keep : n;
}

/* Copies n bytes to f->out as plain JSON; returns how many they became. */
static size_t translate(feeder *f, const unsigned char *at, size_t n)
{
	size_t length = 0;
	for (size_t i = 0; i < n; i++) {
		if (!f->in_string && at[i] == 'N' && n - i >= 3 && !memcmp(at + i, "NaN", 3)) {
			memcpy(f->out + length, "null", 4);
			length += 4;
			i += 2;
		} else if (!f->in_string && at[i] == 'I' && n - i >= 8 && !memcmp(at + i, "Infinity", 8)) {
			memcpy(f->out + length, "1e999", 5);
			length += 5;
			i += 7;
		} else {
			f->in_string ^= at[i] == '"' && !f->escaped;
			f->escaped = f->in_string && at[i] == '\\' && !f->escaped;
			f->out[length++] = at[i];
		}
	}
	return length;
}

static gs_status feed(
	gs_source *source, yajl_handle h, feeder *f, const gs_error *error, gs_error *err)
{
	for (;;) {
		const unsigned char *at;
		uint64_t start = gs_source_offset(source);
		size_t n = gs_source_peek(source, 16, &at); /* more than a word */
		if (!n && gs_source_status(source, err))
			return gs_source_status(source, NULL);
		n = whole_words(at, n < CHUNK ? n : CHUNK);
		yajl_status status = n ? yajl_parse(h, f->out, translate(f, at, n))
							   : yajl_complete_parse(h);
		if (gs_memory_exceeded())
			return gs_no_memory(err);
		if (f->largest > MOST_TOKEN)
			return gs_fail(err, GS_LIMIT,
				"a text of more than %d MiB, or deeper nesting, before byte %llu of the JSON",
				MOST_TOKEN >> 20, (unsigned long long)(start + n));
		if (status == yajl_status_client_canceled && !error->status)
			return GS_OK;
		uint64_t place = start + (n ? yajl_get_bytes_consumed(h) : 0);
		if (status == yajl_status_client_canceled)
			return gs_fail(
				err, error->status, "%s, at byte %llu", error->text, (unsigned long long)place);
		if (status != yajl_status_ok && !n)
			return gs_fail(
				err, GS_TRUNCATED, "the JSON ends early, at byte %llu", (unsigned long long)start);
		if (status != yajl_status_ok)
			return malformed(h, place, err);
		if (!n)
			return GS_OK;
		gs_source_skip(source, n);
	}
}

gs_status gs_json_stream(gs_source *source, const yajl_callbacks *callbacks, void *context,
	bool whole, const gs_error *error, gs_error *err)
{
	feeder *f = gs_memory_zeroed(1, sizeof *f);
	yajl_alloc_funcs counted = {take, more, give, f};
	yajl_handle h = f ? yajl_alloc(callbacks, &counted, context) : NULL;
	gs_status status = h ? GS_OK : gs_no_memory(err);
	if (!status) {
		yajl_config(h, yajl_dont_validate_strings, 1);
		if (!whole)
			yajl_config(h, yajl_allow_trailing_garbage, 1);
		status = feed(source, h, f, error, err);
		yajl_free(h);
	}
	gs_memory_give(f);
	return status;
}
