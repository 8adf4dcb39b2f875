/* allocator_settings as names and texts, the overflow marks, and which releases wrote such keys. */
#include "analyzer/read/torch_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/memory.h"
#include "analyzer/read/torch_object.h"

enum { MOST_DEPTH = 8, MOST_TEXT = 1 << 16 };

typedef struct text {
	char *data;
	size_t n, cap;
	bool failed;
} text;

static void add(text *x, const char *data, size_t n)
{
	if (x->n + n + 1 > x->cap && !x->failed) {
		size_t cap = (x->n + n + 1) * 2;
		char *grown = cap > MOST_TEXT ? NULL : gs_memory_more(x->data, cap);
		x->failed = !grown;
		x->data = grown ? grown : x->data;
		x->cap = grown ? cap : x->cap;
	}
	if (x->failed)
		return;
	memcpy(x->data + x->n, data, n);
	x->n += n;
	x->data[x->n] = 0;
}

static void add_quoted(text *x, const char *s, size_t n)
{
	add(x, "\"", 1);
	for (size_t i = 0; i < n; i++) {
		char esc[8];
		if (s[i] == '"' || s[i] == '\\')
			add(x, esc, (size_t)snprintf(esc, sizeof esc, "\\%c", s[i]));
		else if ((unsigned char)s[i] < 0x20)
			add(x, esc, (size_t)snprintf(esc, sizeof esc, "\\u%04x", s[i]));
		else
			add(x, s + i, 1);
	}
	add(x, "\"", 1);
}

/* The shortest decimal that reads back the same, with a fraction as Python writes it. */
static void add_real(text *x, double f)
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
	add(x, buf, (size_t)n);
}

static void add_value(gs_torch *t, text *x, const gs_value *v, int depth);

static void add_members(gs_torch *t, text *x, const gs_value *v, int depth)
{
	bool dict = v->type == GS_V_DICT;
	const gs_object *o = gs_torch_object(t, v);
	const gs_value *items = o->items;
	bool plain = dict || o->holds == GS_HOLDS_SCALARS || o->holds == GS_HOLDS_LISTS;
	add(x, dict ? "{" : "[", 1);
	for (size_t i = 0; plain && i + dict < o->n && !x->failed; i += 1 + dict) {
		if (i)
			add(x, ",", 1);
		add_value(t, x, &items[i], depth - 1);
		if (dict) {
			add(x, ":", 1);
			add_value(t, x, &items[i + 1], depth - 1);
		}
	}
	add(x, dict ? "}" : "]", 1);
}

static void add_value(gs_torch *t, text *x, const gs_value *v, int depth)
{
	char buf[32];
	switch (v->type) {
	case GS_V_BOOL: add(x, v->u ? "true" : "false", v->u ? 4 : 5); break;
	case GS_V_INT:
		add(x, buf, (size_t)(v->negative ? snprintf(buf, sizeof buf, "%lld", (long long)v->u) :
						   snprintf(buf, sizeof buf, "%llu", (unsigned long long)v->u)));
		break;
	case GS_V_FLOAT: add_real(x, v->f); break;
	case GS_V_STRING: add_quoted(x, t->s->strings[v->id].text, t->s->strings[v->id].length); break;
	case GS_V_PAIR:
		add(x, buf, (size_t)snprintf(buf, sizeof buf, "[%llu,", (unsigned long long)t->pairs[v->id].a));
		add(x, buf, (size_t)snprintf(buf, sizeof buf, "%llu]", (unsigned long long)t->pairs[v->id].b));
		break;
	case GS_V_STACK: add(x, "[]", 2); break;
	case GS_V_DICT:
	case GS_V_LIST:
		if (depth > 0 && gs_torch_object(t, v)->in_use) {
			add_members(t, x, v, depth);
			break;
		} /* fall through */
	default: add(x, "null", 4);
	}
}

static gs_status add_setting(gs_torch *t, const gs_value *name, const gs_value *v)
{
	text x = { NULL, 0, 0, false };
	gs_status status;
	if (v->type == GS_V_BOOL)
		add(&x, v->u ? "True" : "False", v->u ? 4 : 5);
	else if (v->type == GS_V_STRING)
		add(&x, t->s->strings[v->id].text, t->s->strings[v->id].length);
	else
		add_value(t, &x, v, MOST_DEPTH);
	status = x.failed ? gs_fail(&t->error, GS_LIMIT, "the setting %.40s is too long", t->s->strings[name->id].text) : GS_OK;
	if (!status && gs_snapshot_add_setting(t->s, t->s->strings[name->id].text, x.data))
		status = gs_torch_no_memory(t);
	gs_memory_give(x.data);
	return status;
}

gs_status gs_torch_settings(gs_torch *t, const gs_value *settings)
{
	if (settings->type != GS_V_DICT)
		return GS_OK;
	for (size_t i = 0; i + 1 < gs_torch_object(t, settings)->n; i += 2) {
		const gs_value *pair = (const gs_value *)gs_torch_object(t, settings)->items + i;
		if (pair[0].type == GS_V_STRING && add_setting(t, &pair[0], &pair[1]))
			return t->error.status;
	}
	return GS_OK;
}

static void mark_overflow(gs_device *d, const gs_value *v)
{
	if (!d || (v->type != GS_V_BOOL && v->type != GS_V_INT) || !v->u || v->negative)
		return;
	d->trace.complete = 0;
	d->trace.dropped = v->u;
}

void gs_torch_overflow(gs_torch *t, const gs_value *settings)
{
	const gs_object *o = settings && settings->type == GS_V_DICT ? gs_torch_object(t, settings) : NULL;
	const gs_value *pairs = o ? o->items : NULL, *v = NULL;
	for (size_t i = 0; o && i + 1 < o->n; i += 2)
		if (pairs[i].type == GS_V_STRING && pairs[i].id == GS_WORD_TRACE_ALLOC_OVERFLOWED)
			v = &pairs[i + 1];
	if (!v)
		return;
	if (v->type != GS_V_DICT && v->type != GS_V_LIST) {
		for (size_t i = 0; i < t->s->ndevices; i++)
			if (t->s->devices[i].trace.n)
				mark_overflow(&t->s->devices[i], v);
		return;
	}
	o = gs_torch_object(t, v);
	const gs_value *items = o->items;
	if (v->type == GS_V_LIST && o->holds == GS_HOLDS_SCALARS)
		for (size_t i = 0; i < o->n; i++)
			mark_overflow(gs_snapshot_find_device(t->s, (int32_t)i), &items[i]);
	for (size_t i = 0; v->type == GS_V_DICT && i + 1 < o->n; i += 2) {
		bool word = items[i].type == GS_V_STRING;
		int64_t device = word ? strtol(t->s->strings[items[i].id].text, NULL, 10) : (int64_t)items[i].u;
		if ((word || items[i].type == GS_V_INT) && device >= 0 && device <= INT32_MAX)
			mark_overflow(gs_snapshot_find_device(t->s, (int32_t)device), &items[i + 1]);
	}
}

/* Keys of events and the first release that writes them (facts of the sources' history); oldest first. */
static const struct { int word; const char *since, *before; } marks[] = {
	{ GS_WORD_TIME_US, "2.2", "2.1" }, { GS_WORD_COMPILE_CONTEXT, "2.7", "2.6" },
	{ GS_WORD_USER_METADATA, "2.10", "2.9" }, { GS_WORD_POOL_ID, "2.12", "2.11" },
};

void gs_torch_releases(gs_torch *t)
{
	gs_snapshot *s = t->s;
	s->tool = "PyTorch";
	if (!(t->event_keys >> GS_WORD_ACTION & 1) || t->event_keys >> GS_WORD_CATEGORY & 1)
		return;
	s->release_min = "2.0";
	for (size_t i = sizeof marks / sizeof *marks; i--;) { /* a later key outweighs the lack of an earlier one */
		if (t->event_keys >> marks[i].word & 1) {
			s->release_min = marks[i].since;
			break;
		}
		s->release_max = marks[i].before;
	}
}
