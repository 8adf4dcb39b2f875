/* JSON as pickles: values are written as they are read. */
#include "analyzer/export/pickle_json.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/read/pytorch/pickle_text.h"

static int go_on(const gs_pickler *p) { return !p->status; }

static int on_null(void *x)
{
	gs_pickler_none(x);
	return go_on(x);
}

static int on_boolean(void *x, int value)
{
	gs_pickler_boolean(x, value);
	return go_on(x);
}

static int on_number(void *x, const char *text, size_t n)
{
	gs_pickler *p = x;
	gs_torch_value v;
	bool real = memchr(text, '.', n) || memchr(text, 'e', n) || memchr(text, 'E', n);
	if (!gs_pickle_number(real ? 'F' : 'L', text, n, &v) || v.type == GS_V_OPAQUE)
		gs_pickler_none(p);
	else if (v.type == GS_V_FLOAT)
		gs_pickler_real(p, v.f);
	else if (v.negative)
		gs_pickler_integer(p, (int64_t)v.u);
	else
		gs_pickler_unsigned(p, v.u);
	return go_on(p);
}

static int on_string(void *x, const unsigned char *text, size_t n)
{
	gs_pickler_text(x, (const char *)text, n);
	return go_on(x);
}

static int on_start_map(void *x)
{
	gs_pickler_dict(x);
	return go_on(x);
}

static int on_end_map(void *x)
{
	gs_pickler_dict_end(x);
	return go_on(x);
}

static int on_start_array(void *x)
{
	gs_pickler_list(x);
	return go_on(x);
}

static int on_end_array(void *x)
{
	gs_pickler_list_end(x);
	return go_on(x);
}

const yajl_callbacks gs_pickle_json = {
	.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_start_map,
	.yajl_map_key = on_string,
	.yajl_end_map = on_end_map,
	.yajl_start_array = on_start_array,
	.yajl_end_array = on_end_array,
};

/* --- members of an object ----------------------------------------------------------------------
 */

typedef struct bytes {
	unsigned char *at;
	size_t n, cap;
} bytes;

static gs_status collect(void *arg, const void *data, size_t n)
{
	bytes *b = arg;
	if (!GS_ARRAY_RESERVE(b->at, b->cap, b->n + n))
		return GS_NO_MEMORY;
	memcpy(b->at + b->n, data, n);
	b->n += n;
	return GS_OK;
}

/* Of "PROTO 4, EMPTY_DICT, MARK, members, SETITEMS, STOP" the members. */
static void cut_out_members(bytes *b)
{
	static const unsigned char before[] = "\x80\x04}(", after[] = "u.";
	enum { BEFORE = sizeof before - 1, AFTER = sizeof after - 1 };
	bool dictionary = b->n > BEFORE + AFTER && !memcmp(b->at, before, BEFORE) &&
		!memcmp(b->at + b->n - AFTER, after, AFTER);
	b->n = dictionary ? b->n - BEFORE - AFTER : 0;
	if (b->n)
		memmove(b->at, b->at + BEFORE, b->n);
}

gs_status gs_pickle_json_members(const char *json, size_t n, unsigned char **at, size_t *length)
{
	gs_pickler *p = malloc(sizeof *p);
	bytes b = {NULL, 0, 0};
	yajl_handle h = p ? yajl_alloc(&gs_pickle_json, NULL, p) : NULL;
	gs_status status = GS_NO_MEMORY;
	if (h) {
		yajl_config(h, yajl_dont_validate_strings, 1);
		gs_pickler_init(p, collect, &b);
		bool whole = yajl_parse(h, (const unsigned char *)json, n) == yajl_status_ok &&
			yajl_complete_parse(h) == yajl_status_ok;
		status = gs_pickler_finish(p, NULL);
		cut_out_members(&b);
		b.n = whole ? b.n : 0; /* what is no JSON object has no members */
		yajl_free(h);
	}
	free(p);
	*at = b.at;
	*length = b.n;
	return status;
}
