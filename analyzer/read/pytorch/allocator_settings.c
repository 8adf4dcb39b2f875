/* allocator_settings as names and texts, the overflow marks, and which releases wrote such keys. */
#include "analyzer/read/pytorch/allocator_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/memory.h"
#include "analyzer/read/pytorch/value_json.h"
#include "analyzer/read/pytorch/object.h"

enum { MOST_TEXT = 1 << 16 };

static gs_status add_setting(gs_torch *t, const gs_torch_value *name, const gs_torch_value *v)
{
	gs_torch_text x = {.most = MOST_TEXT};
	gs_status status;
	if (v->type == GS_V_BOOL)
		gs_torch_text_add(&x, v->u ? "True" : "False", v->u ? 4 : 5);
	else if (v->type == GS_V_STRING)
		gs_torch_text_add(&x, t->s->strings[v->id].text, t->s->strings[v->id].length);
	else
		gs_torch_json(t, &x, v);
	status = x.failed ? gs_fail(&t->error, GS_LIMIT, "the setting %.40s is too long",
							t->s->strings[name->id].text)
					  : GS_OK;
	if (!status && gs_snapshot_add_setting(t->s, t->s->strings[name->id].text, x.data))
		status = gs_torch_no_memory(t);
	gs_memory_give(x.data);
	return status;
}

gs_status gs_torch_settings(gs_torch *t, const gs_torch_value *settings)
{
	if (settings->type != GS_V_DICT)
		return GS_OK;
	for (size_t i = 0; i + 1 < gs_torch_object(t, settings)->n; i += 2) {
		const gs_torch_value *pair = (const gs_torch_value *)gs_torch_object(t, settings)->items +
			i;
		if (pair[0].type == GS_V_STRING && add_setting(t, &pair[0], &pair[1]))
			return t->error.status;
	}
	return GS_OK;
}

static void mark_overflow(gs_device *d, const gs_torch_value *v)
{
	if (!d || (v->type != GS_V_BOOL && v->type != GS_V_INT) || !v->u || v->negative)
		return;
	d->trace.complete = 0;
	d->trace.dropped = v->u;
}

void gs_torch_overflow(gs_torch *t, const gs_torch_value *settings)
{
	const gs_object *o = settings && settings->type == GS_V_DICT ? gs_torch_object(t, settings)
																 : NULL;
	const gs_torch_value *pairs = o ? o->items : NULL, *v = NULL;
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
	const gs_torch_value *items = o->items;
	if (v->type == GS_V_LIST && o->holds == GS_HOLDS_SCALARS)
		for (size_t i = 0; i < o->n; i++)
			mark_overflow(gs_snapshot_find_device(t->s, (int32_t)i), &items[i]);
	for (size_t i = 0; v->type == GS_V_DICT && i + 1 < o->n; i += 2) {
		bool word = items[i].type == GS_V_STRING;
		int64_t device = word ? strtol(t->s->strings[items[i].id].text, NULL, 10)
							  : (int64_t)items[i].u;
		if ((word || items[i].type == GS_V_INT) && device >= 0 && device <= INT32_MAX)
			mark_overflow(gs_snapshot_find_device(t->s, (int32_t)device), &items[i + 1]);
	}
}

/* Keys of events and the first release that writes them (facts of the sources' history); oldest
 * first. */
static const struct {
	int word;
	const char *since, *before;
} marks[] = {
	{GS_WORD_TIME_US, "2.2", "2.1"},
	{GS_WORD_COMPILE_CONTEXT, "2.7", "2.6"},
	{GS_WORD_USER_METADATA, "2.10", "2.9"},
	{GS_WORD_POOL_ID, "2.12", "2.11"},
};

void gs_torch_releases(gs_torch *t)
{
	gs_snapshot *s = t->s;
	s->tool = "PyTorch";
	if (!(t->event_keys >> GS_WORD_ACTION & 1) || t->event_keys >> GS_WORD_CATEGORY & 1)
		return;
	s->release_min = "2.0";
	for (size_t i = sizeof marks / sizeof *marks;
		 i--;) { /* a later key outweighs the lack of an earlier one */
		if (t->event_keys >> marks[i].word & 1) {
			s->release_min = marks[i].since;
			break;
		}
		s->release_max = marks[i].before;
	}
}
