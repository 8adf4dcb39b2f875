/* Values of a snapshot that the model has no place for, as JSON. */
#include "analyzer/read/pytorch/value_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"
#include "analyzer/read/pytorch/object.h"
#include "schema/json.h"

enum { MOST_DEPTH = 8 };

void gs_torch_text_add(gs_torch_text *x, const char *data, size_t n)
{
	x->failed = x->failed || x->n + n > x->most || !GS_ARRAY_RESERVE(x->data, x->cap, x->n + n + 1);
	if (x->failed)
		return;
	memcpy(x->data + x->n, data, n);
	x->n += n;
	x->data[x->n] = 0;
}

static void add_quoted(gs_torch_text *x, const char *s, size_t n)
{
	size_t cap = 6 * n + 3;
	char *quoted = n <= x->most ? gs_memory_take(cap) : NULL;
	x->failed |= !quoted;
	if (quoted) {
		gs_json_quote(quoted, cap, s, n);
		gs_torch_text_add(x, quoted, strlen(quoted));
	}
	gs_memory_give(quoted);
}

/* The shortest decimal that reads back the same, with a fraction as Python writes it. */
static void add_real(gs_torch_text *x, double f)
{
	char buf[40];
	int n = 0;
	for (int digits = 15; digits <= 17; digits++) {
		n = snprintf(buf, sizeof buf - 2, "%.*g", digits, f);
		if (strtod(buf, NULL) == f)
			break;
	}
	if (!strpbrk(buf, ".einf"))
		n += snprintf(buf + n, sizeof buf - (size_t)n, ".0");
	gs_torch_text_add(x, buf, (size_t)n);
}

static void add_value(gs_torch *t, gs_torch_text *x, const gs_torch_value *v, int depth);

static void add_members(gs_torch *t, gs_torch_text *x, const gs_torch_value *v, int depth)
{
	bool dict = v->type == GS_V_DICT;
	const gs_object *o = gs_torch_object(t, v);
	const gs_torch_value *items = o->items;
	bool plain = dict || o->holds == GS_HOLDS_SCALARS || o->holds == GS_HOLDS_LISTS;
	gs_torch_text_add(x, dict ? "{" : "[", 1);
	for (size_t i = 0; plain && i + dict < o->n && !x->failed; i += 1 + dict) {
		if (i)
			gs_torch_text_add(x, ",", 1);
		add_value(t, x, &items[i], depth - 1);
		if (dict) {
			gs_torch_text_add(x, ":", 1);
			add_value(t, x, &items[i + 1], depth - 1);
		}
	}
	gs_torch_text_add(x, dict ? "}" : "]", 1);
}

static void add_value(gs_torch *t, gs_torch_text *x, const gs_torch_value *v, int depth)
{
	char buf[32];
	switch (v->type) {
	case GS_V_BOOL: gs_torch_text_add(x, v->u ? "true" : "false", v->u ? 4 : 5); break;
	case GS_V_INT:
		gs_torch_text_add(x, buf,
			(size_t)(v->negative ? snprintf(buf, sizeof buf, "%lld", (long long)v->u)
								 : snprintf(buf, sizeof buf, "%llu", (unsigned long long)v->u)));
		break;
	case GS_V_FLOAT:
		if (isfinite(v->f))
			add_real(x, v->f);
		else
			gs_torch_text_add(x, "null", 4);
		break;
	case GS_V_STRING: add_quoted(x, t->s->strings[v->id].text, t->s->strings[v->id].length); break;
	case GS_V_PAIR:
		gs_torch_text_add(x, buf,
			(size_t)snprintf(buf, sizeof buf, "[%llu,", (unsigned long long)t->pairs[v->id].a));
		gs_torch_text_add(x, buf,
			(size_t)snprintf(buf, sizeof buf, "%llu]", (unsigned long long)t->pairs[v->id].b));
		break;
	case GS_V_STACK: gs_torch_text_add(x, "[]", 2); break;
	case GS_V_DICT:
	case GS_V_LIST:
		if (depth > 0 && gs_torch_object(t, v)->in_use) {
			add_members(t, x, v, depth);
			break;
		} /* fall through */
	default: gs_torch_text_add(x, "null", 4);
	}
}

void gs_torch_json(gs_torch *t, gs_torch_text *x, const gs_torch_value *v)
{
	add_value(t, x, v, MOST_DEPTH);
}

void gs_torch_json_member(gs_torch *t, gs_torch_text *x, gs_id key, const gs_torch_value *v)
{
	gs_torch_text_add(x, x->n ? "," : "{", 1);
	add_quoted(x, t->s->strings[key].text, t->s->strings[key].length);
	gs_torch_text_add(x, ":", 1);
	add_value(t, x, v, MOST_DEPTH);
}
