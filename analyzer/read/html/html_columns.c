/* The JSON of PyTorch 2.0's pages as columns. */
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/read/html/html_columns_internal.h"
#include "analyzer/read/pytorch/json_stream.h"
#include "analyzer/read/pytorch/pickle_text.h"

enum { NO_COLUMN = -1, MOST_DEPTH = 8 };

static const struct {
	const char *top, *sub;
} names[] = {
#define GS_HTML_COLUMN(id, member, submember) {member, submember},
#include "analyzer/read/html/html_columns.def"
#undef GS_HTML_COLUMN
};

static int fail(gs_html_page *p, gs_status status, const char *what)
{
	gs_fail(&p->error, status, "%s", what);
	return 0;
}

static int push_number(gs_html_page *p, int64_t value)
{
	if (p->at == NO_COLUMN)
		return 1;
	gs_html_column *c = &p->columns[p->at];
	if (!GS_ARRAY_RESERVE(c->v, c->cap, c->n + 1))
		return fail(p, GS_NO_MEMORY, "out of memory");
	c->v[c->n++] = value;
	return 1;
}

static int on_null(void *p) { return push_number(p, GS_NONE); }
static int on_boolean(void *p, int value) { return push_number(p, value); }

static int on_number(void *ctx, const char *text, size_t n)
{
	gs_torch_value v;
	if (!gs_pickle_number('L', text, n, &v) || v.type != GS_V_INT)
		v.u = (uint64_t)GS_NONE;
	return push_number(ctx, (int64_t)v.u);
}

static int on_string(void *ctx, const unsigned char *text, size_t n)
{
	gs_html_page *p = ctx;
	if (p->at != GS_HTML_STRINGS)
		return 1;
	gs_id id = gs_snapshot_string(p->s, (const char *)text, n);
	return id ? push_number(p, id) : fail(p, GS_NO_MEMORY, "out of memory");
}

static int on_key(void *ctx, const unsigned char *text, size_t n)
{
	gs_html_page *p = ctx;
	char key[32] = "";
	if (n < sizeof key)
		memcpy(key, text, n);
	if (p->depth == 1)
		memcpy(p->top, key, sizeof key);
	p->at = NO_COLUMN;
	for (int i = 0; i < GS_HTML_COLUMNS; i++)
		if (!strcmp(names[i].top, p->top) && !strcmp(names[i].sub, p->depth == 1 ? "" : key))
			p->at = i;
	return 1;
}

static int on_start(void *ctx)
{
	gs_html_page *p = ctx;
	return ++p->depth <= MOST_DEPTH ? 1 : fail(p, GS_FORMAT, "nested too deep for a page's data");
}

static int on_end(void *ctx)
{
	gs_html_page *p = ctx;
	p->finished = --p->depth == 0;
	return !p->finished; /* what follows the data is script */
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_start,
	.yajl_map_key = on_key,
	.yajl_end_map = on_end,
	.yajl_start_array = on_start,
	.yajl_end_array = on_end,
};

int64_t gs_html_cell(const gs_html_page *p, int column, size_t row)
{
	return row < p->columns[column].n ? p->columns[column].v[row] : GS_NONE;
}

const char *gs_html_string(const gs_html_page *p, int64_t i)
{
	return i >= 0 ? gs_string_text(p->s, (gs_id)gs_html_cell(p, GS_HTML_STRINGS, (size_t)i)) : "";
}

gs_status gs_html_page_parse(gs_html_page *p, gs_source *source, gs_error *err)
{
	p->at = NO_COLUMN;
	gs_status status = gs_json_stream(source, &callbacks, p, false, &p->error, err);
	if (!status && !p->finished)
		status = gs_fail(err, GS_FORMAT, "the page's data is no JSON object");
	return status;
}
